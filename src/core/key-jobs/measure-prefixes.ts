// Counts and sizes of objects below prefixes. The index sums them up at the first
// call for a bucket, which takes a moment for a large one. It keeps the sums exact
// from then on.
import type { CountState, PrefixSize } from '../../domain/keys/key-aids.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/** Steps of counting that a request waits for: two million keys, half a second. */
const AWAITED_STEPS_MAX = 40;

/**
 * Measures prefixes, in their order. Null while a very large bucket is counted for
 * the first time, which goes on behind the response. Cost: one index read once the
 * bucket is counted.
 */
export async function measurePrefixes(
  core: Core,
  bucket: BucketHandle,
  prefixes: readonly string[],
): Promise<readonly PrefixSize[] | null> {
  for (let step = 0; ; step++) {
    const { state, sizes } = await bucket.call('measurePrefixes', { prefixes });
    if (state === 'ready') return sizes;
    if (step >= AWAITED_STEPS_MAX) break;

    let counted: CountState = state;
    for (; counted !== 'ready' && step < AWAITED_STEPS_MAX; step++) {
      counted = (await bucket.call('countAllKeys', {})).state;
    }
  }

  core.ports.background.run('count-names', async () => {
    while ((await bucket.call('countAllKeys', {})).state !== 'ready');
  });
  return null;
}
