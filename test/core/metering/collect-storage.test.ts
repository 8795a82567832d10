// From rows of the index, written at known times, to the bill: storage of two classes, parts, and
// what left its class early, against figures worked out by hand; and the same again after restarts
// and recomputations.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeMonths } from '../../../src/core/billing/invoices/close-months.ts';
import { getInvoice } from '../../../src/core/billing/invoices/get-invoice.ts';
import {
  type InvoiceDocument,
  recompute,
} from '../../../src/core/billing/invoices/invoice-document.ts';
import { putRateCard, setAccountCard } from '../../../src/core/billing/prices/account-card.ts';
import { deleteBucket } from '../../../src/core/buckets/delete-bucket.ts';
import { collectStorage } from '../../../src/core/metering/collect-storage.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { listDeliveries } from '../../../src/core/outbox/deliveries.ts';
import { createWebhook } from '../../../src/core/outbox/webhooks.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { bytesCap } from '../caps/cap-samples.ts';
import {
  ATTRIBUTES,
  createMemoryCore,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  sampleBytes,
} from '../memory-core.ts';
import { completeParts, putPart, startUpload } from '../multipart-kit.ts';

const HOUR = 3600;
const NOVEMBER = { year: 2026, month: 11 };
/**
 * Prices for a byte and month of 720 hours: a byte-hour of STANDARD is 1,000 micro-units, of
 * STANDARD_IA 500.
 */
const CARD = {
  ...{
    id: 'hand',
    name: 'By hand',
    currency: 'EUR',
    source: 'https://example.com/',
    asOf: '2026-11-21',
    monthHours: 720,
  },
  lines: [
    {
      ...{ label: 'Storage', meters: ['storage/STANDARD'] },
      ...{ unit: { name: 'byte-month', size: 1, perMonth: true }, tiers: [{ price: '0.72' }] },
    },
    {
      ...{ label: 'Cold', meters: ['storage/STANDARD_IA', 'early-delete/STANDARD_IA'] },
      ...{ unit: { name: 'byte-month', size: 1, perMonth: true }, tiers: [{ price: '0.36' }] },
    },
  ],
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quayside-collect-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * A core over the folder's database as a process that starts `hours` after the beginning of the
 * 20th finds it.
 */
function start(hours = 0): MemoryCore {
  const core = createMemoryCore(join(folder, 'index.sqlite'));
  core.advanceSeconds(hours * HOUR);
  return core;
}

const attributes = (storageClass: string) => ({ ...ATTRIBUTES, storageClass });
const put = (
  core: MemoryCore,
  bucket: BucketHandle,
  name: string,
  sizeBytes: number,
  storageClass = 'STANDARD',
) => putBytes(core, bucket, name, sampleBytes(sizeBytes), { attributes: attributes(storageClass) });

/**
 * 2,250 byte-hours and 1 byte-second of `a` in STANDARD; in STANDARD_IA 900 of `b`, 600 of a part;
 * `c` stays.
 */
async function live(core: MemoryCore, bucket: BucketHandle): Promise<void> {
  await put(core, bucket, 'a', 1000);
  core.advanceSeconds(1.5 * HOUR);
  await put(core, bucket, 'b', 600, 'STANDARD_IA');
  core.advanceSeconds(0.75 * HOUR + 0.001);
  await put(core, bucket, 'a', 400);
  core.advanceSeconds(0.75 * HOUR - 0.001);
  await deleteObjects(core, bucket, [{ key: key('b') }]);
  core.advanceSeconds(HOUR);
  const upload = await startUpload(core, bucket, 'c', { attributes: attributes('STANDARD_IA') });
  const part = await putPart(core, bucket, upload, 1, sampleBytes(300));
  core.advanceSeconds(2 * HOUR);
  await completeParts(core, bucket, upload, [part]);
}

const billOf = async (core: MemoryCore): Promise<InvoiceDocument> => {
  const bill = await getInvoice(core, ROOT_ACCOUNT, NOVEMBER);
  if (bill === null) throw new Error('There is no bill.');
  expect(recompute(bill)).toEqual(bill.invoice);
  return bill;
};
const figures = ({ usage, invoice }: InvoiceDocument) => ({
  standard: usage.get('storage/STANDARD') ?? 0n,
  cold: usage.get('storage/STANDARD_IA') ?? 0n,
  early: usage.get('early-delete/STANDARD_IA') ?? 0n,
  totalMicro: invoice.totalMicro,
});

it('what is stored comes to the figure that a hand works out, also after restarts', async () => {
  const first = start();
  const bucket = await openTestBucket(first);
  await putRateCard(first, CARD.id, CARD);
  await setAccountCard(first, ROOT_ACCOUNT.id, CARD.id);
  await live(first, bucket);
  first.advanceSeconds(4.1 * HOUR);
  await sweep(first);
  // Ten hours are over. `a`: 1,000 bytes for 2.25 h and 1 ms, 400 for the rest; the 600
  // byte-milliseconds too many are less than a byte-hour. `b` lacks 718.5 of 720 hours.
  const standard = 2250n + (400n * 31n) / 4n;
  const cold = 900n + 600n + 300n * 4n;
  const early = (600n * 1437n) / 2n;
  const expected = { standard, cold, early, totalMicro: standard * 1000n + (cold + early) * 500n };
  expect(figures(await billOf(first))).toEqual(expected);

  // The process is killed and another starts; it collects again what it finds, and counts nothing
  // twice.
  const second = start(10.2);
  expect(figures(await billOf(second))).toEqual(expected);
  for (const _ of [1, 2]) await sweep(second);
  expect(figures(await billOf(second))).toEqual(expected);

  // The month ends 264 hours after the beginning, and is closed a day later.
  const third = start(264 + 30);
  await sweep(third);
  expect(await closeMonths(third)).toBe(1);
  const inNovember = {
    standard: 2250n + (400n * 1047n) / 4n,
    cold: 900n + 600n + 300n * 258n,
    early,
  };
  const closed = await billOf(third);
  expect(closed.closedAtMs).toBe(third.ports.clock.nowMs());
  expect(figures(closed)).toEqual({
    ...inNovember,
    totalMicro: inNovember.standard * 1000n + (inNovember.cold + early) * 500n,
  });
  expect(await billOf(start(400))).toEqual(closed);
});

it('a ledger whose response is lost gets the batch again, and counts it once', async () => {
  const core = start();
  const bucket = await openTestBucket(core);
  await live(core, bucket);
  core.advanceSeconds(2.2 * HOUR);
  const { ledger, metadataIndex } = core.ports;
  let lost = 0;
  const deaf: MemoryCore['ports']['ledger'] = {
    async call(name, input) {
      const answer = await ledger.call(name, input);
      if (name === 'record' && lost++ < 2) throw new Error('lost');
      return answer;
    },
  };
  for (const _ of [1, 2]) await sweep({ ...core, ports: { ...core.ports, ledger: deaf } });
  expect(lost).toBe(2);
  // The ledger has it all by now, and so has the index.
  const { name } = bucket.record();
  const left = await metadataIndex.call(name, 'closeStorageHours', {
    name,
    nowMs: core.ports.clock.nowMs(),
    limit: 100,
  });
  expect(left.map(({ of }) => of.kind)).toContain('commits');
  await sweep(core);
  expect(await billOf(core)).toMatchObject({
    usage: new Map([
      ['early-delete/STANDARD_IA', (600n * 1437n) / 2n],
      ['storage/STANDARD', 2250n + (400n * 23n) / 4n],
      ['storage/STANDARD_IA', 900n + 600n + 300n * 2n],
    ]),
  });
});

it('an hour in which nothing of a meter was used adds no row of it to the ledger', async () => {
  const core = start();
  const bucket = await openTestBucket(core);
  await live(core, bucket);
  core.advanceSeconds(2.2 * HOUR);
  const { ledger, metadataIndex } = core.ports;

  // The index closes such hours too: else there would be nothing to leave out.
  const { name } = bucket.record();
  const nowMs = core.ports.clock.nowMs();
  const hours = await metadataIndex.call(name, 'closeStorageHours', { name, nowMs, limit: 100 });
  const closed = hours.flatMap(({ used }) => used.map(({ quantity }) => quantity));
  expect(closed).toContain(0n);

  const recorded: bigint[] = [];
  const watched: MemoryCore['ports']['ledger'] = {
    call(callName, input) {
      if (callName === 'record' && 'batches' in input) {
        const rows = input.batches.flatMap((batch) => batch.rows);
        recorded.push(...rows.map(({ quantity }) => quantity));
      }
      return ledger.call(callName, input);
    },
  };
  await collectStorage({ ...core, ports: { ...core.ports, ledger: watched } }, name);
  expect(recorded.length).toBeGreaterThan(0);
  expect(recorded).not.toContain(0n);
});

it('storage that brings a cap in money to its alert is reported at once', async () => {
  const core = start();
  const bucket = await openTestBucket(core);
  await put(core, bucket, 'a', 100, 'STANDARD');
  const { id: accountId } = ROOT_ACCOUNT;
  const money = { unit: 'money', cardId: CARD.id, card: CARD, alertPercents: [50] } as const;
  await core.ports.ledger.call('putCap', { accountId, cap: bytesCap(1000n, money), known: null });
  const input = { url: 'https://example.com/', types: ['cap.*'], description: '', isEnabled: true };
  const { webhook } = await createWebhook(core, accountId, input);
  core.advanceSeconds(2.2 * HOUR);
  await collectStorage(core, bucket.record().name);
  const page = { of: null, state: 'waiting', before: null, limit: 10 } as const;
  const { deliveries } = await listDeliveries(core, accountId, webhook.id, page);
  expect(deliveries).toMatchObject([{ type: 'cap.crossed' }]);
});

it('a deleted bucket is billed for its last hour, though nobody uses its name again', async () => {
  const core = start();
  const bucket = await openTestBucket(core);
  await put(core, bucket, 'a', 100, 'STANDARD_IA');
  core.advanceSeconds(60);
  await deleteObjects(core, bucket, [{ key: key('a') }]);
  await deleteBucket(core, bucket);
  for (const _ of [1, 2]) await sweep(core);
  core.advanceSeconds(48 * HOUR);
  for (const _ of [1, 2, 3]) await sweep(core);
  expect(await core.ports.directory.call('listBucketNames', { after: '', limit: 10 })).toEqual([]);
  const { early, cold } = figures(await billOf(core));
  expect([early + cold, early]).toEqual([71_999n, (100n * (720n * 3600n - 60n)) / 3600n]);
});
