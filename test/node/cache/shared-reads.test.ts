// Reads of the index that callers share: which may join one under way, and which must not.
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryHotMetadata } from '../../../src/adapters/node/cache/memory-hot-metadata.ts';
import {
  CHANGE_COUNTERS_BYTES,
  createChangeCounters,
} from '../../../src/adapters/node/index/change-counters.ts';
import { createMemoryPointers } from '../../../src/adapters/shared/memory-pointers.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type { BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import type { KnownMetadata } from '../../../src/ports/caches/hot-metadata.ts';
import { readPolicyOf } from '../../contract/pointer-samples.ts';

const bucket = 'bucket' as BucketName;
const longer = 'bucket-longer' as BucketName;
const key = 'k' as ObjectKey;
const LIMITS = { maxEntries: 100, maxBytes: 2 ** 20, freshSeconds: null, staleSeconds: 0 };

/** `isOfThread`: another thread writes, whose counts tell of changes. */
function open(isOfThread: boolean) {
  const counters = createChangeCounters(new SharedArrayBuffer(CHANGE_COUNTERS_BYTES));
  const changes = isOfThread ? { changes: counters } : {};
  const options = { ...LIMITS, ...changes, clock: systemClock, negativeFreshSeconds: 60 };
  const pointers = createMemoryPointers(options);
  const hot = createMemoryHotMetadata(pointers, 10_000, isOfThread ? counters : null);
  const reads: PromiseWithResolvers<KnownMetadata>[] = [];
  const find = (of: BucketName = bucket) =>
    Promise.resolve(
      hot.find(of, key, () => {
        const read = Promise.withResolvers<KnownMetadata>();
        reads.push(read);
        return read.promise;
      }),
    );
  const answer = (at: number, of: BucketName = bucket) =>
    reads[at]?.resolve({ readPolicy: readPolicyOf(of), pointer: null });
  return { hot, counters, reads, find, answer };
}

it('memory of one machine is never stale: a change is fresh for everybody at once', () => {
  expect(open(false).hot.staleForMs('unknown')).toBe(0);
});

describe('a read under way', () => {
  let opened: ReturnType<typeof open>;
  beforeEach(() => {
    opened = open(false);
  });

  it('is shared by all who want the same, and kept by nobody after', async () => {
    const { hot, reads, find, answer } = opened;
    const finds = [find(), find(), find(longer)];
    expect(reads).toHaveLength(2);
    answer(0);
    answer(1, longer);
    const [one, two] = await Promise.all(finds);
    expect(two).toBe(one);
    hot.evict(bucket, [key]);
    const again = find();
    expect(reads).toHaveLength(3);
    answer(2);
    await again;
  });

  it.each<['evict' | 'block' | 'unblock', readonly ObjectKey[] | null]>([
    ['evict', [key]],
    ['evict', null],
    ['block', [key]],
    ['block', null],
    ['unblock', [key]],
    ['unblock', null],
  ])('is joined by nobody after %s of %j, in that bucket alone', async (call, keys) => {
    const { hot, reads, find, answer } = opened;
    const finds = [find(), find(longer)];
    if (call !== 'evict') hot.block(bucket, keys);
    if (call === 'unblock') hot.unblock(bucket, keys);
    if (call === 'evict') hot.evict(bucket, keys);
    finds.push(find(), find(longer));
    expect(reads).toHaveLength(3);
    answer(0);
    answer(1, longer);
    answer(2);
    await Promise.all(finds);
    if (call === 'block') hot.unblock(bucket, keys);
  });

  it('belongs to each reader alone while a write is under way', async () => {
    const { hot, reads, find, answer } = opened;
    hot.block(bucket, [key]);
    const finds = [find(), find()];
    expect(reads).toHaveLength(2);
    hot.unblock(bucket, [key]);
    finds.push(find(), find());
    expect(reads).toHaveLength(3);
    for (const at of [0, 1, 2]) answer(at);
    await Promise.all(finds);
  });

  it('leaves the newer one alone when it ends late', async () => {
    const { hot, reads, find, answer } = opened;
    const first = find();
    hot.evict(bucket, [key]);
    const second = find();
    answer(0);
    await first;
    const third = find();
    expect(reads).toHaveLength(2);
    answer(1);
    expect(await third).toBe(await second);
  });
});

describe('a read under way, where another thread writes', () => {
  it.each([
    ['the key', `${bucket}/${key}`],
    ['the bucket', bucket],
  ])('is joined by nobody once a change of %s has begun', async (_, name) => {
    const { counters, reads, find, answer } = open(true);
    const finds = [find(), find()];
    expect(reads).toHaveLength(1);
    counters.begin(name);
    finds.push(find(), find());
    expect(reads).toHaveLength(3);
    counters.end(name);
    finds.push(find(), find());
    expect(reads).toHaveLength(4);
    for (const at of reads.keys()) answer(at);
    await Promise.all(finds);
  });
});
