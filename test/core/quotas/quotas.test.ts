// Quotas over every way in which bytes come into a bucket, and the quota of an account over buckets
// that share it: never passed, and all of it there to be used.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBucket } from '../../../src/core/buckets/change-bucket.ts';
import { deleteBucket } from '../../../src/core/buckets/delete-bucket.ts';
import { startKeyJob } from '../../../src/core/key-jobs/start-key-job.ts';
import { uploadPartCopy } from '../../../src/core/multipart/upload-part.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setAccountQuota } from '../../../src/core/quotas/account-quota.ts';
import type { StorageQuota } from '../../../src/domain/billing/quotas.ts';
import type { BucketSettings } from '../../../src/domain/bucket-settings.ts';
import { hasCode } from '../../../src/domain/errors.ts';
import type { KeyJobTask } from '../../../src/domain/keys/key-jobs.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import {
  createMemoryCore,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  sampleBytes,
} from '../memory-core.ts';
import { completeParts, copyOf, putPart, startUpload } from '../multipart-kit.ts';

const KIB = 1024;

async function reopened(core: MemoryCore, bucket: BucketHandle): Promise<BucketHandle> {
  return openBucket(core, bucket.record().name, () => undefined);
}

async function withSettings(core: MemoryCore, name: string, settings: Partial<BucketSettings>) {
  const bucket = await openTestBucket(core, name);
  await bucket.call('setBucketSettings', { settings });
  return reopened(core, bucket);
}

async function storedIn(bucket: BucketHandle): Promise<number> {
  const totals = await bucket.call('getStorageTotals', {});
  return totals.reduce((sum, of) => sum + of.currentBytes + of.noncurrentBytes + of.partBytes, 0);
}

/** Whether it was let in; what else went wrong is thrown. */
async function isLetIn(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (hasCode(error, 'QuotaExceeded')) return false;
    throw error;
  }
}

function remove(core: MemoryCore, bucket: BucketHandle, name: string) {
  const markerId = core.ports.ids.versionId();
  const target = { key: key(name), versionId: null, condition: null, markerId };
  const nowMs = core.ports.clock.nowMs();
  return bucket.call('deleteObjects', {
    targets: [target],
    bypassGovernance: false,
    ownerId: null,
    nowMs,
  });
}

const setQuota = (core: MemoryCore, bucket: BucketHandle, quota: StorageQuota | null) =>
  setAccountQuota(core, bucket.record().ownerId, quota, () => undefined);

describe('the quota of a bucket', () => {
  const quota = { bytes: 100 * KIB, objects: null };

  it('lets in of puts at once just those that fit, and keeps no bytes of the others', async () => {
    const core = createMemoryCore();
    const bucket = await withSettings(core, 'shop', { quota });
    const puts = Array.from({ length: 30 }, (_, at) =>
      isLetIn(putBytes(core, bucket, `k${at}`, sampleBytes(10 * KIB))),
    );
    expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(10);
    await core.settle();
    expect(await storedIn(bucket)).toBe(100 * KIB);
    const { blobIds } = await core.blobStore.list({ prefix: '', after: '', limit: 100 });
    expect(blobIds).toHaveLength(10);
  });

  it('refuses a body by its length before anything of it is read', async () => {
    const core = createMemoryCore();
    const bucket = await withSettings(core, 'shop', { quota });
    let isRead = false;
    const body = {
      lengthBytes: 101 * KIB,
      async pump() {
        isRead = true;
      },
    };
    expect(await isLetIn(putBytes(core, bucket, 'k', new Uint8Array(), { body }))).toBe(false);
    expect(isRead).toBe(false);
    const unknown = {
      lengthBytes: null,
      pump: (onChunk: (chunk: Uint8Array) => Promise<void> | void) =>
        onChunk(sampleBytes(101 * KIB)),
    };
    const sent = putBytes(core, bucket, 'k', new Uint8Array(), {
      body: unknown as never,
      isLengthOptional: true,
    });
    expect(await isLetIn(sent)).toBe(false);
  });

  it.each([
    ['plain', {}],
    ['stored once', { deduplication: true }],
    ['compressed', { compression: { afterDays: 1, setAtMs: 0 } }],
  ] as const)('counts what clients see, in a bucket that is %s', async (_name, settings) => {
    const core = createMemoryCore();
    const bucket = await withSettings(core, 'shop', { quota, ...settings });
    const same = new Uint8Array(40 * KIB);
    expect(await isLetIn(putBytes(core, bucket, 'a', same))).toBe(true);
    expect(await isLetIn(putBytes(core, bucket, 'b', same))).toBe(true);
    expect(await isLetIn(putBytes(core, bucket, 'c', same))).toBe(false);
  });

  it('holds for copies, parts, copied parts and their completion', async () => {
    const core = createMemoryCore();
    const bucket = await withSettings(core, 'shop', { quota });
    const source = await putBytes(core, bucket, 'a', sampleBytes(40 * KIB));
    expect(await isLetIn(copyObject(core, bucket, copyOf(source, 'b')))).toBe(true);
    expect(await isLetIn(copyObject(core, bucket, copyOf(source, 'c')))).toBe(false);
    const upload = await startUpload(core, bucket, 'd');
    const sent = (partNumber: number, bytes: number) =>
      putPart(core, bucket, upload, partNumber, sampleBytes(bytes));
    const copied = (partNumber: number, lengthBytes: number) =>
      uploadPartCopy(core, bucket, {
        ...upload,
        partNumber,
        source,
        range: { offsetBytes: 0, lengthBytes },
      });
    expect(await isLetIn(copied(1, 21 * KIB))).toBe(false);
    expect(await isLetIn(sent(1, 21 * KIB))).toBe(false);
    const part = await copied(1, 20 * KIB);
    expect(await isLetIn(sent(2, 1))).toBe(false);
    await completeParts(core, bucket, upload, [part]);
    expect(await storedIn(bucket)).toBe(100 * KIB);
  });

  it('ends a move that brings too much, and lets the trash give back what it holds', async () => {
    const core = createMemoryCore();
    const [from, to] = [
      await openTestBucket(core, 'from'),
      await withSettings(core, 'target', { quota }),
    ];
    await putBytes(core, from, 'a/big', sampleBytes(101 * KIB));
    await putBytes(core, to, 'mine', sampleBytes(60 * KIB));
    const selection = { prefix: 'a/', keys: null };
    const toBucket = to.record().name;
    const moved = await runJob(core, from, {
      kind: 'move',
      selection,
      to: 'b/',
      toBucket,
      conflict: 'refuse',
    });
    expect(moved).toMatchObject({ state: 'failed' });
    expect(moved?.failure).toContain('quota');
    expect(await storedIn(from)).toBe(101 * KIB);

    await changeBucket(
      core,
      to,
      { access: {}, settings: { versioning: 'enabled' } },
      { requestId: 'r', onChanged: () => undefined },
    );
    const trash = await reopened(core, to);
    const all = { prefix: '', keys: null };
    await runJob(core, trash, { kind: 'delete', selection: all });
    expect(await isLetIn(putBytes(core, trash, 'more', sampleBytes(50 * KIB)))).toBe(false);
    expect(await runJob(core, trash, { kind: 'restore', selection: all })).toMatchObject({
      state: 'done',
      counts: { done: 1 },
    });
    expect(await storedIn(trash)).toBe(60 * KIB);
  });
});

async function runJob(core: MemoryCore, bucket: BucketHandle, task: KeyJobTask) {
  const { ownerId: accountId } = bucket.record();
  const job = await startKeyJob(core, bucket, { task, accountId });
  await core.settle();
  return bucket.call('getKeyJob', { id: job.id });
}

describe('the quota of an account', () => {
  it('is shared by its buckets, old and new: never passed, and wholly usable', async () => {
    const core = createMemoryCore();
    const [a, b] = [await openTestBucket(core, 'aaa'), await openTestBucket(core, 'bbb')];
    await putBytes(core, a, 'before', sampleBytes(10 * KIB));
    await setQuota(core, a, { bytes: 100 * KIB, objects: null });
    const c = await openTestBucket(core, 'ccc');
    const buckets = [await reopened(core, a), await reopened(core, b), c];
    const puts = Array.from({ length: 60 }, (_, at) =>
      isLetIn(putBytes(core, buckets[at % 3] ?? a, `k${at}`, sampleBytes(3 * KIB))),
    );
    expect((await Promise.all(puts)).filter(Boolean)).toHaveLength(30);
    const stored = await Promise.all(buckets.map(storedIn));
    expect(stored.reduce((sum, bytes) => sum + bytes, 0)).toBe(100 * KIB);
  });

  it('gives to one bucket what another deleted, or had with it when it went', async () => {
    const core = createMemoryCore();
    const [a, b] = [await openTestBucket(core, 'aaa'), await openTestBucket(core, 'bbb')];
    await setQuota(core, a, { bytes: 100 * KIB, objects: 3 });
    const [first, second] = [await reopened(core, a), await reopened(core, b)];
    await putBytes(core, first, 'k', sampleBytes(90 * KIB));
    const more = () => isLetIn(putBytes(core, second, 'k', sampleBytes(50 * KIB)));
    expect(await more()).toBe(false);
    await remove(core, first, 'k');
    core.advanceSeconds(2);
    expect(await more()).toBe(true);
    for (const name of ['x', 'y'])
      expect(await isLetIn(putBytes(core, first, name, sampleBytes(1)))).toBe(true);
    expect(await isLetIn(putBytes(core, first, 'z', sampleBytes(1)))).toBe(false);
    await remove(core, second, 'k');
    await deleteBucket(core, second);
    core.advanceSeconds(2);
    expect(await isLetIn(putBytes(core, first, 'z', sampleBytes(99 * KIB)))).toBe(true);
  });

  it('keeps no grants of buckets that went, however many come and go', async () => {
    const core = createMemoryCore();
    const keeper = await openTestBucket(core, 'keeper');
    await setQuota(core, keeper, { bytes: null, objects: 1000 });
    for (let at = 0; at < 5; at++) {
      const bucket = await openTestBucket(core, `build-${at}`);
      await putBytes(core, bucket, 'k', sampleBytes(KIB));
      await remove(core, bucket, 'k');
      await deleteBucket(core, bucket);
    }
    await core.settle();
    const accountId = keeper.record().ownerId;
    const settledBeforeMs = core.ports.clock.nowMs() + 1;
    const granted = await core.ports.ledger.call('listGrants', {
      accountId,
      settledBeforeMs,
      limit: 100,
    });
    expect(granted).toEqual([keeper.record().id]);
  });

  it('is never passed, whatever its buckets do at once', async () => {
    const step = fc.record({
      bucket: fc.nat({ max: 2 }),
      name: fc.nat({ max: 4 }),
      kib: fc.integer({ min: 0, max: 40 }),
      waits: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const core = createMemoryCore();
        const made = await Promise.all(
          ['aaa', 'bbb', 'ccc'].map((name) => openTestBucket(core, name)),
        );
        await setQuota(core, made[0] as BucketHandle, { bytes: 100 * KIB, objects: null });
        const buckets = await Promise.all(made.map((bucket) => reopened(core, bucket)));
        let under: Promise<unknown>[] = [];
        for (const { bucket: at, name, kib, waits } of steps) {
          const bucket = buckets[at] as BucketHandle;
          under.push(
            kib === 0
              ? remove(core, bucket, `k${name}`)
              : isLetIn(putBytes(core, bucket, `k${name}`, sampleBytes(kib * KIB))),
          );
          if (!waits) continue;
          await Promise.all(under);
          under = [];
          core.advanceSeconds(1);
          const stored = await Promise.all(buckets.map(storedIn));
          expect(stored.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(100 * KIB);
        }
        await Promise.all(under);
        const stored = await Promise.all(buckets.map(storedIn));
        const left = 100 * KIB - stored.reduce((sum, bytes) => sum + bytes, 0);
        expect(left).toBeGreaterThanOrEqual(0);
        // All that is left is there for whoever wants it.
        core.advanceSeconds(2);
        expect(
          await isLetIn(putBytes(core, buckets[0] as BucketHandle, 'last', sampleBytes(left))),
        ).toBe(true);
      }),
      { numRuns: fuzzRuns(25) },
    );
  });

  it('is counted anew where it is lowered, removed and set again', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core, 'aaa');
    await setQuota(core, bucket, { bytes: 1000 * KIB, objects: null });
    await putBytes(core, await reopened(core, bucket), 'k', sampleBytes(50 * KIB));
    await setQuota(core, bucket, { bytes: 60 * KIB, objects: null });
    const put = async (name: string, bytes: number) =>
      isLetIn(putBytes(core, await reopened(core, bucket), name, sampleBytes(bytes)));
    expect([await put('a', 11 * KIB), await put('a', 10 * KIB)]).toEqual([false, true]);
    await setQuota(core, bucket, null);
    expect((await reopened(core, bucket)).record().settings.hasAccountQuota).toBe(null);
    expect(await put('b', 100 * KIB)).toBe(true);
    await setQuota(core, bucket, { bytes: 161 * KIB, objects: null });
    expect([await put('c', 2 * KIB), await put('c', KIB)]).toEqual([false, true]);
  });
});
