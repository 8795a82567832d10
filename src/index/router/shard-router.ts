// The router: an index before the index, for buckets that may be split into shards (ADR
// 53). Callers never know: it finds the owners of keys, goes on where one of them ends,
// adds up, and brings a bucket together for what needs all keys in one index. A bucket
// that was never split costs one comparison. Made by the roots of a platform.
import type { BucketAddress, BucketName, BucketRef } from '../../domain/nouns.ts';
import { isSplit } from '../../ports/index-calls/shard-calls.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import { callByKey } from './by-key.ts';
import { listByRange } from './by-range.ts';
import { CALL_ROUTES, type Route } from './call-routes.ts';
import { resolveByKey } from './readers.ts';
import { createSplitBuckets } from './split-bucket.ts';
import {
  addRemoteReferences,
  closeStorageHours,
  findUnknownBlobs,
  forgetIncarnation,
  forgetStorageHours,
  listIncarnations,
  releaseRemoteReferences,
} from './sweep-shards.ts';
import {
  bringTogetherFor,
  callRoot,
  callTogether,
  changeRecord,
  deleteSplitBucket,
  sumTotals,
} from './whole-bucket.ts';

/**
 * Hears of calls on buckets, whether they are split or not, by the bucket's own name: the
 * router of another thread has named a shard in the call by then.
 */
export type BucketWatcher = {
  /** A bucket's keys were changed. */
  readonly onChange: (bucket: BucketName) => void;
  /** A bucket was needed, or will be, in one index. */
  readonly onTogether: (bucket: BucketName) => void;
};

type Input<Name extends keyof IndexApi> = Parameters<IndexApi[Name]>[0];
type AnyCall = (name: keyof IndexApi, input: never) => Promise<unknown>;

const SWEEPS: Partial<
  Record<
    keyof IndexApi,
    (index: Pick<MetadataIndex, 'call'>, input: never, bucket: BucketName) => Promise<unknown>
  >
> = {
  listIncarnations,
  forgetIncarnation,
  closeStorageHours,
  forgetStorageHours,
  addRemoteReferences,
  releaseRemoteReferences,
  findUnknownBlobs,
};

/** Calls after which a bucket may have more keys, or fewer. */
const CHANGES_KEYS: ReadonlySet<keyof IndexApi> = new Set([
  'commitObject',
  'completeUpload',
  'deleteObjects',
] as const);

/** What a call says of the shards of its bucket. */
export function meaningOf(
  name: keyof IndexApi,
  bucket: BucketRef,
): 'together' | 'keys may change' | null {
  if (CALL_ROUTES[name] === 'together' || needsAll(bucket)) return 'together';
  return CHANGES_KEYS.has(name) ? 'keys may change' : null;
}

/** An index over one that has all shards, each as a bucket under the name of its own. */
export function createShardRouter(
  index: MetadataIndex,
  clock: Clock,
  watcher: BucketWatcher | null = null,
): MetadataIndex {
  const split = createSplitBuckets(index, clock);
  const router: MetadataIndex = { ...index, call: (...args) => call(...args) as never };
  // Remote references to blobs of other buckets go by the router, which finds them.
  const parts = { index: router, clock, split };

  const routes: Record<Exclude<Route, 'plain' | 'readers' | 'sweep' | 'gather'>, AnyCall> = {
    key(name, input: { bucket: BucketRef }) {
      return needsAll(input.bucket) ? together(name, input) : callByKey(parts, name, input);
    },
    list: (name, input) => listByRange(split, name as 'listObjects', input),
    sum: (_name, input: { bucket: BucketRef }) => sumTotals(parts, input),
    root: (name, input: { bucket: BucketRef }) => callRoot(parts, name, input),
    record: (name, input: { bucket: BucketRef }) => changeRecord(parts, name, input),
    together: (name, input: { bucket: BucketRef }) => together(name, input),
  };

  function together(name: keyof IndexApi, input: { readonly bucket: BucketRef }) {
    watcher?.onTogether(input.bucket.name);
    return name === 'deleteBucket'
      ? deleteSplitBucket(parts, input as Input<'deleteBucket'>)
      : callTogether(parts, name, input);
  }

  async function resolve(name: keyof IndexApi, input: Input<'resolve'> & Input<'resolveAll'>) {
    const known = split.knows(input.name) ? await resolveSplit(name, input) : null;
    if (known !== null) return known;
    const value = await index.call(input.name, name, input as never);
    const { bucket } = value as { readonly bucket: BucketRef | null };
    return isSplit(bucket) ? ((await resolveSplit(name, input)) ?? value) : value;
  }

  /** A look-up by the record and the owners of keys; null: the bucket is not split. */
  async function resolveSplit(name: keyof IndexApi, input: Input<'resolve'> & Input<'resolveAll'>) {
    const keys = name === 'resolve' ? [input.key] : input.keys;
    const resolved = await resolveByKey(parts, index, input.name, keys);
    if (resolved === null || name === 'resolveAll') return resolved;
    return { bucket: resolved.bucket, object: resolved.objects[0] ?? null };
  }

  /** A call without a revision, so only the index says whether its bucket is split. */
  async function gather(name: keyof IndexApi, input: { readonly bucket: BucketAddress }) {
    const { bucket } = input;
    const isRoot = (await index.call(bucket.name, 'getShard', { name: bucket.name })) !== null;
    if (isRoot) {
      watcher?.onTogether(bucket.name);
      await bringTogetherFor(parts, input);
    }
    return index.call(bucket.name, name, input as never);
  }

  function call(
    bucket: Parameters<MetadataIndex['call']>[0],
    name: keyof IndexApi,
    input: unknown,
  ): Promise<unknown> {
    const route = CALL_ROUTES[name];
    if (route === 'readers') return resolve(name, input as never);
    const sweep = route === 'sweep' ? SWEEPS[name] : undefined;
    if (sweep !== undefined) return sweep(index, input as never, bucket);
    if (route === 'gather') return gather(name, input as never);

    const { bucket: ref } = input as { readonly bucket?: BucketRef };
    const isPlain = route === 'plain' || route === 'sweep';
    if (ref === undefined || isPlain || !isSplit(ref)) {
      const outcome = index.call(bucket, name, input as never) as Promise<unknown>;
      return ref === undefined ? outcome : watched(bucket, name, ref, outcome);
    }
    return watched(bucket, name, ref, routes[route](name, input as never));
  }

  /** Lets the watcher hear of what may make a bucket too large, or keep it together. */
  function watched<Result>(
    bucket: BucketName,
    name: keyof IndexApi,
    ref: BucketRef,
    outcome: Promise<Result>,
  ): Promise<Result> {
    if (watcher === null) return outcome;
    const meaning = meaningOf(name, ref);
    if (meaning === 'together') watcher.onTogether(bucket);
    else if (meaning === 'keys may change') {
      void outcome.then(
        () => watcher.onChange(bucket),
        () => undefined,
      );
    }
    return outcome;
  }

  return router;
}

/** Quotas count all keys in one commit, and one queue has all messages of a bucket. */
function needsAll({ quotas, notify }: BucketRef): boolean {
  return quotas !== undefined || notify !== undefined;
}
