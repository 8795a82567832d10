// Read policies and pointers near the reader, so that a hot read asks no index.
import type { BucketName, BucketReadPolicy, ObjectKey, Pointer } from '../domain/nouns.ts';
import type { IndexChange } from './index-calls/index-changes.ts';

/** The tiers that can answer a metadata lookup without the index. */
export type MetadataTier = 'memory' | 'kv';

/**
 * What readers are told of a key; null stands for "there is none". Without a read policy that lets them in
 * the pointer is null.
 */
export type Known = {
  readonly readPolicy: BucketReadPolicy | null;
  readonly pointer: Pointer | null;
};

/** Why an answer is given that is older than the bound of freshness. */
export type Staleness = {
  /**
   * `revalidating`: for a moment, while the truth is asked behind the answer. `error`: the truth
   * can't be had.
   */
  readonly reason: 'revalidating' | 'error';
  /** Whether this very request asked in vain. */
  readonly isForwarded: boolean;
  /** Since the index vouched for it. */
  readonly ageSeconds: number;
  /** Since it stopped being fresh. */
  readonly stalenessSeconds: number;
};

/** A change that readers can see. */
export type ReaderChange = Exclude<IndexChange, 'nothing'> | 'unknown';

/** An answer, where it came from, and why it is stale if it is. */
export type Found = Known & {
  readonly tier: MetadataTier | 'index';
  readonly stale: Staleness | null;
};

/**
 * Read policies and pointers near the reader. On Node it is exact: `evict` comes before the write is
 * answered. On Cloudflare an answer may be as old as the configured bound, and while the index
 * fails as old as another.
 */
export type HotMetadata = {
  /**
   * What memory knows and is fresh, at once: no I/O, nothing is started. Null when that is not
   * enough for an answer.
   */
  peek(bucket: BucketName, key: ObjectKey): Known | null;
  /**
   * From the nearest tier that knows enough, else by `load`, which asks the index; what it says is
   * kept, "there is none" only briefly. Where the home allows it, all who ask for a key at the same
   * time share one `load`. Rejects with what `load` rejects with, or ServiceUnavailable when it
   * hangs, unless something stale may be given.
   */
  find(bucket: BucketName, key: ObjectKey, load: () => Promise<Known>): Found | Promise<Found>;
  /**
   * The same of several keys, in their order, with one read of each tier for all. `load` gives them
   * in that order too.
   */
  findAll(
    bucket: BucketName,
    keys: readonly ObjectKey[],
    load: () => Promise<readonly Known[]>,
  ): Promise<readonly Found[]>;
  /**
   * Forgets pointers of keys, or with null the bucket's read policy. What was forgotten is never given as
   * stale.
   */
  evict(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /**
   * How long from now a reader anywhere can be shown what this change replaced, which this process
   * has just made and had evicted; `unknown`: a change that another process may have made.
   * Milliseconds. Outages aside.
   */
  staleForMs(bucket: BucketName, change: ReaderChange): number;
};
