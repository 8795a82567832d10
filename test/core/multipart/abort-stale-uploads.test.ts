// Stale multipart uploads, which the sweep aborts.
import { beforeEach, describe, expect, it } from 'vitest';
import { invoiceCsv } from '../../../src/core/billing/exports/invoice-csv.ts';
import { getInvoice } from '../../../src/core/billing/invoices/get-invoice.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { LifecycleRule } from '../../../src/domain/lifecycle.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { rule } from '../lifecycle/samples.ts';
import { createMemoryCore, type MemoryCore, openTestBucket, sampleBytes } from '../memory-core.ts';
import { putPart, startUpload, type UploadAddress } from '../multipart-kit.ts';

const HOUR = 3600;

let core: MemoryCore;
let bucket: BucketHandle;
beforeEach(async () => {
  core = createMemoryCore();
  bucket = await openTestBucket(core);
});

const begin = (name: string) => startUpload(core, bucket, name);
const addPart = (upload: UploadAddress, partNumber: number, bytes = 100) =>
  putPart(core, bucket, upload, partNumber, sampleBytes(bytes));
const left = async () => {
  const input = { prefix: '', delimiter: '', afterKey: '', afterUploadId: '', maxUploads: 1000 };
  return (await bucket.call('listUploads', input)).uploads.map((upload) => upload.key);
};
const setRules = (...rules: LifecycleRule[]) =>
  setBucketSettings(core, bucket, {
    lifecycle: {
      rules,
      transitionMinimum: 'all_storage_classes_128K',
      setAtMs: core.ports.clock.nowMs(),
    },
  });

describe('an unfinished upload', () => {
  it('is aborted a day after its last part, and its bytes go after the grace', async () => {
    const upload = await begin('a');
    core.advanceSeconds(23 * HOUR);
    await addPart(upload, 1);
    core.advanceSeconds(24 * HOUR - 1);
    await sweep(core);
    expect(await left()).toEqual(['a']);
    core.advanceSeconds(1);
    await sweep(core);
    expect(await left()).toEqual([]);
    await expect(addPart(upload, 2)).rejects.toMatchObject({ code: 'NoSuchUpload' });
    core.advanceSeconds(2 * HOUR);
    await sweep(core);
    expect(core.blobStore.blobs.size).toBe(0);
  });

  it('is never given up while parts go on coming, nor where the setting is 0', async () => {
    const upload = await begin('a');
    for (let day = 1; day <= 5; day += 1) {
      core.advanceSeconds(23 * HOUR);
      await addPart(upload, day);
      await sweep(core);
    }
    expect(await left()).toEqual(['a']);
    core.advanceSeconds(100 * 24 * HOUR);
    await sweep({ ...core, settings: { ...core.settings, staleUploadHours: 0 } });
    expect(await left()).toEqual(['a']);
  });

  it('is left to a rule of the bucket where there is one for its key, and only there', async () => {
    const abortUploadsAfterDays = 7;
    await setRules(
      { ...rule({ filter: { prefix: 'slow/' } }), abortUploadsAfterDays },
      { ...rule({ id: 'off', isEnabled: false }), abortUploadsAfterDays },
    );
    await begin('slow/a');
    await begin('b');
    core.advanceSeconds(25 * HOUR);
    await sweep(core);
    expect(await left()).toEqual(['slow/a']);
    core.advanceSeconds(8 * 24 * HOUR);
    await sweep(core);
    expect(await left()).toEqual([]);
  });

  it('stands on the bill once it is given up: how many, how many bytes, no price', async () => {
    await addPart(await begin('a'), 1);
    await addPart(await begin('b'), 1, 250);
    core.advanceSeconds(24 * HOUR);
    await sweep(core);
    core.advanceSeconds(2 * HOUR);
    for (const _ of [1, 2]) await sweep(core);
    const bill = await getInvoice(core, ROOT_ACCOUNT, { year: 2026, month: 11 });
    if (bill === null) throw new Error('no bill');
    expect(bill.invoice.unpriced).toEqual(
      new Map([
        ['free/stale-upload-bytes', 350n],
        ['free/stale-uploads', 2n],
      ]),
    );
    // 350 bytes for a day: the parts are paid for until then, and not any longer.
    expect(bill.usage.get('storage/STANDARD')).toBe(350n * 24n);
    const csv = invoiceCsv(bill);
    expect(csv).toContain(',unpriced,Unfinished uploads given up,2,uploads,0,0.000000,USD\r\n');
    expect(csv).toContain(
      ',unpriced,Storage that giving them up freed,350,bytes,0,0.000000,USD\r\n',
    );
  });
});
