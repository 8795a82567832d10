// How many objects stand below prefixes, and how large they are together. The sums are made when a
// bucket is first asked, which takes a moment for a very large one, and are kept exact from then
// on.
import type { CountState, PrefixSize } from '../../domain/key-aids.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';

/** Steps of counting that a request waits for: two million keys, half a second. */
const STEPS_WAITED_FOR = 40;

/**
 * The sizes in the order of the prefixes; null as long as a very large bucket is being counted for
 * the first time, which goes on behind the answer. Cost: one index read once the bucket is counted.
 */
export async function measurePrefixes(
  core: Core,
  bucket: BucketHandle,
  prefixes: readonly string[],
): Promise<readonly PrefixSize[] | null> {
  for (let step = 0; ; step++) {
    const { state, sizes } = await bucket.call('measurePrefixes', { prefixes });
    if (state === 'ready') return sizes;
    if (step >= STEPS_WAITED_FOR) break;
    let counted: CountState = state;
    for (; counted !== 'ready' && step < STEPS_WAITED_FOR; step++) {
      counted = (await bucket.call('countNames', {})).state;
    }
  }
  core.ports.background.run('count-names', async () => {
    while ((await bucket.call('countNames', {})).state !== 'ready');
  });
  return null;
}
