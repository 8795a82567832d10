// An account that is deleted: its last bills, its webhooks, and deletions that die in the middle.
import { beforeEach, describe, expect, it } from 'vitest';
import { deleteAccount } from '../../../src/core/accounts/delete-account.ts';
import { createAccount } from '../../../src/core/accounts/members.ts';
import { closeMonths } from '../../../src/core/billing/invoices/close-months.ts';
import { getInvoice } from '../../../src/core/billing/invoices/get-invoice.ts';
import { setAccountCard } from '../../../src/core/billing/prices/account-card.ts';
import { createBucket } from '../../../src/core/buckets/create-bucket.ts';
import { deleteBucket } from '../../../src/core/buckets/delete-bucket.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { createWebhook, listWebhooks } from '../../../src/core/outbox/webhooks.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import type { AccountRecord } from '../../../src/domain/account-records.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import type { BucketId } from '../../../src/domain/nouns.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import type { Directory, DirectoryApi } from '../../../src/ports/directory.ts';
import { accountQueueId } from '../../../src/ports/outbox.ts';
import {
  createMemoryCore,
  key,
  type MemoryCore,
  putBytes,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';

const NOVEMBER = { year: 2026, month: 11 };
const OCTOBER = { year: 2026, month: 10 };

let core: MemoryCore;
let ann: AccountRecord;
let bucket: BucketHandle;
beforeEach(async () => {
  core = createMemoryCore();
  ann = await createAccount(core, 'Ann');
  await createBucket(core, ann, parseBucketName('ann-bucket'), PRIVATE_ACCESS);
  bucket = await openBucket(core, parseBucketName('ann-bucket'), () => undefined);
});

/** The requests of a bucket's owner as the meter brings them. */
const record = (atMs: number, quantity: bigint, sequence: number) => {
  const row = {
    hourMs: atMs - (atMs % HOUR_MS),
    bucketId: bucket.record().id as BucketId,
    accessKeyId: null,
  };
  const rows = [{ ...row, meter: 'class-a/STANDARD' as const, quantity }];
  const batches = [{ source: 'test', sequence, rows }];
  return core.ports.ledger.call('record', { accountId: ann.id, batches, nowMs: atMs });
};

async function useAndEmpty(): Promise<void> {
  await record(core.ports.clock.nowMs(), 3_000_000n, 1);
  await putBytes(core, bucket, 'a', sampleBytes(1000));
  core.advanceSeconds(5400);
  await deleteObjects(core, bucket, [{ key: key('a') }]);
  await deleteBucket(core, bucket);
}

/** The core whose process dies where it makes that call for the nth time. */
function dyingAt(name: keyof DirectoryApi, nth: number): MemoryCore {
  const { directory } = core.ports;
  let calls = 0;
  const call: Directory['call'] = (called, input) =>
    called === name && ++calls === nth
      ? Promise.reject(new Error('died'))
      : directory.call(called, input);
  return withPorts(core, { directory: { ...directory, call } });
}

describe('an account that is deleted', () => {
  it('gets its last bill at once, with what its buckets stored to the last moment', async () => {
    await useAndEmpty();
    await deleteAccount(core, ann.id);
    const bill = await getInvoice(core, ann, NOVEMBER);
    expect(bill).toMatchObject({
      closedAtMs: core.ports.clock.nowMs(),
      accountName: 'Ann',
      usage: new Map([
        ['class-a/STANDARD', 3_000_000n],
        ['storage/STANDARD', 1500n],
      ]),
      // 2 million writes above the allowance at 4.50 each.
      invoice: { totalMicro: 9_000_000n },
    });
    expect(await core.ports.directory.call('getAccount', { id: ann.id })).toBe(null);
    // What comes late is not billed, and the month's closing has nothing to do with it.
    await record(core.ports.clock.nowMs(), 50_000_000n, 2);
    core.advanceSeconds(40 * 86_400);
    await closeMonths(core);
    expect(await getInvoice(core, ann, NOVEMBER)).toEqual(bill);
  });

  it('has the month before closed too, though its time has not come', async () => {
    await record(Date.UTC(2026, 9, 30), 2_000_000n, 1);
    await record(Date.UTC(2026, 9, 31), 1_000_000n, 2);
    await deleteBucket(core, bucket);
    await deleteAccount(core, ann.id);
    expect((await getInvoice(core, ann, OCTOBER))?.invoice.totalMicro).toBe(9_000_000n);
    const kept = await core.ports.directory.call('listInvoices', {
      accountId: ann.id,
      before: '',
      limit: 9,
    });
    expect(kept.map(({ period }) => period)).toEqual(['2026-10']);
  });

  it('takes its webhooks and their messages along, also after a first try that died', async () => {
    const settings = {
      url: 'http://127.0.0.1:1/x',
      description: '',
      types: ['*'],
      isEnabled: true,
    };
    const { webhook } = await createWebhook(core, ann.id, settings);
    const { directory, clock } = core.ports;
    const queueId = accountQueueId(ann.id);
    const to = {
      queueId,
      accountId: ann.id,
      endpointId: webhook.id,
      orderingKey: '',
      kind: 'plain',
      type: 't',
    } as const;
    const deliveries = Array(2500).fill({ ...to, messageId: null, payload: '{}' });
    await directory.call('enqueueDeliveries', { deliveries, nowMs: clock.nowMs() });
    await useAndEmpty();
    await expect(deleteAccount(dyingAt('endWebhooks', 2), ann.id)).rejects.toThrow('died');
    expect(await listWebhooks(core, ann.id, { after: '', limit: 10 })).toEqual([]);
    expect((await directory.call('countDeliveries', { queueId })).waiting).toBeGreaterThan(0);
    await deleteAccount(core, ann.id);
    const none = { waiting: 0, delivered: 0, dead: 0, dropped: 0 };
    expect(await directory.call('countDeliveries', { queueId })).toEqual(none);
    expect(await directory.call('nextDeliveryAt', {})).toEqual({ atMs: null });
    expect(await directory.call('listWebhookAccounts', { after: '', limit: 10 })).toEqual([]);
  });

  it('is refused while it has a bucket, and nothing is closed', async () => {
    await record(core.ports.clock.nowMs(), 3_000_000n, 1);
    await expect(deleteAccount(core, ann.id)).rejects.toMatchObject({ code: 'AccountNotEmpty' });
    expect(await core.ports.directory.call('getAccount', { id: ann.id })).toMatchObject({
      isEnabled: true,
    });
    expect((await getInvoice(core, ann, NOVEMBER))?.closedAtMs).toBe(null);
    await expect(deleteAccount(core, 'nobody' as never)).rejects.toMatchObject({
      code: 'NoSuchAccount',
    });
  });

  it('is gone after a second try where the first one died, with one bill', async () => {
    await setAccountCard(core, ann.id, 'aws-s3-us-east-1');
    await useAndEmpty();
    const { directory } = core.ports;
    await expect(deleteAccount(dyingAt('removeAccount', 1), ann.id)).rejects.toThrow('died');
    expect(await directory.call('getAccount', { id: ann.id })).toMatchObject({ isEnabled: false });
    const bill = await getInvoice(core, ann, NOVEMBER);
    expect(bill?.closedAtMs).not.toBe(null);
    core.advanceSeconds(3600);
    await deleteAccount(core, ann.id);
    expect(await getInvoice(core, ann, NOVEMBER)).toEqual(bill);
  });
});
