// "What would last month have cost there": other cards, and each what-if by hand.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMicro } from '../../../src/core/billing/decimal.ts';
import { makeInvoice } from '../../../src/core/billing/invoices/invoice.ts';
import { RATE_CARDS } from '../../../src/core/billing/prices/rate-cards.ts';
import {
  type ReplayedMonth,
  simulateBill,
  toCard,
  type WhatIf,
} from '../../../src/core/billing/simulation/simulate-bill.ts';
import type { MeterName } from '../../../src/core/metering/usage.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { anyUsage, card, GB, MARCH, type Quantities, usageOf } from './billing-samples.ts';

const HOURS = 744;
const hours = (count: number, bytes: bigint): bigint[] =>
  Array.from({ length: count }, () => bytes);
const replayed = (
  quantities: Quantities,
  bytes: readonly bigint[] = [],
  objectCount = 0n,
): ReplayedMonth => ({
  period: MARCH,
  usage: usageOf(quantities),
  standardBytesByHour: bytes,
  objectCount,
});
/** The bill of R2 with the quantities of these meters, after the what-if. */
function quantitiesAfter(month: ReplayedMonth, whatIf: WhatIf): ReadonlyMap<MeterName, bigint> {
  const [simulation] = simulateBill(month, [card('cloudflare-r2')], [whatIf]);
  const unit = 10n ** 12n;
  return new Map(
    simulation?.invoice.lines.map((line) => [line.meters[0] ?? 'free/x', line.units / unit]) ?? [],
  );
}

describe('the same month by other cards', () => {
  it('is what each card says of the same usage', () => {
    const month = replayed({
      'storage/STANDARD': 1000n * GB * 744n,
      'class-a/STANDARD': 1_000_000n,
      'class-b/STANDARD': 20_000_000n,
      'egress/edge': 2000n * GB,
    });
    const totals = simulateBill(month, RATE_CARDS).map(({ card: { id, currency }, invoice }) => [
      id,
      `${formatMicro(invoice.totalMicro)} ${currency}`,
    ]);
    expect(totals).toEqual([
      // 1,024 GB-months of 720 hours beyond 10, 10 million class B beyond 10 million.
      ['cloudflare-r2', '18.96 USD'],
      // 931.32 GB at 0.023, 1,000 thousand at 0.005, 20,000 at 0.0004, 1,862.65 GB at 0.09.
      ['aws-s3-us-east-1', '202.06 USD'],
      // 1,023.33 GB-months at 0.00695; 2,000 GB are below three times what is stored.
      ['backblaze-b2', '7.11 USD'],
      ['bunny-storage', '30.00 USD'],
      // 962.37 GB-months at 0.15, 2,100 ten thousands at 0.01, 1,862.65 GB at 0.50.
      ['alibaba-oss-cn-hangzhou', '1096.68 CNY'],
    ]);
  });

  it('counts a class that a card does not have as Standard, without its extra costs', () => {
    const usage = usageOf({
      'storage/STANDARD': 1n,
      'storage/STANDARD_IA': 2n,
      'early-delete/STANDARD_IA': 4n,
      'class-a/STANDARD_IA': 8n,
      'retrieval/STANDARD_IA': 16n,
      'egress/edge': 32n,
    });
    expect(toCard(usage, card('backblaze-b2'))).toEqual(
      usageOf({ 'storage/STANDARD': 3n, 'class-a/STANDARD': 8n, 'egress/edge': 32n }),
    );
    expect(toCard(usage, card('cloudflare-r2'))).toEqual(usage);
  });

  it('by its own card is its invoice', () => {
    fc.assert(
      fc.property(anyUsage, (usage) => {
        const month = { ...replayed({}), usage };
        const s3 = card('aws-s3-us-east-1');
        const own = makeInvoice(toCard(usage, s3), s3, MARCH);
        expect(simulateBill(month, [s3])).toEqual([{ card: s3, invoice: own }]);
      }),
    );
  });
});

describe('a what-if', () => {
  const month = replayed(
    {
      'storage/STANDARD': 1000n * GB * 720n,
      'class-a/STANDARD': 4_000_000n,
      'class-b/STANDARD': 8_000_000n,
      'egress/bucket': 50n * GB,
      'egress/edge': 7n * GB,
    },
    hours(HOURS + 24 * 30, 1000n * GB),
    100n,
  );

  it('all-infrequent: prices of that class, and reads from the store are retrievals', () => {
    expect(quantitiesAfter(month, { kind: 'all-infrequent' })).toEqual(
      usageOf({
        'storage/STANDARD': 0n,
        'storage/STANDARD_IA': 1000n,
        'class-a/STANDARD': 0n,
        'class-b/STANDARD': 0n,
        'class-a/STANDARD_IA': 4n,
        'class-b/STANDARD_IA': 8n,
        'retrieval/STANDARD_IA': 50n,
      }),
    );
  });

  it('lifecycle: old bytes move with their share of reads, one request an object', () => {
    // 1,000 GB from the start of the month on, so old enough for the last 21 of 31 days.
    const bytes = [...hours(24 * 10, 0n), ...hours(HOURS, 1000n * GB)];
    const grown = replayed(
      { ...quantities(month), 'storage/STANDARD': 1000n * GB * 744n },
      bytes,
      3_000_000n,
    );
    const after = quantitiesAfter(grown, { kind: 'lifecycle', days: 10 });
    expect(after.get('storage/STANDARD_IA')).toBe((1000n * 21n * 24n) / 720n);
    expect(after.get('storage/STANDARD')).toBe((1000n * 10n * 24n) / 720n);
    expect(after.get('class-a/STANDARD_IA')).toBe(3n);
    expect(after.get('class-a/STANDARD')).toBe(4n);
  });

  it('lifecycle: what came and went within the days does not move', () => {
    const bytes = Array.from({ length: HOURS }, (_, hour) => (hour % 48 < 24 ? 10n * GB : 0n));
    const after = quantitiesAfter(replayed({ 'storage/STANDARD': 10n * GB * 372n }, bytes, 5n), {
      kind: 'lifecycle',
      days: 2,
    });
    expect([after.get('storage/STANDARD_IA'), after.get('class-a/STANDARD_IA')]).toEqual([0n, 0n]);
  });

  it('lifecycle: the sliding least is the least of each window', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 50n }), { minLength: HOURS, maxLength: HOURS + 100 }),
        fc.integer({ min: 1, max: 4 }),
        (small, days) => {
          const bytes = small.map((each) => each * GB);
          const first = bytes.length - HOURS;
          let old = 0n;
          for (let hour = Math.max(first, days * 24); hour < bytes.length; hour += 1) {
            old += bytes.slice(hour - days * 24, hour + 1).reduce((a, b) => (a < b ? a : b));
          }
          const stored = bytes.slice(first).reduce((sum, each) => sum + each, 0n);
          const after = quantitiesAfter(replayed({ 'storage/STANDARD': stored }, bytes), {
            kind: 'lifecycle',
            days,
          });
          expect(after.get('storage/STANDARD_IA')).toBe(old / GB / 720n);
        },
      ),
      { numRuns: fuzzRuns(20) },
    );
  });

  it('cache lifetime: no object is read more often than once in that time', () => {
    const after = quantitiesAfter(
      { ...month, objectCount: 1_000n },
      { kind: 'cache-lifetime', seconds: 3600 },
    );
    expect(after.get('class-b/STANDARD')).toBe(0n); // 744,000 reads, of a million
    expect(
      quantitiesAfter(month, { kind: 'cache-lifetime', seconds: 1 }).get('class-b/STANDARD'),
    ).toBe(8n);
  });

  it('deduplication: what is there twice is stored once', () => {
    const after = quantitiesAfter(month, { kind: 'deduplication', duplicateBasisPoints: 2_500 });
    expect([after.get('storage/STANDARD'), after.get('class-b/STANDARD')]).toEqual([750n, 8n]);
  });

  it('follows another: first deduplicated, then moved', () => {
    const whatIfs: readonly WhatIf[] = [
      { kind: 'deduplication', duplicateBasisPoints: 5_000 },
      { kind: 'lifecycle', days: 30 },
    ];
    const [simulation] = simulateBill(month, [card('cloudflare-r2')], whatIfs);
    expect(
      simulation?.invoice.lines.find(({ meters }) => meters.includes('storage/STANDARD_IA'))?.units,
    ).toBe(500n * 10n ** 12n);
  });
});

function quantities({ usage }: ReplayedMonth): Quantities {
  return Object.fromEntries(usage) as Quantities;
}
