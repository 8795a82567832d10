// The router: an index before the index, for buckets that may be split into shards (ADR
// 53). Callers never know: it finds the owners of keys, goes on where one of them ends,
// adds up, and brings a bucket together for what needs all keys in one index. A bucket
// that was never split costs one comparison. Made by the roots of a platform.
import type { BucketName, BucketRef } from '../../domain/nouns.ts';
import { isSplit } from '../../ports/index-calls/shard-calls.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';
import type { Clock } from '../../ports/system.ts';
import type { BucketWatcher } from './growth-watcher.ts';
import { ROUTED_ALWAYS } from './routed-always.ts';
import type { ResolveInput, SplitCalls } from './split-calls.ts';

/**
 * An index over one that has all shards, each as a bucket under the name of its own.
 * `togetherMaxRows`: versions of a bucket that may be brought into one index.
 */
export function createShardRouter(
  index: MetadataIndex,
  clock: Clock,
  watcher: BucketWatcher | null = null,
  togetherMaxRows = Number.POSITIVE_INFINITY,
): MetadataIndex {
  const router: MetadataIndex = { ...index, call: (...args) => call(...args) as never };
  let split: SplitCalls | null = null;

  async function openSplit(): Promise<SplitCalls> {
    const { createSplitCalls } = await import('./split-calls.ts');
    split ??= createSplitCalls({ index, router, clock, watcher, togetherMaxRows });
    return split;
  }

  async function resolve(name: 'resolve' | 'resolveAll', input: ResolveInput) {
    const known = split?.knows(input.name) === true ? await split.resolve(name, input) : null;
    if (known !== null) return known;
    const value = await index.call(input.name, name, input);
    if (!isSplit(value.bucket)) return value;
    return (await (await openSplit()).resolve(name, input)) ?? value;
  }

  const callSplit = async (bucket: BucketName, name: keyof IndexApi, input: unknown) =>
    (await openSplit()).call(bucket, name, input as never);

  function call(
    bucket: Parameters<MetadataIndex['call']>[0],
    name: keyof IndexApi,
    input: unknown,
  ): Promise<unknown> {
    if (name === 'resolve' || name === 'resolveAll') return resolve(name, input as ResolveInput);
    if (Object.hasOwn(ROUTED_ALWAYS, name)) return callSplit(bucket, name, input);

    const { bucket: ref } = input as { readonly bucket?: BucketRef };
    const outcome = isSplit(ref)
      ? callSplit(bucket, name, input)
      : (index.call(bucket, name, input as never) as Promise<unknown>);
    if (watcher === null || ref === undefined) return outcome;
    watcher.onBegin(bucket, name, ref);
    void outcome.then(
      () => watcher.onDone(bucket, name, ref),
      () => undefined,
    );
    return outcome;
  }

  return router;
}
