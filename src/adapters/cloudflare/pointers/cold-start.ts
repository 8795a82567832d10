// Request coalescing for the first look-ups of a bucket in a colo. The Cache API has
// no lock, so a herd that finds nothing there would call the index with each of its
// requests. The first one sets a claim; those that find it look again for what it
// brings, for a moment, and then call the index themselves. read-pointer.ts asks it.
//
// Requests share plain values only: nobody waits for another's promise.
import type { BucketName } from '../../../domain/nouns.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { Clock } from '../../../ports/system.ts';
import type { ColoTier } from './colo-tier.ts';

/** Time between two looks, milliseconds, and how many there are. */
const LOOK_GAP_MS = 25;
const LOOKS_MAX = 12;
/** For how long an isolate that changed a bucket waits for nobody, milliseconds. */
const CHANGED_MS = 2000;

export type ColdStart = {
  /**
   * Resolves at once where this request is the first of its colo, else when `look`
   * says that there is something, or 0.3 s later. Of an isolate's requests one looks
   * every 25 ms; the others learn by `isKnown`, from memory, that there is, and look
   * once. Cost: two calls of the Cache API and those of the looks.
   */
  await(bucket: BucketName, look: () => Promise<boolean>, isKnown: () => boolean): Promise<void>;
  /** This isolate changed the bucket: what others look up meanwhile may be from before. */
  leave(bucket: BucketName): void;
};

export function createColdStart(clock: Clock, colo: Pick<ColoTier, 'claim'>): ColdStart {
  /** Open for a bucket while a request of this isolate calls the index for it. */
  const leading = createCircuitBreaker(clock, LOOK_GAP_MS * LOOKS_MAX);
  /** Open for a bucket while a request of this isolate has just looked. */
  const looking = createCircuitBreaker(clock, LOOK_GAP_MS);
  const changed = createCircuitBreaker(clock, CHANGED_MS);

  async function isFirst(bucket: BucketName): Promise<boolean> {
    if (leading.isOn(bucket)) return false;
    leading.begin(bucket);
    return colo.claim(bucket);
  }

  return {
    async await(bucket, look, isKnown) {
      if (changed.isOn(bucket) || (await isFirst(bucket))) return;
      for (let looks = 0; looks < LOOKS_MAX; looks++) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_GAP_MS));
        if (!isKnown() && looking.isOn(bucket)) continue;
        looking.begin(bucket);
        if (await look()) return;
      }
    },
    leave: changed.begin,
  };
}
