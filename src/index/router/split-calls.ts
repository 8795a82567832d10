// The calls about buckets that are split (ADR 53): by key, by range, to all shards, to the
// root, or to a bucket that is brought together first. shard-router.ts loads it for the
// first of them, so that a Worker without such buckets starts without it.
import type { BucketAddress, BucketName, BucketRef } from '../../domain/nouns.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import { callByKey } from './by-key.ts';
import { listByRange } from './by-range.ts';
import { CALL_ROUTES, needsAll, type Route } from './call-routes.ts';
import type { BucketWatcher } from './growth-watcher.ts';
import { resolveByKey } from './readers.ts';
import { closeStorageHours, forgetStorageHours } from './shard-hours.ts';
import { createSplitBuckets } from './split-bucket.ts';
import {
  addRemoteReferences,
  findUnknownBlobs,
  forgetIncarnation,
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

type Input<Name extends keyof IndexApi> = Parameters<IndexApi[Name]>[0];
type AnyCall = (name: keyof IndexApi, input: never) => Promise<unknown>;
type Sweep = (
  index: Pick<MetadataIndex, 'call'>,
  input: never,
  bucket: BucketName,
) => Promise<unknown>;

const SWEEPS = {
  listIncarnations,
  forgetIncarnation,
  closeStorageHours,
  forgetStorageHours,
  addRemoteReferences,
  releaseRemoteReferences,
  findUnknownBlobs,
} as const satisfies Partial<Record<keyof IndexApi, Sweep>>;

export type SplitCalls = {
  /** Whether a bucket of that name was split when it was called last. */
  knows(bucket: BucketName): boolean;
  /** A look-up by the record and the owners of keys; null: the bucket is not split. */
  resolve(name: 'resolve' | 'resolveAll', input: ResolveInput): Promise<unknown>;
  /** Any other call that has a route of its own. */
  call(bucket: BucketName, name: keyof IndexApi, input: never): Promise<unknown>;
};
export type ResolveInput = Input<'resolve'> & Input<'resolveAll'>;

type SplitCallOptions = {
  /** Has all shards, each as a bucket under the name of its own. */
  readonly index: MetadataIndex;
  /** Stands before the index. */
  readonly router: Pick<MetadataIndex, 'call'>;
  readonly clock: Clock;
  readonly watcher: BucketWatcher | null;
  readonly togetherMaxRows: number;
};

export function createSplitCalls(options: SplitCallOptions): SplitCalls {
  const { index, router, clock, watcher, togetherMaxRows } = options;
  const split = createSplitBuckets(index, clock);
  // Remote references to blobs of other buckets go by the router, which finds them.
  const parts = { index: router, clock, split, togetherMaxRows };

  const routes: Record<Exclude<Route, 'plain' | 'readers' | 'sweep'>, AnyCall> = {
    key(name, input: { bucket: BucketRef }) {
      return needsAll(input.bucket) ? together(name, input) : callByKey(parts, name, input);
    },
    list: (name, input) => listByRange(split, name as 'listObjects', input),
    sum: (_name, input: { bucket: BucketRef }) => sumTotals(parts, input),
    root: (name, input: { bucket: BucketRef }) => callRoot(parts, name, input),
    async record(name, input: { bucket: BucketRef }) {
      if (name === 'setBucketSettings' && wantsAll(input as Input<'setBucketSettings'>))
        await bringTogetherFor(parts, input);
      return changeRecord(parts, name, input);
    },
    together: (name, input: { bucket: BucketRef }) => together(name, input),
    gather,
  };

  function together(name: keyof IndexApi, input: { readonly bucket: BucketRef }) {
    watcher?.onTogether(input.bucket.name);
    return name === 'deleteBucket'
      ? deleteSplitBucket(parts, input as Input<'deleteBucket'>)
      : callTogether(parts, name, input);
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

  return {
    knows: split.knows,
    async resolve(name, input) {
      const keys = name === 'resolve' ? [input.key] : input.keys;
      const resolved = await resolveByKey(parts, index, input.name, keys);
      if (resolved === null || name === 'resolveAll') return resolved;
      return { bucket: resolved.bucket, object: resolved.objects[0] ?? null };
    },
    call(bucket, name, input) {
      const route: Route = CALL_ROUTES[name];
      if (route === 'plain') return index.call(bucket, name, input) as Promise<unknown>;
      if (route === 'sweep')
        return (SWEEPS[name as keyof typeof SWEEPS] as Sweep)(index, input, bucket);
      return routes[route as keyof typeof routes](name, input);
    },
  };
}

/** Whether settings come to the bucket for which its keys must be in one index. */
function wantsAll({ settings }: Input<'setBucketSettings'>): boolean {
  const { quota, hasAccountQuota, notifications } = settings;
  return (quota ?? hasAccountQuota ?? notifications ?? null) !== null;
}
