// Bills as files: what spreadsheets may not run, what a page may not hold, and what FOCUS 1.2 asks
// of its columns.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BucketUsage } from '../../../src/core/billing/exports/bucket-shares.ts';
import { csvText } from '../../../src/core/billing/exports/csv.ts';
import {
  FOCUS_COLUMNS,
  type FocusRow,
  focusCsv,
  focusJson,
  focusRows,
} from '../../../src/core/billing/exports/focus.ts';
import { invoiceCsv } from '../../../src/core/billing/exports/invoice-csv.ts';
import { invoiceSheet } from '../../../src/core/billing/exports/sheet.ts';
import { sheetHtml } from '../../../src/core/billing/exports/sheet-html.ts';
import type { Credit } from '../../../src/core/billing/invoices/invoice.ts';
import {
  type InvoiceDocument,
  makeDocument,
  payable,
} from '../../../src/core/billing/invoices/invoice-document.ts';
import type { RateCard } from '../../../src/core/billing/prices/rate-card.ts';
import type { Usage } from '../../../src/core/metering/usage.ts';
import type { BucketId, BucketName } from '../../../src/domain/nouns.ts';
import {
  anyCard,
  anySavedUsage,
  card,
  GB,
  MARCH,
  type Quantities,
  usageOf,
} from './billing-samples.ts';

const invoiceHtml = (bill: InvoiceDocument, issuer: string) =>
  sheetHtml(invoiceSheet(bill, issuer));
const document = (
  quantities: Quantities,
  change: { card?: RateCard; name?: string; credits?: readonly Credit[] } = {},
) =>
  makeDocument({
    account: { id: '123', displayName: change.name ?? 'Ann' },
    period: MARCH,
    usage: usageOf(quantities),
    card: change.card ?? card('cloudflare-r2'),
    credits: change.credits ?? [],
    closedAtMs: Date.UTC(2026, 3, 2),
  });
const HOSTING = {
  'storage/STANDARD': 10n * GB * 720n,
  'class-a/STANDARD': 100_000n,
  'class-b/STANDARD': 300_000_000n,
  'egress/edge': 5n,
} as const;
const CREDIT = { id: 'a', label: '=1+1', amountMicro: 400_000n };

describe('CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', '-1'],
    ['-1.50', '-1.50'],
    ['-1+cmd', "'-1+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1', "'  =1"],
    ['\t=1', '"\'\t=1"'],
    ['＝1', "'＝1"],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['plain', 'plain'],
    [null, ''],
  ])('%j is %s', (cell, text) => {
    expect(csvText([[cell, 'z']])).toBe(`${text},z\r\n`);
  });

  it('begins no cell as a formula, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string(), (cell) => {
        const unquoted = csvText([[cell]]).replace(/^"/, '');
        expect(/^-?\d/.test(unquoted) || !/^\s*[=+\-@]/.test(unquoted)).toBe(true);
      }),
    );
  });

  it('of a bill has a row for each price, and its total', () => {
    const rows = invoiceCsv(document(HOSTING, { credits: [CREDIT] })).split('\r\n');
    expect(rows[0]).toBe(
      'invoice,account,account_name,period_first_day,period_last_day,kind,label,quantity,' +
        'unit,unit_price,amount,currency',
    );
    expect(rows.slice(1)).toEqual([
      'QS-2026-03-a665a4592042,123,Ann,2026-03-01,2026-03-31,usage,"Storage, Standard, ' +
        'included",10,GB-month,0,0.000000,USD',
      'QS-2026-03-a665a4592042,123,Ann,2026-03-01,2026-03-31,usage,"Class A operations, ' +
        'included",0.1,million,0,0.000000,USD',
      'QS-2026-03-a665a4592042,123,Ann,2026-03-01,2026-03-31,usage,"Class B operations, ' +
        'included",10,million,0,0.000000,USD',
      'QS-2026-03-a665a4592042,123,Ann,2026-03-01,2026-03-31,usage,Class B ' +
        'operations,290,million,0.36,104.400000,USD',
      'QS-2026-03-a665a4592042,123,Ann,2026-03-01,2026-03-31,credit,Credit: =1+1,,,,-0.400000,USD',
      'QS-2026-03-a665a4592042,123,Ann,2026-03-01,2026-03-31,unpriced,"Data transfer out, ' +
        'from the edge",0.000000005,GB,0,0.000000,USD',
      'QS-2026-03-a665a4592042,123,Ann,2026-03-01,2026-03-31,total,,,,,104.000000,USD',
      'QS-2026-03-a665a4592042,123,Ann,2026-03-01,2026-03-31,payable,,,,,104.00,USD',
      '',
    ]);
  });

  it('is safe from the name of an account', () => {
    expect(invoiceCsv(document(HOSTING, { name: '=cmd|calc' }))).toContain(",'=cmd|calc,");
  });
});

describe('what is paid', () => {
  it('is rounded down to a coin of the currency', () => {
    const s3 = card('aws-s3-us-east-1');
    const cents = document({ 'class-a/STANDARD': 1_999n }, { card: s3 });
    expect(cents.invoice.totalMicro).toBe(9_995n);
    expect(payable(cents)).toBe('0.00');
    const yen = document({ 'class-a/STANDARD': 1_999_999n }, { card: { ...s3, currency: 'JPY' } });
    expect([yen.invoice.totalMicro, payable(yen)]).toEqual([9_999_995n, '9']);
  });
});

describe('HTML', () => {
  it('holds what the bill holds, with nothing of others unescaped and no script', () => {
    const name = `<script>alert("1")</script>&'`;
    const html = invoiceHtml(document(HOSTING, { name, credits: [CREDIT] }), 'Ann & Co');
    expect(html).not.toMatch(/<script|javascript:|\son\w+=|<link|<img|src=/i);
    expect(html).toContain(
      '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;</bdi><br><bdi>123</bdi>',
    );
    expect(html).toContain('<dd><bdi>Ann &amp; Co</bdi></dd>');
    expect(html).toContain('Invoice QS-2026-03-a665a4592042');
    expect(html).toContain('<td class="n">104.400000</td>');
    expect(html).toContain('<td class="n">104.00</td>');
    expect(html).toContain('@media print');
  });

  it('says when the month is still open', () => {
    expect(invoiceHtml({ ...document(HOSTING), closedAtMs: null }, 'x')).toContain(
      'Open bill QS-2026-03-a665a4592042',
    );
  });
});

// Source:
// https://github.com/FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec/tree/v1.2/specification/columns
describe('FOCUS 1.2', () => {
  const MANDATORY = [
    'BilledCost',
    'BillingAccountId',
    'BillingAccountName',
    'BillingCurrency',
    'BillingPeriodEnd',
    'BillingPeriodStart',
    'ChargeCategory',
    'ChargeClass',
    'ChargeDescription',
    'ChargePeriodEnd',
    'ChargePeriodStart',
    'ContractedCost',
    'EffectiveCost',
    'InvoiceIssuerName',
    'ListCost',
    'PricingQuantity',
    'PricingUnit',
    'ProviderName',
    'PublisherName',
    'ServiceCategory',
    'ServiceName',
  ] as const;
  const NEVER_NULL = MANDATORY.filter(
    (column) =>
      !['BillingAccountName', 'ChargeClass', 'PricingQuantity', 'PricingUnit'].includes(column),
  );
  const NUMBERS = [
    'BilledCost',
    'ContractedCost',
    'EffectiveCost',
    'ListCost',
    'ListUnitPrice',
    'ContractedUnitPrice',
    'PricingQuantity',
    'ConsumedQuantity',
  ] as const;
  const full = document(HOSTING, { credits: [CREDIT] });

  it('has all mandatory columns, in CSV and in JSON', () => {
    expect(FOCUS_COLUMNS).toEqual(expect.arrayContaining([...MANDATORY]));
    expect(focusCsv(full, 'Quayside').split('\r\n')[0]?.split(',')).toEqual([...FOCUS_COLUMNS]);
    const rows: Record<string, unknown>[] = JSON.parse(focusJson(full, 'Quayside'));
    expect(Object.keys(rows[0] ?? {})).toEqual([...FOCUS_COLUMNS]);
    expect(rows.find(({ ListUnitPrice }) => ListUnitPrice === 0.36)).toMatchObject({
      BilledCost: 104.4,
      PricingQuantity: 290,
    });
  });

  it('keeps to the allowed values, formats and nulls, for any usage by any card', () => {
    fc.assert(
      fc.property(anySavedUsage, anyCard, (usage, priced) => {
        for (const row of focusRows(
          document(Object.fromEntries(usage), { card: priced, credits: [CREDIT] }),
          'Quayside',
        )) {
          for (const column of NEVER_NULL) expect(row[column]).toMatch(/./);
          for (const column of NUMBERS) expect(row[column] ?? '0').toMatch(/^-?\d+(\.\d+)?$/);
          expect(row.BillingPeriodStart).toBe('2026-03-01T00:00:00Z');
          expect(row.ChargePeriodEnd).toBe('2026-04-01T00:00:00Z');
          expect(['Usage', 'Adjustment', 'Credit']).toContain(row.ChargeCategory);
          expect(['Usage-Based', 'Recurring', 'One-Time']).toContain(row.ChargeFrequency);
          expect([row.ServiceCategory, row.ServiceSubcategory]).toEqual([
            'Storage',
            'Object Storage',
          ]);
          expect(row.ChargeClass).toBe(null);
          const isUsage = row.ChargeCategory === 'Usage';
          for (const column of [
            'PricingQuantity',
            'PricingUnit',
            'ListUnitPrice',
            'ContractedUnitPrice',
            'SkuId',
            'SkuPriceId',
            'PricingCategory',
          ] as const) {
            expect(row[column] !== null).toBe(isUsage);
          }
          expect(row.ConsumedUnit === null).toBe(row.ConsumedQuantity === null);
          if (isUsage) expect(row.PricingUnit).toMatch(/^((GB|GiB)(-Months)?|\d+ Requests)$/);
        }
      }),
    );
  });

  it('prices times quantities are the costs, and costs add up to the invoice', () => {
    fc.assert(
      fc.property(anySavedUsage, anyCard, (usage, priced) => {
        const bill = document(Object.fromEntries(usage), { card: priced, credits: [CREDIT] });
        const rows = focusRows(bill, 'Quayside');
        const micro = (text: string) => BigInt(text.replace('.', ''));
        expect(rows.reduce((sum, { BilledCost }) => sum + micro(BilledCost ?? ''), 0n)).toBe(
          bill.invoice.totalMicro,
        );
        for (const { ListUnitPrice, PricingQuantity, ListCost } of rows) {
          if (ListUnitPrice === null || PricingQuantity === null) continue;
          const scaled = (text: string) => {
            const [whole = '', fraction = ''] = text.split('.');
            return BigInt(whole + fraction.padEnd(12, '0'));
          };
          // Quantities have 12 digits and costs 6, each rounded once.
          const difference =
            scaled(ListUnitPrice) * scaled(PricingQuantity) - scaled(ListCost ?? '') * 10n ** 12n;
          expect(difference < 2n * 10n ** 18n && difference > -2n * 10n ** 18n).toBe(true);
        }
      }),
    );
  });

  /** A usage cut into what each of some buckets, and none, used of it. */
  const cut = (usage: Usage, parts: readonly number[]): BucketUsage[] => {
    const all = parts.reduce((sum, part) => sum + part, 1);
    const quantities = (part: number) =>
      new Map(
        [...usage].map(([meter, quantity]) => [meter, (quantity * BigInt(part)) / BigInt(all)]),
      );
    return parts.map((part, at) => {
      const bucket =
        at === 0 ? null : { id: `b${at}~id` as BucketId, name: `b${at}` as BucketName };
      return { bucket, quantities: quantities(part) };
    });
  };

  it('shares each price out between buckets, so that it stays what it is', () => {
    const anyParts = fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(anySavedUsage, anyCard, anyParts, (usage, priced, parts) => {
        const bill = document(Object.fromEntries(usage), { card: priced, credits: [CREDIT] });
        const split = focusRows(bill, 'Quayside', cut(bill.usage, parts));
        const sums = (
          rows: readonly FocusRow[],
          column: 'BilledCost' | 'ConsumedQuantity' | 'PricingQuantity',
        ) => {
          const digits = (text: string) => {
            const [whole = '', fraction = ''] = text.split('.');
            return BigInt(whole + fraction.padEnd(12, '0'));
          };
          const of = Map.groupBy(
            rows,
            ({ SkuPriceId, ChargeDescription }) => `${SkuPriceId} ${ChargeDescription}`,
          );
          return new Map(
            [...of].map(([key, all]) => [
              key,
              all.reduce((sum, row) => sum + digits(row[column] ?? '0'), 0n),
            ]),
          );
        };
        const whole = focusRows(bill, 'Quayside');
        for (const column of ['BilledCost', 'ConsumedQuantity', 'PricingQuantity'] as const) {
          expect(sums(split, column)).toEqual(sums(whole, column));
        }
        for (const row of split) {
          expect([row.ResourceId === null, row.ResourceType === null]).toEqual(
            Array(2).fill(row.ResourceName === null),
          );
        }
      }),
    );
  });

  it('shares 290 million reads by three between buckets, with the micro-unit left over', () => {
    const bill = document(HOSTING);
    const used = (name: string, reads: bigint): BucketUsage => ({
      bucket: { id: `${name}~1` as BucketId, name: name as BucketName },
      quantities: new Map([['class-b/STANDARD', reads]]),
    });
    const rows = focusRows(bill, 'Quayside', [used('a', 1n), used('b', 1n), used('c', 5n)]);
    const paid = rows.filter(({ ChargeDescription }) => ChargeDescription === 'Class B operations');
    // 104.400000 in sevenths: 14.914285|7 twice and 74.571428|5. Two micro-units are left, for
    // those that lost most.
    expect(
      paid.map(({ ResourceId, ResourceName, ResourceType, BilledCost }) => [
        ResourceId,
        ResourceName,
        ResourceType,
        BilledCost,
      ]),
    ).toEqual([
      ['a~1', 'a', 'Bucket', '14.914286'],
      ['b~1', 'b', 'Bucket', '14.914286'],
      ['c~1', 'c', 'Bucket', '74.571428'],
    ]);
    // Usage of no known bucket has no resource.
    expect(
      rows.filter(({ ChargeDescription }) => ChargeDescription?.startsWith('Storage')),
    ).toMatchObject([{ ResourceId: null, ConsumedQuantity: '10' }]);
  });
});
