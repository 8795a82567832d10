// How many bytes the compression of a body saves: one rule for totals, rows and
// uploads.
import type { Segment } from '../../domain/nouns.ts';

/**
 * Bytes of a body that compression saves, always equal for equal segments. A part
 * of a compressed blob has its share, rounded down.
 */
export function savedByCompression(segments: readonly Segment[]): number {
  let savedBytes = 0;
  for (const { lengthBytes, packing } of segments) {
    if (packing === undefined) continue;
    const { plainBytes, storedBytes } = packing;
    savedBytes += Math.floor((plainBytes - storedBytes) * (lengthBytes / plainBytes));
  }
  return savedBytes;
}
