// Ids that sort by the time of their making: 9 characters of milliseconds, 3 of a
// counter within the millisecond and 15 at random, in a base 32 whose alphabet is
// in ASCII order. Both platforms use it; blobs are laid out by its prefix.
import { base32, ID_ALPHABET, timeText } from '../../domain/ids/ordered-ids.ts';
import type { BlobId, BucketId, UploadId, VersionId } from '../../domain/nouns.ts';
import type { Clock, Ids } from '../../ports/system.ts';

/** 15 bits: ids of one millisecond in the order of their making. */
const COUNTER_LENGTH = 3;
const COUNTER_END = 32 ** COUNTER_LENGTH;
/** 75 random bits. */
const RANDOM_LENGTH = 15;
/** 80 random bits. A request id needs no order, only to be found again in a log. */
const REQUEST_ID_LENGTH = 16;
/**
 * Random bytes drawn at a time; one draw costs about as much as 100 of these bytes.
 */
const POOL_BYTES = 4096;

/**
 * Makes ids that are unique everywhere and strictly ascending within this maker,
 * also when the clock stands still or goes back. Nothing random is drawn before the
 * first id: Workers forbid it outside of a request.
 */
export function createIds(clock: Clock): Ids {
  const random = createRandomText();
  let lastMs = 0;
  let counter = 0;
  let lastTime = '';

  function ordered(): string {
    const nowMs = clock.nowMs();
    if (nowMs > lastMs || ++counter === COUNTER_END) {
      lastMs = Math.max(nowMs, lastMs + 1);
      counter = 0;
      lastTime = timeText(lastMs);
    }
    return lastTime + base32(counter, COUNTER_LENGTH) + random(RANDOM_LENGTH);
  }

  return {
    requestId: () => random(REQUEST_ID_LENGTH),
    bucketId: () => ordered() as BucketId,
    versionId: () => ordered() as VersionId,
    uploadId: () => ordered() as UploadId,
    recordId: ordered,
    blobId: (owner) => `${owner}/${ordered()}` as BlobId,
    blobIdLowerBound: (owner, timeMs) => `${owner}/${timeText(timeMs)}`,
  };
}

/**
 * Text of random characters, 5 bits each, from a pool that is refilled as a whole.
 * Cost: 20 ns for a request id.
 */
function createRandomText(): (length: number) => string {
  const bytes = new Uint8Array(POOL_BYTES);
  const decoder = new TextDecoder();
  let pool = '';
  let used = 0;
  return (length) => {
    if (used + length > pool.length) {
      crypto.getRandomValues(bytes);
      for (let i = 0; i < POOL_BYTES; i++) bytes[i] = ID_ALPHABET.charCodeAt((bytes[i] ?? 0) & 31);
      pool = decoder.decode(bytes);
      used = 0;
    }
    used += length;
    return pool.slice(used - length, used);
  };
}
