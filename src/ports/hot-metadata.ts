import type { BucketGate, BucketName, ObjectKey, Pointer } from './domain.ts';

/** The tiers that can answer a metadata lookup without the index. */
export type MetadataTier = 'memory' | 'kv';

/** A cached answer; `value` null is a cached "there is none". */
export type HotRecord<Value> = {
  readonly value: Value | null;
  readonly tier: MetadataTier;
  readonly ageSeconds: number;
};

export type HotLookup = { readonly gate: HotRecord<BucketGate> | null; readonly pointer: HotRecord<Pointer> | null };

/** Taken before the index is read, given back with what was read: a fill that an eviction overtook is dropped. */
export type FillTicket = number;

/**
 * Gates and pointers near the reader. On Node it is exact: `evict` comes before the write is answered. On
 * Cloudflare an answer may be as old as the configured bound.
 */
export type HotMetadata = {
  /** Answers at once when memory has both; asks KV (one bulk read) for what is missing. Never throws. */
  get(bucket: BucketName, key: ObjectKey): HotLookup | Promise<HotLookup>;
  ticket(): FillTicket;
  /** Remembers what the index said; null values are kept only briefly. */
  fill(
    bucket: BucketName,
    key: ObjectKey,
    found: { gate: BucketGate | null; pointer: Pointer | null },
    ticket: FillTicket,
  ): void;
  /** Forgets pointers of keys, or with null the bucket's gate. */
  evict(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
};
