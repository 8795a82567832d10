// A bill as a FOCUS dataset, the FinOps Open Cost and Usage Specification, version 1.2: one row for
// each price of each line, so that price times quantity is the cost. All columns that 1.2 makes
// mandatory, and those of its others that say something here. Source:
// https://focus.finops.org/focus-specification/v1-2/
import { formatDecimal, formatMicro } from '../decimal.ts';
import type { Credit, InvoiceLine, InvoicePart } from '../invoices/invoice.ts';
import type { InvoiceDocument } from '../invoices/invoice-document.ts';
import { amountsOf } from '../invoices/terms.ts';
import { monthBounds, monthText } from '../month.ts';
import type { CardLine } from '../prices/rate-card.ts';
import { type BucketUsage, shareOut, weightsOf } from './bucket-shares.ts';
import { csvText } from './csv.ts';

/** In the order of the file. */
export const FOCUS_COLUMNS = [
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargeFrequency',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ContractedCost',
  'ContractedUnitPrice',
  'EffectiveCost',
  'InvoiceId',
  'InvoiceIssuerName',
  'ListCost',
  'ListUnitPrice',
  'PricingCategory',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceCategory',
  'ServiceName',
  'ServiceSubcategory',
  'SkuId',
  'SkuMeter',
  'SkuPriceId',
] as const;

export type FocusColumn = (typeof FOCUS_COLUMNS)[number];
/** Numbers are texts of decimals, so that none is rounded; null is no value. */
export type FocusRow = Readonly<Record<FocusColumn, string | null>>;

const GB_UNITS: ReadonlyMap<bigint, string> = new Map([
  [10n ** 6n, 'MB'],
  [10n ** 9n, 'GB'],
  [10n ** 12n, 'TB'],
  [2n ** 20n, 'MiB'],
  [2n ** 30n, 'GiB'],
  [2n ** 40n, 'TiB'],
]);
/** What each kind of meter is called where it is sold. */
const METER_TITLES: Readonly<Record<string, string>> = {
  storage: 'Storage',
  'early-delete': 'Storage',
  egress: 'Data Transfer',
  retrieval: 'Data Retrieval',
};

/** `2026-11-01T00:00:00Z`, as FOCUS writes times. */
const focusTime = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');

/**
 * `issuer`: who provides and bills. `buckets`: what each used, by which lines are shared out;
 * without them rows have no resources. Costs of the rows add up to the invoice's total and its tax,
 * to the last micro-unit.
 */
export function focusRows(
  document: InvoiceDocument,
  issuer: string,
  buckets: readonly BucketUsage[] = [],
): readonly FocusRow[] {
  const sender = document.terms?.seller.name ?? issuer;
  const { startMs, endMs } = monthBounds(document.invoice.period);
  const [start, end] = [focusTime(startMs), focusTime(endMs)];
  const common = {
    BillingAccountId: document.accountId,
    BillingAccountName: document.accountName,
    BillingCurrency: document.invoice.currency,
    BillingPeriodEnd: end,
    BillingPeriodStart: start,
    ChargeClass: null,
    ChargePeriodEnd: end,
    ChargePeriodStart: start,
    InvoiceId: document.number,
    InvoiceIssuerName: sender,
    ProviderName: sender,
    PublisherName: sender,
    ServiceCategory: 'Storage',
    ServiceName: 'Object Storage',
    ServiceSubcategory: 'Object Storage',
  };
  const used = document.invoice.lines.filter((line) => line.saving === null);
  const usedRows = used.flatMap((line, at) => {
    const cardLine = document.card.lines[at];
    return cardLine === undefined ? [] : lineRows(document.card.id, cardLine, line, buckets);
  });
  // Quantities and unit prices of usage may not be negative there, so a saving is an adjustment.
  const saved = document.invoice.lines
    .filter((line) => line.saving !== null)
    .flatMap((line) =>
      shares(line.meters, buckets, [line.amountMicro]).map(
        ({ resource, values: [amountMicro = 0n] }) => ({
          ...otherRow('Adjustment', 'Usage-Based', line.label, amountMicro),
          ...resource,
        }),
      ),
    );
  const { minimumMicro, credits } = document.invoice;
  const least =
    minimumMicro === 0n
      ? []
      : [otherRow('Adjustment', 'Recurring', 'Minimum of the month', minimumMicro)];
  const taken = credits.map((credit: Credit) =>
    otherRow('Credit', 'One-Time', credit.label, -credit.amountMicro),
  );
  // The specification calls a correction what belongs to a period that was billed before.
  const late = document.invoice.late.flatMap(({ period, lines, minimumMicro: missing }) => {
    const of = `late usage of ${monthText(period)}`;
    const rows = lines.map((line) =>
      otherRow('Adjustment', 'Usage-Based', `${line.label}, ${of}`, line.amountMicro),
    );
    const minimum =
      missing === 0n
        ? []
        : [otherRow('Adjustment', 'Recurring', `Minimum of the month, ${of}`, missing)];
    const bounds = monthBounds(period);
    const times = {
      ChargePeriodStart: focusTime(bounds.startMs),
      ChargePeriodEnd: focusTime(bounds.endMs),
    };
    return [...rows, ...minimum].map((row) => ({ ...row, ...times, ChargeClass: 'Correction' }));
  });
  const { totalMicro, currency } = document.invoice;
  const { taxMicro } = amountsOf(totalMicro, currency, document.terms);
  const tax =
    taxMicro === 0n
      ? []
      : [otherRow('Tax', 'Recurring', `Tax, ${document.terms?.taxPercent} %`, taxMicro)];
  const rows = [...usedRows, ...saved, ...least, ...late, ...taken, ...tax];
  return rows.map((row) => ({ ...common, ...row }));
}

/** Columns that differ between rows. */
type OwnColumns = Omit<
  FocusRow,
  | 'ChargeClass'
  | Extract<
      FocusColumn,
      `${'Billing' | 'ChargePeriod' | 'Invoice' | 'Provider' | 'Publisher' | 'Service'}${string}`
    >
>;

const NO_RESOURCE = { ResourceId: null, ResourceName: null, ResourceType: null };
type Resource = Pick<FocusRow, keyof typeof NO_RESOURCE>;

/**
 * Numbers of a line by bucket, each of which adds up to itself; a bucket that gets nothing of any
 * is left out.
 */
function shares(
  meters: InvoiceLine['meters'],
  buckets: readonly BucketUsage[],
  totals: readonly bigint[],
) {
  const weights = weightsOf(buckets, meters);
  const whole: { resource: Resource; values: readonly bigint[] }[] = [
    { resource: NO_RESOURCE, values: totals },
  ];
  const columns = totals.map((total) => shareOut(total, weights));
  if (columns.includes(null)) return whole;
  const rows = buckets.map(({ bucket }, at) => ({
    resource:
      bucket === null
        ? NO_RESOURCE
        : { ResourceId: bucket.id, ResourceName: bucket.name, ResourceType: 'Bucket' },
    values: columns.map((column) => column?.[at] ?? 0n),
  }));
  const used = rows.filter(({ values }) => values.some((value) => value !== 0n));
  return used.length === 0 ? whole : used;
}

function lineRows(
  cardId: string,
  { unit }: CardLine,
  line: InvoiceLine,
  buckets: readonly BucketUsage[],
): readonly OwnColumns[] {
  const [meter = ''] = line.meters;
  const kind = meter.split('/')[0] ?? '';
  const skuId = `${cardId}/${meter}`;
  const size = kind in METER_TITLES ? GB_UNITS.get(unit.size) : undefined;
  const name = size ?? `${unit.size} ${kind in METER_TITLES ? 'B' : 'Requests'}`;
  const pricingUnit = unit.isPerMonth ? `${name}-Months` : name;
  let left = line.units;
  return line.parts.flatMap((part: InvoicePart) => {
    // Units that were begun are paid whole, but not consumed.
    const consumed = part.units < left ? part.units : left;
    left -= consumed;
    const price = formatDecimal(part.price);
    const common = {
      ChargeCategory: 'Usage',
      ChargeDescription: part.tier === null ? `${line.label}, included` : line.label,
      ChargeFrequency: 'Usage-Based',
      ConsumedUnit: pricingUnit,
      ContractedUnitPrice: price,
      ListUnitPrice: price,
      PricingCategory: 'Standard',
      PricingUnit: pricingUnit,
      SkuId: skuId,
      SkuMeter: METER_TITLES[kind] ?? 'API Requests',
      SkuPriceId: `${skuId}/${part.tier === null ? 'included' : `tier-${part.tier + 1}`}`,
    };
    const totals = [part.amountMicro, consumed, part.units];
    return shares(line.meters, buckets, totals).map(
      ({ resource, values: [amountMicro = 0n, used = 0n, priced = 0n] }) => ({
        ...common,
        ...resource,
        ...costs(amountMicro),
        ConsumedQuantity: formatDecimal(used),
        PricingQuantity: formatDecimal(priced),
      }),
    );
  });
}

/**
 * Nothing is amortised and there are no discounts besides the prices themselves: the four costs are
 * one.
 */
function costs(amountMicro: bigint) {
  const cost = formatMicro(amountMicro, 6);
  return { BilledCost: cost, ContractedCost: cost, EffectiveCost: cost, ListCost: cost };
}

const otherRow = (
  category: string,
  frequency: string,
  description: string,
  amountMicro: bigint,
): OwnColumns => ({
  ...NO_RESOURCE,
  ...costs(amountMicro),
  ChargeCategory: category,
  ChargeDescription: description,
  ChargeFrequency: frequency,
  ConsumedQuantity: null,
  ConsumedUnit: null,
  ContractedUnitPrice: null,
  ListUnitPrice: null,
  PricingCategory: null,
  PricingQuantity: null,
  PricingUnit: null,
  SkuId: null,
  SkuMeter: null,
  SkuPriceId: null,
});

/** With a line of column names; empty where `focusJson` has null. */
export function focusCsv(
  document: InvoiceDocument,
  issuer: string,
  buckets: readonly BucketUsage[] = [],
): string {
  const rows = focusRows(document, issuer, buckets).map((row) =>
    FOCUS_COLUMNS.map((column) => row[column]),
  );
  return csvText([[...FOCUS_COLUMNS], ...rows]);
}

/** Numbers are JSON numbers with all their digits, null is null. */
export function focusJson(
  document: InvoiceDocument,
  issuer: string,
  buckets: readonly BucketUsage[] = [],
): string {
  const isMetric = (column: FocusColumn): boolean => /Cost$|Quantity$|UnitPrice$/.test(column);
  const rows = focusRows(document, issuer, buckets).map((row) => {
    const cells = FOCUS_COLUMNS.map((column) => {
      const value = row[column];
      return `${JSON.stringify(column)}:${value !== null && isMetric(column) ? value : JSON.stringify(value)}`;
    });
    return `{${cells.join(',')}}`;
  });
  return `[${rows.join(',\n')}]\n`;
}
