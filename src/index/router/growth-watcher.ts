// When to look whether a bucket has become too large for its shards, or too small: as its
// keys change, unless it was needed in one index a while ago (ADR 53). All is in memory;
// what is forgotten is counted anew.
import type { BucketName, BucketRef } from '../../domain/nouns.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import { CALL_ROUTES, needsAll } from './call-routes.ts';

/** Buckets of which changes are counted; each may be forgotten. */
const BUCKETS_MAX = 10_000;
/** A bucket that was needed in one index is not split for this time, milliseconds. */
const TOGETHER_MS = 10 * 60_000;
/** A look at a bucket for each such share of the rows of a shard that changes. */
const LOOKS_PER_SHARD = 10;

/**
 * Hears of calls on buckets, whether they are split or not, by the bucket's own name: the
 * router of another thread has named a shard in the call by then.
 */
export type BucketWatcher = {
  /** A bucket was needed, or will be, in one index. */
  readonly onTogether: (bucket: BucketName) => void;
  /** A call begins that names its bucket by a revision, or has succeeded. */
  readonly onBegin: OnCall;
  readonly onDone: OnCall;
};
type OnCall = (bucket: BucketName, name: keyof IndexApi, ref: BucketRef) => void;

/** Calls after which a bucket may have more keys, or fewer. */
const CHANGES_KEYS: ReadonlySet<keyof IndexApi> = new Set([
  'commitObject',
  'completeUpload',
  'deleteObjects',
] as const);

/** Whether the call needs all keys of its bucket in one index. */
const needsOneIndex = (name: keyof IndexApi, ref: BucketRef): boolean =>
  CALL_ROUTES[name] === 'together' || needsAll(ref);

export type GrowthWatcher = BucketWatcher & {
  /** Whether the bucket was needed in one index a while ago, or is. */
  readonly isTogether: (bucket: BucketName) => boolean;
};

/** Calls `look` for a bucket whose keys have changed often, and which may be split. */
export function createGrowthWatcher(
  { clock, rows }: { readonly clock: Clock; readonly rows: number },
  look: (bucket: BucketName) => void,
): GrowthWatcher {
  const changes = new Map<BucketName, number>();
  const togetherUntil = new Map<BucketName, number>();
  const lookAfter = Math.max(1, Math.floor(rows / LOOKS_PER_SHARD));

  function onTogether(bucket: BucketName): void {
    if (togetherUntil.size >= BUCKETS_MAX) togetherUntil.clear();
    togetherUntil.set(bucket, clock.nowMs() + TOGETHER_MS);
  }

  const isTogether = (bucket: BucketName) => (togetherUntil.get(bucket) ?? 0) > clock.nowMs();

  return {
    onTogether,
    isTogether,
    onBegin(bucket, name, ref) {
      if (needsOneIndex(name, ref)) onTogether(bucket);
    },
    onDone(bucket, name, ref) {
      if (!CHANGES_KEYS.has(name) || needsAll(ref)) return;
      const count = (changes.get(bucket) ?? 0) + 1;
      if (changes.size >= BUCKETS_MAX) changes.clear();
      changes.set(bucket, count % lookAfter);
      if (count >= lookAfter && !isTogether(bucket)) look(bucket);
    },
  };
}
