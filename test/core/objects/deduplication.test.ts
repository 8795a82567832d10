// Equal bytes of a bucket stored once, with a whole core: what is left in the store after each way
// in, and after each way to die; and the bill of it.
import { describe, expect, it } from 'vitest';
import { forecastMonth } from '../../../src/core/billing/invoices/forecast-month.ts';
import { getInvoice } from '../../../src/core/billing/invoices/get-invoice.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import type { PutObjectInput } from '../../../src/core/objects/put-object.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { sha256Hex } from '../../../src/crypto/hash.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import type { BlobStore } from '../../../src/ports/blob-store.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import {
  ATTRIBUTES,
  bodyOf,
  createMemoryCore,
  GRACE_SECONDS,
  INLINE_MAX_BYTES,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  readWhole,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';
import { copyOf, putPart, startUpload } from '../multipart-kit.ts';

const SIZE = 100;

async function openSharing(core: MemoryCore, name = 'test-bucket'): Promise<BucketHandle> {
  const bucket = await openTestBucket(core, name);
  const { settings } = bucket.record();
  if (settings.deduplication !== true)
    await setBucketSettings(core, bucket, { deduplication: true });
  return openBucket(core, bucket.record().name, () => undefined);
}

const put = (
  core: MemoryCore,
  bucket: BucketHandle,
  name: string,
  change: Partial<PutObjectInput> = {},
) => putBytes(core, bucket, name, sampleBytes(SIZE), change);
const totals = async (bucket: BucketHandle) => {
  const [of] = await bucket.call('getStorageTotals', {});
  return { bytes: of?.currentBytes, saved: of?.deduplicatedBytes };
};
const stored = async (core: MemoryCore) => {
  await core.settle();
  return core.blobStore.blobs.size;
};
const pastGrace = (core: MemoryCore) => core.advanceSeconds(GRACE_SECONDS + 1);

/** An index that does a call, or not, and does not say. */
const silent = (core: MemoryCore, does: boolean): MemoryCore =>
  withPorts(core, {
    metadataIndex: {
      call: (async (name: never, call: keyof IndexApi, input: never) => {
        if (call !== 'commitObject') return core.ports.metadataIndex.call(name, call, input);
        if (does) await core.ports.metadataIndex.call(name, call, input);
        throw new StorageError('InternalError');
      }) as typeof core.ports.metadataIndex.call,
    },
  });

describe('a bucket with deduplication', () => {
  it('keeps one blob of equal uploads, until the last of them is gone', async () => {
    const core = createMemoryCore();
    const bucket = await openSharing(core);
    const first = await put(core, bucket, 'a');
    const second = await put(core, bucket, 'b');
    expect(second.segments).toEqual(first.segments);
    expect([await stored(core), await totals(bucket)]).toEqual([
      1,
      { bytes: 2 * SIZE, saved: SIZE },
    ]);
    await deleteObjects(core, bucket, [{ key: key('a') }]);
    pastGrace(core);
    await sweep(core);
    expect(await readWhole(core, await getObject(bucket, key('b')))).toEqual(sampleBytes(SIZE));
    expect([await stored(core), await totals(bucket)]).toEqual([1, { bytes: SIZE, saved: 0 }]);
    await deleteObjects(core, bucket, [{ key: key('b') }]);
    pastGrace(core);
    await sweep(core);
    expect(await stored(core)).toBe(0);
  });

  it('keeps one of two that come at once', async () => {
    const core = createMemoryCore();
    const bucket = await openSharing(core);
    await Promise.all(['a', 'b', 'c', 'a'].map((name) => put(core, bucket, name)));
    expect([await stored(core), await totals(bucket)]).toEqual([
      1,
      { bytes: 3 * SIZE, saved: 2 * SIZE },
    ]);
  });

  it('keeps one of equal parts, and of a copy that had to be written anew', async () => {
    const core = createMemoryCore();
    const bucket = await openSharing(core);
    const upload = await startUpload(core, bucket, 'big');
    const parts = [];
    for (const partNumber of [1, 2])
      parts.push(await putPart(core, bucket, upload, partNumber, sampleBytes(SIZE)));
    expect(await stored(core)).toBe(1);
    await bucket.call('completeUpload', {
      ...{ ...upload, condition: null },
      parts: parts.map(({ partNumber, md5 }) => ({ partNumber, md5 })),
      object: {
        ...{
          versionId: core.ports.ids.versionId(),
          etag: 'e-2',
          lastModifiedMs: core.ports.clock.nowMs(),
        },
        ...{
          checksum: null,
          parts: parts.map(({ partNumber }) => ({ partNumber, sizeBytes: SIZE, checksum: null })),
        },
      },
    });
    expect(await totals(bucket)).toEqual({ bytes: 2 * SIZE, saved: SIZE });
    const twice = [...sampleBytes(SIZE), ...sampleBytes(SIZE)];
    expect([...(await readWhole(core, await getObject(bucket, key('big'))))]).toEqual(twice);

    const encrypted = await put(core, bucket, 'encrypted', { encryption: { kind: 'server' } });
    expect(await stored(core)).toBe(2);
    await copyObject(core, bucket, { ...copyOf(encrypted, 'plain'), encryption: null });
    expect(await stored(core)).toBe(2);
    expect(await readWhole(core, await getObject(bucket, key('plain')))).toEqual(sampleBytes(SIZE));
  });

  it('takes a SHA-256 that the request proves, in either spelling, for its own', async () => {
    const core = createMemoryCore();
    const bucket = await openSharing(core);
    const bytes = sampleBytes(SIZE);
    await put(core, bucket, 'a');
    await put(core, bucket, 'b', { body: { ...bodyOf(bytes), provenSha256Hex: sha256Hex(bytes) } });
    const checksum = { algorithm: 'SHA256' as const, expected: () => null };
    const c = await put(core, bucket, 'c', { expectation: { contentMd5Hex: null, checksum } });
    expect(c.checksum?.value).toBe(Uint8Array.fromHex(sha256Hex(bytes)).toBase64());
    expect([await stored(core), await totals(bucket)]).toEqual([
      1,
      { bytes: 3 * SIZE, saved: 2 * SIZE },
    ]);
  });

  it('shares no encrypted or inline bytes, nor across classes, buckets or times', async () => {
    const core = createMemoryCore();
    const plain = await openTestBucket(core);
    await put(core, plain, 'before');
    const bucket = await openSharing(core);
    await put(core, bucket, 'a');
    expect(await stored(core)).toBe(2);
    for (const name of ['s', 't'])
      await put(core, bucket, name, { encryption: { kind: 'server' } });
    expect(await stored(core)).toBe(4);
    await put(core, bucket, 'cold', { attributes: { ...ATTRIBUTES, storageClass: 'STANDARD_IA' } });
    await put(core, await openSharing(core, 'other-bucket'), 'a');
    for (const name of ['x', 'y'])
      await put(core, bucket, name, { body: bodyOf(sampleBytes(INLINE_MAX_BYTES)) });
    expect([await stored(core), (await totals(bucket)).saved]).toEqual([6, 0]);
    await setBucketSettings(core, bucket, { deduplication: null });
    await put(core, await openBucket(core, bucket.record().name, () => undefined), 'off');
    expect(await stored(core)).toBe(7);
  });
});

describe('a write of equal bytes that dies', () => {
  it('before or after its commit leaves one blob, which the sweeper deletes', async () => {
    for (const does of [true, false]) {
      const core = createMemoryCore();
      const bucket = await openSharing(core);
      await put(core, bucket, 'a');
      const dying = silent(core, does);
      await expect(put(dying, await openSharing(dying), 'b')).rejects.toThrow();
      expect(await stored(core)).toBe(2);
      pastGrace(core);
      expect((await sweep(core)).deletedBlobs).toBe(1);
      expect(await stored(core)).toBe(1);
      const left = does ? 'b' : 'a';
      expect(await readWhole(core, await getObject(bucket, key(left)))).toEqual(sampleBytes(SIZE));
    }
  });

  it('whose blob can not be deleted at once leaves it to the sweeper too', async () => {
    const core = createMemoryCore();
    await put(core, await openSharing(core), 'a');
    const blobStore: BlobStore = {
      ...core.ports.blobStore,
      delete: () => Promise.reject(new StorageError('InternalError')),
    };
    const failing = withPorts(core, { blobStore });
    await put(failing, await openSharing(failing), 'b');
    expect(await stored(core)).toBe(2);
    pastGrace(core);
    expect((await sweep(core)).deletedBlobs).toBe(1);
  });

  it('finds no blob that the sweeper is about to delete', async () => {
    const core = createMemoryCore();
    const bucket = await openSharing(core);
    await put(core, bucket, 'a');
    await deleteObjects(core, bucket, [{ key: key('a') }]);
    pastGrace(core);
    // The write comes between the condemnation and the deletion.
    const blobStore: BlobStore = {
      ...core.ports.blobStore,
      async delete(blobIds) {
        await put(core, bucket, 'b');
        return core.ports.blobStore.delete(blobIds);
      },
    };
    expect((await sweep(withPorts(core, { blobStore }))).deletedBlobs).toBe(1);
    expect(await readWhole(core, await getObject(bucket, key('b')))).toEqual(sampleBytes(SIZE));
    expect(await stored(core)).toBe(1);
  });
});

describe('the bill of equal bytes', () => {
  it('has a line for what deduplication saves', async () => {
    const core = createMemoryCore();
    const bucket = await openSharing(core);
    for (const name of ['a', 'b', 'c']) await put(core, bucket, name);
    core.advanceSeconds(10 * 3600);
    await sweep(core);
    const invoice = await getInvoice(core, ROOT_ACCOUNT, { year: 2026, month: 11 });
    expect(Object.fromEntries(invoice?.usage ?? [])).toMatchObject({
      'storage/STANDARD': BigInt(3 * SIZE * 10),
      'deduplicated/STANDARD': BigInt(2 * SIZE * 10),
    });
    expect(invoice?.invoice.lines.map(({ saving }) => saving)).toContain('deduplicated');
    const { atEnd } = await forecastMonth(core, ROOT_ACCOUNT);
    expect(atEnd.usage.get('deduplicated/STANDARD')).toBe(BigInt(2 * SIZE * 24 * 11));
  });
});
