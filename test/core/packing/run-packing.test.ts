// Packing as a bucket's owner meets it: what is packed, that nobody notices, what it saves, and what happens when something
// else happens meanwhile.
import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT_ACCOUNT } from '../../../src/core/auth/root-account.ts';
import { getInvoice } from '../../../src/core/billing/get-invoice.ts';
import { type BucketHandle, openBucket } from '../../../src/core/buckets/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/buckets/set-bucket-settings.ts';
import { queryUsage } from '../../../src/core/metering/query-usage.ts';
import { uploadPartCopy } from '../../../src/core/multipart/upload-part.ts';
import { parseBucketName } from '../../../src/core/names.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { openBody } from '../../../src/core/objects/read-object.ts';
import { type PackingBudget, runPacking } from '../../../src/core/packing/run-packing.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { ObjectVersion, Segment } from '../../../src/ports/domain.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { startOfHour } from '../../../src/ports/time.ts';
import { isSameBytes, patternBytes, readAll } from '../../contract/bodies.ts';
import { logBytes } from '../../contract/packed-blobs.contract.ts';
import {
  ATTRIBUTES,
  createMemoryCore,
  GRACE_SECONDS,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  readWhole,
  withPorts,
} from '../memory-core.ts';
import { completeParts, copyOf, putPart, startUpload } from '../multipart-kit.ts';

const DAY = 24 * 3600;
const LOG = logBytes(300_000);
/** The least that a part may have but the last. */
const MANY = logBytes(5 * 1024 * 1024);

let core: MemoryCore;
let bucket: BucketHandle;
beforeEach(async () => {
  core = createMemoryCore();
  bucket = await openTestBucket(core);
});

const compress = (afterDays: number | null) =>
  setBucketSettings(core, bucket, {
    compression: afterDays === null ? null : { afterDays, setAtMs: core.ports.clock.nowMs() },
  });
const put = (name: string, bytes = LOG, contentType = 'text/plain', into = bucket) =>
  putBytes(core, into, name, bytes, { attributes: { ...ATTRIBUTES, headers: { contentType } } });
const budgetOf = (changes: Partial<PackingBudget> = {}): PackingBudget => ({
  ...{ bytes: 2 ** 40, bodies: 1000, bodyMaxBytes: 2 ** 40, frameBytes: 2 ** 18, stopping: null },
  ...changes,
});
const run = (on = core, changes: Partial<PackingBudget> = {}) =>
  runPacking(on, bucket.record().name, budgetOf(changes));
async function get(name: string, versionId: ObjectVersion['versionId'] | null = null, from = bucket) {
  const found = await from.call('getVersion', { key: key(name), versionId });
  if (found?.kind !== 'object') throw new Error(`no ${name}`);
  return found.object;
}
const packingOf = ({ segments }: { readonly segments: readonly Segment[] }) => segments[0]?.packing;
const isPacked = async (name: string) => packingOf(await get(name)) !== undefined;
const saved = async () =>
  (await bucket.call('getStorageTotals', {})).reduce((sum, { compressedBytes }) => sum + compressedBytes, 0);
const spared = ({ plainBytes, storedBytes }: NonNullable<Segment['packing']>) => plainBytes - storedBytes;
async function expectBody(version: ObjectVersion, bytes = LOG) {
  expect(isSameBytes(await readWhole(core, version), bytes)).toBe(true);
}
/** Something that happens before (or in the place of) a call of the index. */
function meanwhile(method: string, happening: () => Promise<unknown>): MemoryCore {
  let isOver = false;
  const metadataIndex: MetadataIndex = {
    async call(name, called, input) {
      if (called === method && !isOver) {
        isOver = true;
        await happening();
      }
      return core.ports.metadataIndex.call(name, called, input);
    },
  };
  return withPorts(core, { metadataIndex });
}

describe('a run', () => {
  it('packs what is old and shrinks, and nothing of it changes', async () => {
    const before = await put('old.log');
    await compress(30);
    await run();
    expect(await isPacked('old.log')).toBe(false);
    core.advanceSeconds(30 * DAY);
    await put('young.log');
    await run();
    const after = await get('old.log');
    const { segments, ...facts } = after;
    expect(before).toMatchObject(facts);
    const packing = packingOf(after);
    expect(packing?.plainBytes).toBe(LOG.length);
    expect(packing?.storedBytes).toBeLessThan(LOG.length / 3);
    expect(core.blobStore.blobs.get(segments[0]?.blobId as never)?.identity.packing).toMatchObject({
      plainBytes: LOG.length,
    });
    await expectBody(after);
    for (const [offsetBytes, end] of [
      [0, 1],
      [262_100, 262_200],
      [65_535, 299_999],
      [299_999, 300_000],
    ] as const) {
      const range = { offsetBytes, lengthBytes: end - offsetBytes };
      for (const _ of ['cold', 'warm']) {
        const { body } = await openBody(core, after, range);
        const bytes = body instanceof ReadableStream ? await readAll(body) : body;
        expect(isSameBytes(bytes ?? new Uint8Array(), LOG.subarray(offsetBytes, end))).toBe(true);
      }
    }
    expect(await isPacked('young.log')).toBe(false);
    expect(await saved()).toBe(packing && spared(packing));
  });

  it('lets readers of the old blob end, then gives back its room', async () => {
    const before = await put('old.log');
    await compress(1);
    core.advanceSeconds(2 * DAY);
    await run();
    await expectBody(before);
    expect(core.blobStore.blobs.size).toBe(2);
    core.advanceSeconds(GRACE_SECONDS + 1);
    expect(await sweep(core)).toMatchObject({ deletedBlobs: 1 });
    expect(core.blobStore.blobs.size).toBe(1);
    await expectBody(await get('old.log'));
  });

  it('leaves what would not shrink, and asks it once only', async () => {
    await put('noise.bin', patternBytes(100_000));
    await put('photo.jpg', LOG, 'image/jpeg');
    await put('small.txt', LOG.subarray(0, 16_000));
    const gzipped = { ...ATTRIBUTES, headers: { contentType: 'text/plain', contentEncoding: 'gzip' } };
    await putBytes(core, bucket, 'coded', LOG, { attributes: gzipped });
    await put('middling', Uint8Array.from([...LOG.subarray(0, 65_536), ...patternBytes(900_000)]));
    await compress(1);
    core.advanceSeconds(2 * DAY);
    await run();
    for (const name of ['noise.bin', 'photo.jpg', 'small.txt', 'coded', 'middling'])
      expect(await isPacked(name)).toBe(false);
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(5);
    expect(await saved()).toBe(0);
    core.advanceSeconds(2 * DAY);
    let reads = 0;
    const { blobStore } = core.ports;
    const openRuns = (runs: readonly Segment[]) => {
      reads++;
      return blobStore.openRuns(runs);
    };
    const counting = withPorts(core, {
      blobStore: { ...blobStore, openRuns },
    });
    await run(counting);
    expect(reads).toBe(0);
    // Another word of the owner is another try.
    await compress(1);
    await run(counting);
    expect(reads).toBeGreaterThan(0);
  });

  it('leaves what shares its blob, or is encrypted', async () => {
    const source = await put('shared');
    await copyObject(core, bucket, copyOf(source, 'copy'));
    await putBytes(core, bucket, 'sealed', LOG, { encryption: { kind: 'server' } });
    await compress(1);
    core.advanceSeconds(2 * DAY);
    await run();
    for (const name of ['shared', 'copy', 'sealed']) expect(await isPacked(name)).toBe(false);
  });

  it('does not mix up what is stored once with what is packed', async () => {
    await setBucketSettings(core, bucket, { deduplication: true });
    await put('first');
    await compress(1);
    core.advanceSeconds(2 * DAY);
    await run();
    expect(await isPacked('first')).toBe(true);
    // The plain blob is still there, and found by its digest; the packed one never is.
    for (const name of ['second', 'third']) await put(name);
    for (const name of ['first', 'second', 'third']) await expectBody(await get(name));
    const [totals] = await bucket.call('getStorageTotals', {});
    const compressedBytes = spared(packingOf(await get('first')) as never);
    expect(totals).toMatchObject({ currentBytes: 900_000, deduplicatedBytes: 300_000, compressedBytes });
    // Two share it now.
    core.advanceSeconds(2 * DAY);
    await run();
    expect(await isPacked('second')).toBe(false);
    await deleteObjects(
      core,
      bucket,
      ['first', 'second', 'third'].map((name) => ({ key: key(name) })),
    );
    const [left] = await bucket.call('getStorageTotals', {});
    expect(left).toMatchObject({ currentBytes: 0, deduplicatedBytes: 0, compressedBytes: 0 });
  });

  it('goes on where its budget ended it', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await put(name);
    await compress(1);
    core.advanceSeconds(2 * DAY);
    await run(core, { bytes: 300_001 });
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(isPacked))).toEqual([true, true, false, false]);
    await run(core, { bodies: 1 });
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(isPacked))).toEqual([true, true, true, false]);
    const stopping = new AbortController();
    stopping.abort();
    await run(core, { stopping: stopping.signal });
    expect(await isPacked('d')).toBe(false);
    await run();
    expect(await isPacked('d')).toBe(true);
  });

  it('ends in the midst of a body when the server stops, and leaves nothing', async () => {
    await put('a');
    await compress(1);
    core.advanceSeconds(2 * DAY);
    const stopping = new AbortController();
    const { blobStore } = core.ports;
    const stoppingStore = {
      ...blobStore,
      write: (...args: Parameters<typeof blobStore.write>) => {
        stopping.abort();
        return blobStore.write(...args);
      },
    };
    await run(withPorts(core, { blobStore: stoppingStore }), { stopping: stopping.signal });
    expect(await isPacked('a')).toBe(false);
    expect(core.blobStore.blobs.size).toBe(1);
    await run();
    expect(await isPacked('a')).toBe(true);
  });

  it('packs versions that are not current, and bodies of several parts as one', async () => {
    await setBucketSettings(core, bucket, { versioning: 'enabled' });
    const first = await put('log');
    await put('log', logBytes(200_000));
    const upload = await startUpload(core, bucket, 'joined');
    const parts = [await putPart(core, bucket, upload, 1, MANY), await putPart(core, bucket, upload, 2, LOG)];
    await completeParts(core, bucket, upload, parts);
    await compress(1);
    core.advanceSeconds(2 * DAY);
    await run();
    expect(packingOf(await get('log', first.versionId))?.plainBytes).toBe(300_000);
    expect(packingOf(await get('log'))?.plainBytes).toBe(200_000);
    await expectBody(await get('log', first.versionId));
    const joined = await get('joined');
    expect(joined.segments).toHaveLength(1);
    expect(joined.parts).toMatchObject([{ sizeBytes: MANY.length }, { sizeBytes: LOG.length }]);
    await expectBody(joined, Uint8Array.from([...MANY, ...LOG]));
  });

  it('looks again at what failed, which keeps no other from its turn, and gives up in the end', async () => {
    const broken = await put('broken');
    core.advanceSeconds(60);
    await put('noise', patternBytes(50_000));
    await compress(1);
    core.advanceSeconds(2 * DAY);
    const { blobStore } = core.ports;
    let tries = 0;
    let isMended = false;
    const openRuns = (runs: readonly Segment[]) => {
      if (runs[0]?.blobId !== broken.segments[0]?.blobId || isMended) return blobStore.openRuns(runs);
      tries += 1;
      return Promise.reject(new Error('a disk'));
    };
    const failing = withPorts(core, { blobStore: { ...blobStore, openRuns } });
    for (let day = 0; day < 8; day++) {
      await put(`z${day}`);
      core.advanceSeconds(2 * DAY);
      await run(failing);
      expect(await isPacked(`z${day}`)).toBe(true);
    }
    expect(tries).toBe(4);
    isMended = true;
    await run(failing);
    expect(await isPacked('broken')).toBe(false);
    await compress(1);
    await run(failing);
    expect(await isPacked('broken')).toBe(true);
  });

  it('that failed once is mended by the next', async () => {
    const broken = await put('broken');
    await compress(1);
    core.advanceSeconds(2 * DAY);
    const { blobStore } = core.ports;
    const openRuns = () => Promise.reject(new Error('a disk'));
    await run(withPorts(core, { blobStore: { ...blobStore, openRuns } }));
    expect(packingOf(broken)).toBeUndefined();
    core.advanceSeconds(DAY);
    await run();
    expect(await isPacked('broken')).toBe(true);
  });

  it('exchanges no body whose bytes are not those of its entity tag', async () => {
    const { segments } = await put('rotten');
    await compress(1);
    core.advanceSeconds(2 * DAY);
    const stored = core.blobStore.blobs.get(segments[0]?.blobId as never);
    if (stored !== undefined) stored.bytes[1000] = (stored.bytes[1000] ?? 0) ^ 1;
    await run();
    await core.settle();
    expect(await isPacked('rotten')).toBe(false);
    expect(core.blobStore.blobs.size).toBe(1);
  });
});

describe('what is packed', () => {
  beforeEach(async () => {
    await put('old.log');
    await compress(1);
    core.advanceSeconds(2 * DAY);
    await run();
  });

  it('is shared by copies, also of ranges and in other buckets, and each tells what it saves', async () => {
    const source = await get('old.log');
    const one = spared(packingOf(source) as never);
    const other = await openTestBucket(core, 'other-bucket');
    for (const into of [bucket, other]) {
      await copyObject(core, into, copyOf(source, 'copy'));
      await expectBody(await get('copy', null, into));
    }
    expect(await saved()).toBe(2 * one);
    const upload = await startUpload(core, bucket, 'cut');
    const range = { offsetBytes: 100_000, lengthBytes: 150_000 };
    const part = await uploadPartCopy(core, bucket, { ...upload, partNumber: 1, source, range });
    expect(await saved()).toBe(2 * one + Math.floor(one / 2));
    await completeParts(core, bucket, upload, [part]);
    await expectBody(await get('cut'), LOG.subarray(100_000, 250_000));
    expect(await saved()).toBe(2 * one + Math.floor(one / 2));
    expect(core.blobStore.blobs.size).toBe(2);
    await deleteObjects(
      core,
      bucket,
      ['old.log', 'copy', 'cut'].map((name) => ({ key: key(name) })),
    );
    expect(await saved()).toBe(0);
  });

  it('keeps its saving through versions, classes and promotions', async () => {
    const one = await saved();
    expect(one).toBeGreaterThan(0);
    await setBucketSettings(core, bucket, { versioning: 'enabled' });
    const { versionId: first } = await get('old.log');
    const second = await put('old.log', patternBytes(20_000));
    expect(await saved()).toBe(one);
    const nowMs = core.ports.clock.nowMs();
    const action = { kind: 'transition', key: key('old.log'), versionId: first, storageClass: 'STANDARD_IA' } as const;
    await bucket.call('applyLifecycle', { actions: [action], run: { setAtMs: 0, startedAtMs: 0, place: null }, nowMs });
    const totals = await bucket.call('getStorageTotals', {});
    expect(totals.map(({ storageClass, compressedBytes }) => [storageClass, compressedBytes])).toEqual([
      ['STANDARD', 0],
      ['STANDARD_IA', one],
    ]);
    await deleteObjects(core, bucket, [{ key: key('old.log'), versionId: second.versionId }]);
    expect((await get('old.log')).versionId).toBe(first);
    expect(await saved()).toBe(one);
    await deleteObjects(core, bucket, [{ key: key('old.log'), versionId: first }]);
    expect(await saved()).toBe(0);
  });

  it('stands on the bill, exact to the millisecond', async () => {
    const one = await saved();
    const packedAtMs = core.ports.clock.nowMs();
    core.advanceSeconds(10 * 3600 + 1234);
    await sweep(core, { packing: { bytes: 0, bodies: 0, bodyMaxBytes: 1, frameBytes: 2 ** 18 } });
    const account = { ...ROOT_ACCOUNT };
    const [fromMs, toMs] = [0, startOfHour(core.ports.clock.nowMs())];
    const sums = await queryUsage(core, { accountId: account.id, fromMs, toMs, groupBy: [] });
    const quantity = sums.find(({ meter }) => meter === 'compressed/STANDARD')?.quantity;
    expect(quantity).toBe(BigInt(one) * BigInt(toMs - packedAtMs));
    const document = await getInvoice(core, account, { year: 2026, month: 11 });
    const line = document?.invoice.lines.find(({ saving }) => saving === 'compressed');
    expect(line).toMatchObject({ label: 'Storage, Standard, saved by compression', meters: ['compressed/STANDARD'] });
  });

  it('is an error when it is damaged', async () => {
    const { segments, ...version } = await get('old.log');
    const stored = core.blobStore.blobs.get(segments[0]?.blobId as never);
    if (stored !== undefined) stored.bytes[1000] = (stored.bytes[1000] ?? 0) ^ 1;
    const body = { ...version, segments } as ObjectVersion;
    await expect(readWhole(core, body)).rejects.toMatchObject({ code: 'InternalError' });
  });
});

describe('between reading and exchanging', () => {
  beforeEach(async () => {
    await put('log');
    await compress(1);
    core.advanceSeconds(2 * DAY);
  });
  const blobsAfter = async () => {
    await core.settle();
    return core.blobStore.blobs.size;
  };

  it('an object that was written anew stays as it is', async () => {
    const next = logBytes(200_000);
    await run(meanwhile('exchangeBody', () => put('log', next)));
    expect(await isPacked('log')).toBe(false);
    await expectBody(await get('log'), next);
    expect(await saved()).toBe(0);
    expect(await blobsAfter()).toBe(2);
  });

  it('a deleted one stays deleted', async () => {
    await run(meanwhile('exchangeBody', () => deleteObjects(core, bucket, [{ key: key('log') }])));
    expect(await bucket.call('getVersion', { key: key('log'), versionId: null })).toBeNull();
    expect(await saved()).toBe(0);
    expect(await blobsAfter()).toBe(1);
  });

  it('one that was copied shares its blob and is left', async () => {
    const copy = async () => copyObject(core, bucket, copyOf(await get('log'), 'copy'));
    await run(meanwhile('exchangeBody', copy));
    expect(await isPacked('log')).toBe(false);
    expect(await isPacked('copy')).toBe(false);
    expect(await blobsAfter()).toBe(1);
  });

  it('a copy that was decided before comes all the same', async () => {
    const source = await get('log');
    await run();
    await copyObject(core, bucket, copyOf(source, 'late'));
    core.advanceSeconds(GRACE_SECONDS + 1);
    await sweep(core);
    await expectBody(await get('late'));
    await expectBody(await get('log'));
  });

  it('a setting that was taken away ends the run', async () => {
    await run(meanwhile('exchangeBody', () => compress(null)));
    expect(await isPacked('log')).toBe(false);
    expect(await blobsAfter()).toBe(1);
    bucket = await openBucket(core, parseBucketName('test-bucket'), () => undefined);
    await run();
    expect(await isPacked('log')).toBe(false);
  });

  it('a failure of the index leaves a blob for the sweeper, whether or not it landed', async () => {
    for (const landsBefore of [false, true]) {
      const metadataIndex: MetadataIndex = {
        async call(name, method, input) {
          if (method !== 'exchangeBody') return core.ports.metadataIndex.call(name, method, input);
          if (landsBefore) await core.ports.metadataIndex.call(name, method, input);
          throw new Error('power cut');
        },
      };
      await run(withPorts(core, { metadataIndex }));
      expect(await isPacked('log')).toBe(landsBefore);
      await expectBody(await get('log'));
      core.advanceSeconds(GRACE_SECONDS + DAY);
      await sweep(core, { packing: { bytes: 0, bodies: 0, bodyMaxBytes: 1, frameBytes: 2 ** 18 } });
      expect(core.blobStore.blobs.size).toBe(1);
      await expectBody(await get('log'));
    }
  });
});
