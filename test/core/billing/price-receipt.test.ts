// Receipts against bills: random cards with every rule that a card can have, months in which
// requests with and without receipts and storage come in any order, through the real ledger. What
// the receipts say and what had none is the bill.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeInvoice } from '../../../src/core/billing/invoices/invoice.ts';
import { monthOf } from '../../../src/core/billing/month.ts';
import { parseRateCard, type RateCard } from '../../../src/core/billing/prices/rate-card.ts';
import { lineTotal } from '../../../src/core/billing/receipts/price-receipt.ts';
import { LEDGER_RULES } from '../../../src/core/ledger-rules.ts';
import { toUsage } from '../../../src/core/metering/query-usage.ts';
import type { ReceiptPart } from '../../../src/domain/billing/receipts.ts';
import type { MeterName, UsageRow } from '../../../src/domain/billing/usage.ts';
import type { AccountId, BucketId } from '../../../src/domain/nouns.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../src/index/tables/ledger-schema.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { openMigrated } from '../../index/kit/open-migrated.ts';

const ACCOUNT = 'alice' as AccountId;
const MONTH_MS = Date.UTC(2026, 10, 1);
const HOUR_MS = 3_600_000;
const STORAGE = ['storage/STANDARD', 'storage/STANDARD_IA'] as const satisfies readonly MeterName[];
const REQUESTS = [
  'class-a/STANDARD',
  'class-b/STANDARD',
  'class-b/STANDARD_IA',
  'egress/memory',
  'egress/bucket',
  'retrieval/STANDARD_IA',
] as const satisfies readonly MeterName[];

const price = fc
  .bigInt({ min: 0n, max: 10n ** 13n })
  .map((n) => `${n / 10n ** 12n}.${`${n % 10n ** 12n}`.padStart(12, '0')}`);
const few = fc.integer({ min: 1, max: 5_000 });

/** Tiers that ascend; the last is without end. */
const tiers = fc
  .tuple(fc.uniqueArray(few, { maxLength: 3 }), fc.array(price, { minLength: 4, maxLength: 4 }))
  .map(([ends, prices]) => {
    const sorted = ends.toSorted((a, b) => a - b);
    return [
      ...sorted.map((end, at) => ({ upTo: `${end}`, price: prices[at] })),
      { price: prices[3] },
    ];
  });

const requestLine = fc.record({
  tiers,
  unit: fc.record({ name: fc.constant('unit'), size: fc.constantFrom(1, 7, 1000, 1_000_000) }),
  free: fc.constantFrom('0', '1', '12.5', '3000'),
  roundUp: fc.boolean(),
  freePerStored: fc.option(
    fc.record({ meters: fc.constant([STORAGE[0]]), times: fc.constantFrom('0.5', '3') }),
    {
      nil: undefined,
    },
  ),
});
const storageLine = fc.record({
  tiers,
  unit: fc.record({
    name: fc.constant('unit-month'),
    size: fc.constantFrom(1, 1000, 1_000_000_000),
    perMonth: fc.constant(true),
  }),
  free: fc.constantFrom('0', '10'),
  roundUp: fc.boolean(),
});

/** Meters fall into up to four lines; those of the last are on no line at all. */
const cards = (line: typeof requestLine): fc.Arbitrary<RateCard> =>
  fc
    .record({
      places: fc.array(fc.nat(3), { minLength: REQUESTS.length, maxLength: REQUESTS.length }),
      lines: fc.array(line, { minLength: 3, maxLength: 3 }),
      storage: storageLine,
      minimum: fc.constantFrom('0', '5'),
      monthHours: fc.constantFrom(720, 730, 'calendar'),
    })
    .map(({ places, lines, storage, minimum, monthHours }) => {
      const withMeters = lines.map((given, at) => ({
        ...JSON.parse(JSON.stringify(given)),
        label: `line ${at}`,
        meters: REQUESTS.filter((_, place) => places[place] === at),
      }));
      return parseRateCard({
        ...{
          id: 'random',
          name: 'Random',
          currency: 'EUR',
          source: 'https://example.com',
          asOf: '2026-11-21',
        },
        ...{ monthHours, minimum },
        lines: [
          { ...storage, label: 'stored', meters: STORAGE },
          ...withMeters.filter(({ meters }) => meters.length > 0),
        ],
      });
    });

type Used = {
  readonly meters: readonly MeterName[];
  readonly quantity: bigint;
  readonly bucket: string;
  readonly hour: number;
};
const use: fc.Arbitrary<Used> = fc.record({
  meters: fc.uniqueArray(fc.constantFrom(...REQUESTS), { minLength: 1, maxLength: 4 }),
  quantity: fc.oneof(fc.bigInt({ min: 1n, max: 5_000n }), fc.bigInt({ min: 1n, max: 2n ** 43n })),
  bucket: fc.constantFrom('a~1', 'b~1'),
  hour: fc.nat(700),
});
const request = fc.record({ kind: fc.constantFrom('receipt', 'plain'), use });
const stored = fc.record({
  kind: fc.constant('stored' as const),
  meter: fc.constantFrom(...STORAGE),
  byteMs: fc.bigInt({ min: 0n, max: 2n ** 70n }),
});

function openMonth(card: RateCard) {
  const sql = openMigrated(LEDGER_SCHEMA);
  const ledger = createLedgerIndex(sql, LEDGER_RULES);
  let sequence = 0;
  const rowsOf = ({ meters, quantity, bucket, hour }: Used): UsageRow[] =>
    meters.map((meter, at) => ({
      ...{
        hourMs: MONTH_MS + hour * HOUR_MS,
        bucketId: bucket as BucketId,
        accessKeyId: null,
        meter,
      },
      quantity: at === 0 ? 1n : quantity,
    }));
  const batch = (rows: readonly UsageRow[]) => {
    sequence += 1;
    return { source: 'test', sequence, rows };
  };
  return {
    ledger,
    rowsOf,
    batch,
    record: (rows: readonly UsageRow[]) =>
      ledger.record({ accountId: ACCOUNT, batches: [batch(rows)], nowMs: 0 }),
    take: (given: ReturnType<typeof batch>) =>
      ledger.takeReceipt({
        accountId: ACCOUNT,
        use: given,
        tariff: { card, version: 'v1' },
        nowMs: 0,
      }),
    bill() {
      const { usage } = ledger.readReceipts({ accountId: ACCOUNT, monthMs: MONTH_MS });
      return makeInvoice(toUsage(usage), card, monthOf(MONTH_MS));
    },
  };
}

const sumOf = (parts: readonly ReceiptPart[] | null) =>
  (parts ?? []).reduce((sum, part) => sum + part.amountMicro, 0n);
const storedRow = (meter: MeterName, quantity: bigint): UsageRow => ({
  ...{ hourMs: MONTH_MS, bucketId: 'a~1' as BucketId, accessKeyId: null, meter, quantity },
});

describe('receipts', () => {
  it('and what had none add up to the bill, whatever card and order', () => {
    fc.assert(
      fc.property(
        cards(requestLine),
        fc.array(fc.oneof(request, request, stored), { maxLength: 25 }),
        (card, steps) => {
          const month = openMonth(card);
          let [receipts, others, count] = [0n, 0n, 0];
          for (const step of steps) {
            const before = lineTotal(month.bill());
            if (step.kind === 'receipt') {
              const amount = sumOf(month.take(month.batch(month.rowsOf(step.use))));
              expect(amount).toBe(lineTotal(month.bill()) - before);
              expect(amount).toBeGreaterThanOrEqual(0n);
              receipts += amount;
              count += 1;
            } else {
              month.record(
                step.kind === 'stored'
                  ? [storedRow(step.meter, step.byteMs)]
                  : month.rowsOf(step.use),
              );
              others += lineTotal(month.bill()) - before;
            }
          }
          const bill = month.bill();
          expect(receipts + others + bill.minimumMicro).toBe(bill.totalMicro);
          const [sums] = month.ledger.readReceipts({
            accountId: ACCOUNT,
            monthMs: MONTH_MS,
          }).receipts;
          expect([sums?.receipts ?? 0, sumOf(sums?.parts ?? [])]).toEqual([count, receipts]);
        },
      ),
      { numRuns: fuzzRuns(40) },
    );
  });

  it('of all requests are the whole bill but for what is stored', () => {
    const plainLine = requestLine.map((line) => ({ ...line, freePerStored: undefined }));
    const steps = fc.array(
      fc.oneof(
        use.map((given) => ({ kind: 'use' as const, use: given })),
        stored,
      ),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(cards(plainLine), steps, (card, given) => {
        const month = openMonth(card);
        let receipts = 0n;
        for (const step of given) {
          if (step.kind === 'use')
            receipts += sumOf(month.take(month.batch(month.rowsOf(step.use))));
          else month.record([storedRow(step.meter, step.byteMs)]);
        }
        const bill = month.bill();
        const storage = bill.lines.find(({ label }) => label === 'stored')?.amountMicro ?? 0n;
        expect(receipts + storage + bill.minimumMicro).toBe(bill.totalMicro);
      }),
      { numRuns: fuzzRuns(40) },
    );
  });

  const card = parseRateCard({
    ...{
      id: 'plain',
      name: 'Plain',
      currency: 'EUR',
      source: 'https://example.com',
      asOf: '2026-11-21',
      monthHours: 720,
    },
    lines: [
      {
        label: 'Reads',
        meters: ['class-b/STANDARD'],
        unit: { name: 'request', size: 1 },
        free: '3',
        tiers: [{ price: '0.000002' }],
      },
    ],
  });
  const reads = (quantity: bigint): UsageRow[] => [{ ...storedRow('class-b/STANDARD', quantity) }];

  it('come again when a request is repeated, and count once', () => {
    const month = openMonth(card);
    month.record(reads(2n));
    const given = month.batch(reads(5n));
    const receipt = month.take(given);
    expect(receipt).toEqual([{ meter: 'class-b/STANDARD', quantity: 5n, amountMicro: 8n }]);
    expect(month.take(given)).toEqual(receipt);
    month.ledger.record({ accountId: ACCOUNT, batches: [given], nowMs: 0 });
    expect(month.bill().totalMicro).toBe(8n);
    expect(month.ledger.readReceipts({ accountId: ACCOUNT, monthMs: MONTH_MS }).receipts).toEqual([
      { cardId: 'plain', version: 'v1', receipts: 1, parts: receipt },
    ]);
  });

  it('are refused for a batch that was recorded before, or is older than the last', () => {
    const month = openMonth(card);
    const late = month.batch(reads(5n));
    month.ledger.record({ accountId: ACCOUNT, batches: [late], nowMs: 0 });
    expect(month.take(late)).toBeNull();
    const overtaken = month.batch(reads(1n));
    month.take(month.batch(reads(1n)));
    expect(month.take(overtaken)).toBeNull();
    expect(month.bill().lines[0]?.amountMicro).toBe(6n);
  });

  it('know what was used of the month before the first of them, and of no other month', () => {
    const month = openMonth(card);
    const [read] = reads(1_000n) as [UsageRow];
    month.record([
      { ...read, hourMs: MONTH_MS - HOUR_MS },
      { ...read, quantity: 1n, bucketId: 'b~1' as BucketId },
    ]);
    month.record(reads(1n));
    expect(sumOf(month.take(month.batch(reads(2n))))).toBe(2n);
    month.record(reads(10n));
    expect(sumOf(month.take(month.batch(reads(2n))))).toBe(4n);
  });
});
