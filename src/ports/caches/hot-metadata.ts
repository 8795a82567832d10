// Bucket read policies and pointers near the reader, so that a hot read needs no
// call of the index.
import type { BucketSettings } from '../../domain/bucket-settings.ts';
import type { BucketName, BucketReadPolicy, ObjectKey, Pointer } from '../../domain/nouns.ts';

/** The tiers that can serve a metadata lookup without the index. */
export type MetadataTier = 'memory' | 'colo' | 'kv';

/**
 * What readers may know of a key; null says that there is none (negative cache).
 * Without a read policy that lets readers in, the pointer is null.
 */
export type KnownMetadata = {
  readonly readPolicy: BucketReadPolicy | null;
  readonly pointer: Pointer | null;
};

/**
 * Why a stale entry is served: one that is older than the bound of freshness (RFC
 * 9111).
 */
export type Staleness = {
  /**
   * `revalidating`: for a moment, while the index is called behind the response.
   * `error`: the index fails.
   */
  readonly reason: 'revalidating' | 'error';
  /** Whether this very request called the index in vain. */
  readonly isForwarded: boolean;
  /** Seconds since the entry was validated. */
  readonly ageSeconds: number;
  /** Seconds since the entry stopped being fresh. */
  readonly stalenessSeconds: number;
};

/** An entry, where it came from, and why it is stale if it is. */
export type MetadataLookup = KnownMetadata & {
  readonly tier: MetadataTier | 'index';
  readonly stale: Staleness | null;
};

/**
 * Read policies and pointers near the reader. On Node it is exact: `evict` comes
 * before the response to the write. On Cloudflare an entry may be as old as the
 * configured bound, and while the index fails as old as another.
 */
export type HotMetadata = {
  /**
   * The fresh entry that memory has, at once: no I/O, nothing is started. Null when
   * memory does not know enough. `isInvited`: the reader was let in by a link, so
   * that the pointer is needed where the policy lets nobody in.
   */
  peek(bucket: BucketName, key: ObjectKey, isInvited?: boolean): KnownMetadata | null;
  /**
   * The entry from the nearest tier that knows enough, else by `load`, which calls
   * the index. The result is cached, a negative one only briefly. Where the
   * platform allows it, calls for a key at the same time share one `load` (request
   * coalescing). Rejects with what `load` rejects with, or ServiceUnavailable when
   * it hangs, unless something stale may be served. `isInvited`: as in `peek`.
   */
  find(
    bucket: BucketName,
    key: ObjectKey,
    load: () => Promise<KnownMetadata>,
    isInvited?: boolean,
  ): MetadataLookup | Promise<MetadataLookup>;
  /**
   * Entries of several keys, in their order, with one read of each tier for all.
   * `load` gives them in that order too.
   */
  findAll(
    bucket: BucketName,
    keys: readonly ObjectKey[],
    load: () => Promise<readonly KnownMetadata[]>,
  ): Promise<readonly MetadataLookup[]>;
  /**
   * Evicts pointers of keys, or with null the bucket's read policy. What was
   * evicted is never served as stale.
   */
  evict(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /**
   * How long from now a reader anywhere can be shown what a change replaced that has
   * just been made and evicted. `mode`: the bucket's setting before the change;
   * `unknown`: the longest of all. Milliseconds. Outages aside.
   */
  staleForMs(mode: BucketSettings['metadata'] | 'unknown'): number;
};
