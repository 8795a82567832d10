// What buckets store, now and over time, as the index counts it for the ledger and
// for owners.
import type { AccountId, BucketAddress, BucketId } from '../nouns.ts';
import type { MeterName } from './usage.ts';

/**
 * What a bucket stores now in one storage class: current objects, older versions,
 * parts of uploads.
 */
export type StorageTotals = {
  readonly storageClass: string;
  readonly currentBytes: number;
  readonly currentCount: number;
  readonly noncurrentBytes: number;
  readonly noncurrentCount: number;
  readonly partBytes: number;
  readonly partCount: number;
  /**
   * Bytes of the above that are not really stored: because several share them, and
   * because they are compressed.
   */
  readonly deduplicatedBytes: number;
  readonly compressedBytes: number;
};

/**
 * Closed hours in a row of a bucket that are alike: what each of them came to, by
 * meter, as the ledger counts it.
 */
export type StorageHours = {
  readonly bucketId: BucketId;
  /** The shard of the bucket that counted them; absent: the bucket itself did. */
  readonly countedBy?: BucketAddress;
  readonly ownerId: AccountId;
  /**
   * What the hours count: all that is stored in a class, or one meter of what
   * commits cause.
   */
  readonly of:
    | { readonly kind: 'storage'; readonly storageClass: string }
    | { readonly kind: 'commits'; readonly meter: MeterName };
  readonly hourMs: number;
  readonly hourCount: number;
  readonly used: readonly { readonly meter: MeterName; readonly quantity: bigint }[];
};
