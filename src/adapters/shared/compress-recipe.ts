// Makes the compressed variant of an object, for both platforms. derived-bodies.ts
// keeps it.
import { compress, type Thoroughness } from '../../crypto/content-codings.ts';
import type { Recipe } from '../../ports/derived.ts';
import type { StoredDerived } from './derived-bodies.ts';

/**
 * What compression must save to be worth the memory and the reader's work: a
 * twentieth.
 */
const WORTH = 0.95;

/** The source in a coding, or null when that saves next to nothing. */
export async function compressRecipe(
  source: Uint8Array,
  { coding }: Extract<Recipe, { kind: 'coding' }>,
  thoroughness: Thoroughness,
): Promise<StoredDerived | null> {
  const bytes = await compress(source, coding, thoroughness);
  // Compressors give windows on larger buffers; what is kept must keep no more than
  // itself.
  return bytes.length > source.length * WORTH
    ? null
    : { bytes: new Uint8Array(bytes), contentType: null };
}
