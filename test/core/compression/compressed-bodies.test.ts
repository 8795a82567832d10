// Compressed bodies: their copies, classes, bills and damage; and the races between reading a body
// and exchanging it.
import { beforeEach, describe, expect, it } from 'vitest';
import { getInvoice } from '../../../src/core/billing/invoices/get-invoice.ts';
import { queryUsage } from '../../../src/core/metering/query-usage.ts';
import { uploadPartCopy } from '../../../src/core/multipart/upload-part.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { ObjectVersion } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { startOfHour } from '../../../src/domain/time.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { patternBytes } from '../../contract/bodies.ts';
import { logBytes } from '../../contract/index/compressed-blobs.contract.ts';
import { GRACE_SECONDS, key, openTestBucket, readWhole, withPorts } from '../memory-core.ts';
import { completeParts, copyOf, startUpload } from '../multipart-kit.ts';
import { compressionOf, DAY, LOG, spared, useCompression } from './compression-kit.ts';

const {
  core,
  bucket,
  compress,
  put,
  run,
  get,
  isCompressed,
  saved,
  expectBody,
  meanwhile,
  reopen,
} = useCompression();

describe('a compressed body', () => {
  beforeEach(async () => {
    await put('old.log');
    await compress(1);
    core().advanceSeconds(2 * DAY);
    await run();
  });

  it('is shared by copies, also of ranges and in other buckets, each with its saving', async () => {
    const source = await get('old.log');
    const one = spared(compressionOf(source) as never);
    const other = await openTestBucket(core(), 'other-bucket');
    for (const into of [bucket(), other]) {
      await copyObject(core(), into, copyOf(source, 'copy'));
      await expectBody(await get('copy', null, into));
    }
    expect(await saved()).toBe(2 * one);
    const upload = await startUpload(core(), bucket(), 'cut');
    const range = { offsetBytes: 100_000, lengthBytes: 150_000 };
    const part = await uploadPartCopy(core(), bucket(), {
      ...upload,
      partNumber: 1,
      source,
      range,
    });
    expect(await saved()).toBe(2 * one + Math.floor(one / 2));
    await completeParts(core(), bucket(), upload, [part]);
    await expectBody(await get('cut'), LOG.subarray(100_000, 250_000));
    expect(await saved()).toBe(2 * one + Math.floor(one / 2));
    expect(core().blobStore.blobs.size).toBe(2);
    await deleteObjects(
      core(),
      bucket(),
      ['old.log', 'copy', 'cut'].map((name) => ({ key: key(name) })),
    );
    expect(await saved()).toBe(0);
  });

  it('keeps its saving through versions, classes and promotions', async () => {
    const one = await saved();
    expect(one).toBeGreaterThan(0);
    await setBucketSettings(core(), bucket(), { versioning: 'enabled' });
    const { versionId: first } = await get('old.log');
    const second = await put('old.log', patternBytes(20_000));
    expect(await saved()).toBe(one);
    const nowMs = core().ports.clock.nowMs();
    const action = {
      kind: 'transition',
      key: key('old.log'),
      versionId: first,
      storageClass: 'STANDARD_IA',
    } as const;
    await bucket().call('applyLifecycle', {
      actions: [action],
      run: { setAtMs: 0, startedAtMs: 0, place: null },
      nowMs,
    });
    const totals = await bucket().call('getStorageTotals', {});
    expect(
      totals.map(({ storageClass, compressedBytes }) => [storageClass, compressedBytes]),
    ).toEqual([
      ['STANDARD', 0],
      ['STANDARD_IA', one],
    ]);
    await deleteObjects(core(), bucket(), [{ key: key('old.log'), versionId: second.versionId }]);
    expect((await get('old.log')).versionId).toBe(first);
    expect(await saved()).toBe(one);
    await deleteObjects(core(), bucket(), [{ key: key('old.log'), versionId: first }]);
    expect(await saved()).toBe(0);
  });

  it('stands on the bill, exact to the millisecond', async () => {
    const one = await saved();
    const packedAtMs = core().ports.clock.nowMs();
    core().advanceSeconds(10 * 3600 + 1234);
    await sweep(core(), {
      compression: { bytes: 0, bodies: 0, bodyMaxBytes: 1, frameBytes: 2 ** 18 },
    });
    const account = { ...ROOT_ACCOUNT };
    const [fromMs, toMs] = [0, startOfHour(core().ports.clock.nowMs())];
    const sums = await queryUsage(core(), { accountId: account.id, fromMs, toMs, groupBy: [] });
    const quantity = sums.find(({ meter }) => meter === 'compressed/STANDARD')?.quantity;
    expect(quantity).toBe(BigInt(one) * BigInt(toMs - packedAtMs));
    const document = await getInvoice(core(), account, { year: 2026, month: 11 });
    const line = document?.invoice.lines.find(({ saving }) => saving === 'compressed');
    expect(line).toMatchObject({
      label: 'Storage, Standard, saved by compression',
      meters: ['compressed/STANDARD'],
    });
  });

  it('is an error when it is damaged', async () => {
    const { segments, ...version } = await get('old.log');
    const stored = core().blobStore.blobs.get(segments[0]?.blobId as never);
    if (stored !== undefined) stored.bytes[1000] = (stored.bytes[1000] ?? 0) ^ 1;
    const body = { ...version, segments } as ObjectVersion;
    await expect(readWhole(core(), body)).rejects.toMatchObject({ code: 'ObjectDamaged' });
  });
});

describe('between reading and exchanging', () => {
  beforeEach(async () => {
    await put('log');
    await compress(1);
    core().advanceSeconds(2 * DAY);
  });
  const blobsAfter = async () => {
    await core().settle();
    return core().blobStore.blobs.size;
  };

  it('an object that was written anew stays as it is', async () => {
    const next = logBytes(200_000);
    await run(meanwhile('exchangeBody', () => put('log', next)));
    expect(await isCompressed('log')).toBe(false);
    await expectBody(await get('log'), next);
    expect(await saved()).toBe(0);
    expect(await blobsAfter()).toBe(2);
  });

  it('a deleted one stays deleted', async () => {
    await run(
      meanwhile('exchangeBody', () => deleteObjects(core(), bucket(), [{ key: key('log') }])),
    );
    expect(await bucket().call('getVersion', { key: key('log'), versionId: null })).toBeNull();
    expect(await saved()).toBe(0);
    expect(await blobsAfter()).toBe(1);
  });

  it('one that was copied shares its blob and is left', async () => {
    const copy = async () => copyObject(core(), bucket(), copyOf(await get('log'), 'copy'));
    await run(meanwhile('exchangeBody', copy));
    expect(await isCompressed('log')).toBe(false);
    expect(await isCompressed('copy')).toBe(false);
    expect(await blobsAfter()).toBe(1);
  });

  it('a copy that was decided before comes all the same', async () => {
    const source = await get('log');
    await run();
    await copyObject(core(), bucket(), copyOf(source, 'late'));
    core().advanceSeconds(GRACE_SECONDS + 1);
    await sweep(core());
    await expectBody(await get('late'));
    await expectBody(await get('log'));
  });

  it('a setting that was taken away ends the run', async () => {
    await run(meanwhile('exchangeBody', () => compress(null)));
    expect(await isCompressed('log')).toBe(false);
    expect(await blobsAfter()).toBe(1);
    await reopen();
    await run();
    expect(await isCompressed('log')).toBe(false);
  });

  it('a failure of the index leaves a blob for the sweeper, whether or not it landed', async () => {
    for (const landsBefore of [false, true]) {
      const metadataIndex: MetadataIndex = {
        async call(name, method, input) {
          if (method !== 'exchangeBody')
            return core().ports.metadataIndex.call(name, method, input);
          if (landsBefore) await core().ports.metadataIndex.call(name, method, input);
          throw new Error('power cut');
        },
      };
      await run(withPorts(core(), { metadataIndex }));
      expect(await isCompressed('log')).toBe(landsBefore);
      await expectBody(await get('log'));
      core().advanceSeconds(GRACE_SECONDS + DAY);
      await sweep(core(), {
        compression: { bytes: 0, bodies: 0, bodyMaxBytes: 1, frameBytes: 2 ** 18 },
      });
      expect(core().blobStore.blobs.size).toBe(1);
      await expectBody(await get('log'));
    }
  });
});
