// What buckets store, now and over time, as the index counts it for the ledger and for whoever asks.
import type { AccountId, BucketId } from './domain.ts';

/** What a bucket stores now in one storage class: current objects, older versions, parts of uploads. */
export type StorageTotals = {
  readonly storageClass: string;
  readonly currentBytes: number;
  readonly currentCount: number;
  readonly noncurrentBytes: number;
  readonly noncurrentCount: number;
  readonly partBytes: number;
  readonly partCount: number;
  /** What of these bytes is spared because it is stored once for several, and because it is stored compressed. */
  readonly deduplicatedBytes: number;
  readonly compressedBytes: number;
};

/** Closed hours in a row of a bucket and class that are alike; `byteMs`: what each of them came to, and what of it was spared. */
export type StorageHours = {
  readonly bucketId: BucketId;
  readonly ownerId: AccountId;
  readonly storageClass: string;
  readonly hourMs: number;
  readonly hourCount: number;
  readonly byteMs: bigint;
  readonly deduplicatedByteMs: bigint;
  readonly compressedByteMs: bigint;
};
