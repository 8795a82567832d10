// What deduplication and compression save, on bills: the storage stays as clients see it, and the
// lines below it take the total down to exactly what the really stored bytes cost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invoiceCsv } from '../../../src/core/billing/exports/invoice-csv.ts';
import { forecastMonth } from '../../../src/core/billing/invoices/forecast-month.ts';
import { type Invoice, makeInvoice } from '../../../src/core/billing/invoices/invoice.ts';
import { makeDocument, recompute } from '../../../src/core/billing/invoices/invoice-document.ts';
import { invoiceJson, parseInvoiceJson } from '../../../src/core/billing/invoices/invoice-json.ts';
import {
  type CardLine,
  parseRateCard,
  type RateCard,
} from '../../../src/core/billing/prices/rate-card.ts';
import { pushUsage } from '../../../src/core/billing/scheduled/push-usage.ts';
import { simulateMonth } from '../../../src/core/billing/simulation/simulate-month.ts';
import { spentOf } from '../../../src/core/caps/price-cap.ts';
import { toUsage } from '../../../src/core/metering/query-usage.ts';
import {
  type MeterName,
  netUsage,
  type Usage,
  withoutSavings,
} from '../../../src/core/metering/usage.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { addAccount, createBillingCore } from './billing-core.ts';
import { anyCard, anySavedUsage, card, GB, MARCH, usageOf } from './billing-samples.ts';

const MONTH = 720n;
/**
 * Lines whose free allowance goes by what is stored keep it for all that clients see; so they are
 * left out of sums.
 */
const withoutShares = (of: RateCard): RateCard => ({
  ...of,
  lines: of.lines.map((line): CardLine => ({ ...line, freePerStored: null })),
});
const linesOf = (invoice: Invoice) =>
  invoice.lines.map(({ label, saving, amountMicro }) => [label, saving, amountMicro]);

describe('savings on an invoice', () => {
  it('stand below the storage, whose line is as clients see it', () => {
    const usage = usageOf({
      'storage/STANDARD': 30n * GB * MONTH,
      'deduplicated/STANDARD': 5n * GB * MONTH,
      'compressed/STANDARD': 3n * GB * MONTH,
    });
    const invoice = makeInvoice(usage, card('cloudflare-r2'), MARCH);
    expect(linesOf(invoice).slice(0, 4)).toEqual([
      ['Storage, Standard', null, 300_000n],
      ['Storage, Standard, saved by deduplication', 'deduplicated', -75_000n],
      ['Storage, Standard, saved by compression', 'compressed', -45_000n],
      ['Storage, Infrequent Access', null, 0n],
    ]);
    expect(invoice.totalMicro).toBe(180_000n);
    expect(invoice.unpriced).toEqual(new Map());
    const saved = invoice.lines[1];
    expect([saved?.units, saved?.meters]).toEqual([5n * 10n ** 12n, ['deduplicated/STANDARD']]);
  });

  it('reach into what is free and across tiers', () => {
    const tiers = [{ upTo: '10', price: '0.03' }, { price: '0.01' }];
    const unit = { name: 'GB-month', size: 1_000_000_000, perMonth: true };
    const line = { label: 'Storage', meters: ['storage/STANDARD'], unit, free: '2', tiers };
    const own = {
      id: 'own',
      name: 'Own',
      currency: 'EUR',
      source: 'https://example.com/',
      asOf: '2026-11-21',
    };
    const ours = parseRateCard({ ...own, monthHours: 720, lines: [line] });
    const usage = usageOf({
      'storage/STANDARD': 15n * GB * MONTH,
      'compressed/STANDARD': 14n * GB * MONTH,
    });
    const [stored, saved] = makeInvoice(usage, ours, MARCH).lines;
    expect(stored?.amountMicro).toBe(330_000n);
    expect(saved?.amountMicro).toBe(-330_000n);
    expect(
      saved?.parts.map(({ tier, units, amountMicro }) => [
        tier,
        Number(units / 10n ** 12n),
        amountMicro,
      ]),
    ).toEqual([
      [null, 1, 0n],
      [0, 10, -300_000n],
      [1, 3, -30_000n],
    ]);
  });

  it('make the total exactly that of what is really stored, and never less than nothing', () => {
    fc.assert(
      fc.property(anySavedUsage, anyCard, (usage, any) => {
        const of = withoutShares(any);
        const invoice = makeInvoice(usage, of, MARCH);
        expect(invoice.totalMicro).toBe(makeInvoice(netUsage(usage), of, MARCH).totalMicro);
        expect(invoice.totalMicro).toBeGreaterThanOrEqual(0n);
        const gross = makeInvoice(withoutSavings(usage), any, MARCH);
        const saved = makeInvoice(usage, any, MARCH);
        expect(saved.lines.filter(({ saving }) => saving === null)).toEqual(gross.lines);
        expect(saved.totalMicro).toBeLessThanOrEqual(gross.totalMicro);
        for (const { saving, units, parts, amountMicro } of saved.lines) {
          expect(units).toBeGreaterThanOrEqual(0n);
          expect(parts.reduce((sum, part) => sum + part.amountMicro, 0n)).toBe(amountMicro);
          if (saving !== null)
            expect(parts.every((part) => part.units > 0n && part.amountMicro <= 0n)).toBe(true);
        }
      }),
    );
  });

  it('are kept with a closed invoice, which can be made again; one from before has none', () => {
    const account = { id: '1', displayName: 'Ann' };
    const usage = usageOf({
      'storage/STANDARD': 30n * GB * MONTH,
      'deduplicated/STANDARD': 5n * GB * MONTH,
    });
    const document = makeDocument({
      account,
      period: MARCH,
      usage,
      card: card('cloudflare-r2'),
      credits: [],
      closedAtMs: 5,
    });
    const json = invoiceJson(document);
    const again = parseInvoiceJson(JSON.parse(JSON.stringify(json)) as typeof json);
    expect(again).toEqual(document);
    expect(recompute(again)).toEqual(document.invoice);
    const old = {
      ...json,
      lines: json.lines.map(({ saving: _saving, ...line }) => line),
    } as unknown as typeof json;
    expect(parseInvoiceJson(old).invoice.lines.map(({ saving }) => saving)).not.toContain(
      'deduplicated',
    );
    expect(invoiceCsv(document)).toContain(
      'saving,"Storage, Standard, saved by deduplication",5,GB-month,,-0.075000,USD',
    );
  });
});

describe('byte-hours of savings', () => {
  it('leave exactly what remains of storage, rounded down once', () => {
    const quantity = fc.bigInt({ min: 0n, max: 10n ** 13n });
    fc.assert(
      fc.property(quantity, quantity, quantity, (net, deduplicated, compressed) => {
        const sums: { meter: MeterName; quantity: bigint }[] = [
          { meter: 'compressed/STANDARD', quantity: compressed },
          { meter: 'storage/STANDARD', quantity: net + deduplicated + compressed },
          { meter: 'deduplicated/STANDARD', quantity: deduplicated },
        ];
        const usage = toUsage(sums);
        expect(usage.get('storage/STANDARD')).toBe(
          (net + deduplicated + compressed) / BigInt(HOUR_MS),
        );
        expect(netUsage(usage)).toEqual(new Map([['storage/STANDARD', net / BigInt(HOUR_MS)]]));
      }),
    );
  });

  it('are nothing without storage that they are saved of', () => {
    expect(toUsage([{ meter: 'compressed/STANDARD', quantity: 10n ** 12n }])).toEqual(new Map());
  });
});

const inNovember = (day: number, hour = 0): number => Date.UTC(2026, 10, day, hour);

async function withSavings() {
  const core = createBillingCore();
  const ann = await addAccount(core, 'ann');
  for (const day of [18, 19]) {
    await core.use(ann, inNovember(day, 20), 'storage/STANDARD', 90_000n * GB);
    await core.use(ann, inNovember(day, 20), 'deduplicated/STANDARD', 20_000n * GB);
  }
  await core.use(ann, inNovember(18, 20), 'compressed/STANDARD', 10_000n * GB);
  return { core, ann };
}

describe('savings elsewhere', () => {
  it('go on in a forecast as they are in the latest hour', async () => {
    const { core, ann } = await withSavings();
    const { atEnd } = await forecastMonth(core, ann);
    const rest = 11n * 24n * GB;
    expect(atEnd.usage).toEqual(
      usageOf({
        'compressed/STANDARD': 10_000n * GB,
        'deduplicated/STANDARD': 40_000n * GB + 20_000n * rest,
        'storage/STANDARD': 180_000n * GB + 90_000n * rest,
      }),
    );
  });

  it('are not had at other providers, nor are they lost in what-ifs', async () => {
    const { core, ann } = await withSavings();
    const input = { period: { year: 2026, month: 11 }, whatIfs: [], objectCount: 0n };
    const { own, others } = await simulateMonth(core, ann, {
      ...input,
      cardIds: ['aws-s3-us-east-1'],
    });
    const s3 = makeInvoice(
      usageOf({ 'storage/STANDARD': 180_000n * GB }),
      card('aws-s3-us-east-1'),
      input.period,
    );
    expect(others.map(({ invoice }) => invoice.totalMicro)).toEqual([
      own.invoice.totalMicro,
      s3.totalMicro,
    ]);
    const totalOf = async (whatIf: Parameters<typeof simulateMonth>[2]['whatIfs'][number]) =>
      (await simulateMonth(core, ann, { ...input, cardIds: [], whatIfs: [whatIf] })).others[0]
        ?.invoice.totalMicro;
    const cold: Usage = usageOf({ 'storage/STANDARD_IA': 130_000n * GB });
    expect(await totalOf({ kind: 'all-infrequent' })).toBe(
      makeInvoice(cold, card('cloudflare-r2'), input.period).totalMicro,
    );
    const half: Usage = usageOf({ 'storage/STANDARD': 65_000n * GB });
    expect(await totalOf({ kind: 'deduplication', duplicateBasisPoints: 5000 })).toBe(
      makeInvoice(half, card('cloudflare-r2'), input.period).totalMicro,
    );
  });

  it('are taken off what is reported to a billing service', async () => {
    const { core, ann } = await withSavings();
    await core.ports.directory.call('setPushTarget', {
      accountId: ann.id,
      customerId: 'c',
      dayMs: inNovember(18),
    });
    const reportedEvents: [string, bigint][] = [];
    await pushUsage(core, {
      push: async ({ eventName, value }) => void reportedEvents.push([eventName, value]),
    });
    expect(reportedEvents).toEqual([['quayside_storage_standard', 60_000n * 1000n]]);
  });

  it('count for a cap in money', () => {
    const sums = [
      { meter: 'storage/STANDARD' as const, quantity: 30n * GB * MONTH * BigInt(HOUR_MS) },
      { meter: 'deduplicated/STANDARD' as const, quantity: 12n * GB * MONTH * BigInt(HOUR_MS) },
    ];
    const cap = { unit: 'money', cardId: 'cloudflare-r2' } as Parameters<typeof spentOf>[0]['cap'];
    expect(spentOf({ cap, usage: sums }, MARCH)).toBe(120_000n);
  });
});
