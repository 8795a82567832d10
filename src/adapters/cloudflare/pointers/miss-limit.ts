// Bounds what keys that nobody has can cost a bucket's object: strangers can make up
// any number of them, and in a large bucket few are proved missing by pages. A token
// bucket of each isolate and bucket, of calls that found nothing. While it is empty,
// keys that neither memory nor the colo knows are refused; what is known goes on.
import { LRUCache } from 'lru-cache';
import { createTokenBucket, type TokenBucket } from '../../../domain/concurrency/token-bucket.ts';
import type { BucketName } from '../../../domain/nouns.ts';
import type { Clock } from '../../../ports/system.ts';

/** Calls of one isolate for one bucket that may find nothing: at once, and a second. */
const BURST = 200;
const PER_SECOND = 50;
/** Buckets remembered; the limit of one that was dropped begins anew. */
const BUCKETS_MAX = 1000;

export type MissLimit = {
  isSpent(bucket: BucketName): boolean;
  /** A call found nothing. */
  spend(bucket: BucketName): void;
};

export function createMissLimit(clock: Clock): MissLimit {
  const limits = new LRUCache<BucketName, TokenBucket>({ max: BUCKETS_MAX });

  function made(bucket: BucketName): TokenBucket {
    const tokens = createTokenBucket(BURST, PER_SECOND, clock.nowMs());
    limits.set(bucket, tokens);
    return tokens;
  }

  return {
    isSpent: (bucket) => limits.get(bucket)?.has(clock.nowMs()) === false,
    spend: (bucket) => (limits.get(bucket) ?? made(bucket)).take(clock.nowMs()),
  };
}
