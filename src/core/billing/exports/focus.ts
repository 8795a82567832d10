// A bill as a FOCUS dataset (FinOps Open Cost and Usage Specification, version
// 1.2). It has one row for each price of each line, so that price times quantity is
// the cost. Columns are all that 1.2 makes mandatory, and the others that say
// something here. Source: https://focus.finops.org/focus-specification/v1-2/
import { formatDecimal, formatMicro } from '../decimal.ts';
import type { Credit, Invoice, InvoiceLine, InvoicePart, LateUsage } from '../invoices/invoice.ts';
import type { InvoiceDocument } from '../invoices/invoice-document.ts';
import { amountsOf } from '../invoices/terms.ts';
import { monthBounds, monthText } from '../month.ts';
import type { CardLine } from '../prices/rate-card.ts';
import { type BucketUsage, shareOut, weightsOf } from './bucket-shares.ts';
import { csvText } from './csv.ts';

/** Columns of the dataset, in the order of the file. */
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
/**
 * A row of the dataset. Numbers are texts of decimals, so that none is rounded;
 * null: no value.
 */
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

/** A time as FOCUS writes it: `2026-11-01T00:00:00Z`. */
const focusTime = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');

/**
 * Makes the rows of a bill; their costs add up to its total and tax, to the last
 * micro-unit. `issuer`: who provides and bills. `buckets`: what each used, by which
 * lines are shared out; without them rows have no resources.
 */
export function focusRows(
  document: InvoiceDocument,
  issuer: string,
  buckets: readonly BucketUsage[] = [],
): readonly FocusRow[] {
  const { invoice } = document;
  const common = commonColumns(document, issuer);
  const rows = [
    ...usedRows(document, buckets),
    ...savedRows(invoice, buckets),
    ...minimumRows('Minimum of the month', invoice.minimumMicro),
    ...invoice.late.flatMap(lateRows),
    ...invoice.credits.map(creditRow),
    ...taxRows(document),
  ];
  return rows.map((row) => ({ ...common, ...row }));
}

/** Columns that are alike in all rows, unless a row has its own value. */
function commonColumns({ invoice, ...document }: InvoiceDocument, issuer: string) {
  const sender = document.terms?.seller.name ?? issuer;
  const { startMs, endMs } = monthBounds(invoice.period);
  const start = focusTime(startMs);
  const end = focusTime(endMs);
  return {
    BillingAccountId: document.accountId,
    BillingAccountName: document.accountName,
    BillingCurrency: invoice.currency,
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
}

/** Rows of all that was used, tier by tier. */
function usedRows({ invoice, card }: InvoiceDocument, buckets: readonly BucketUsage[]) {
  const lines = invoice.lines.filter((line) => line.saving === null);
  return lines.flatMap((line, index) => {
    const cardLine = card.lines[index];
    return cardLine === undefined ? [] : lineRows(card.id, cardLine, line, buckets);
  });
}

/**
 * Rows of what was saved. FOCUS allows no negative quantity or price of usage, so a
 * saving is an adjustment.
 */
function savedRows({ lines }: Invoice, buckets: readonly BucketUsage[]): readonly OwnColumns[] {
  const savings = lines.filter((line) => line.saving !== null);
  return savings.flatMap(({ meters, label, amountMicro }) =>
    shares(meters, buckets, [amountMicro]).map(({ resource, values: [shareMicro = 0n] }) => ({
      ...otherRow('Adjustment', 'Usage-Based', label, shareMicro),
      ...resource,
    })),
  );
}

const minimumRows = (description: string, minimumMicro: bigint): readonly OwnColumns[] =>
  minimumMicro === 0n ? [] : [otherRow('Adjustment', 'Recurring', description, minimumMicro)];

/**
 * Rows of late usage: FOCUS calls a charge of a period that was billed before a
 * correction.
 */
function lateRows({ period, lines, minimumMicro }: LateUsage) {
  const suffix = `late usage of ${monthText(period)}`;
  const bounds = monthBounds(period);
  const correction = {
    ChargePeriodStart: focusTime(bounds.startMs),
    ChargePeriodEnd: focusTime(bounds.endMs),
    ChargeClass: 'Correction',
  };
  const rows = lines.map(({ label, amountMicro }) =>
    otherRow('Adjustment', 'Usage-Based', `${label}, ${suffix}`, amountMicro),
  );
  const minimum = minimumRows(`Minimum of the month, ${suffix}`, minimumMicro);
  return [...rows, ...minimum].map((row) => ({ ...row, ...correction }));
}

const creditRow = ({ label, amountMicro }: Credit): OwnColumns =>
  otherRow('Credit', 'One-Time', label, -amountMicro);

function taxRows({ invoice, terms }: InvoiceDocument): readonly OwnColumns[] {
  const { taxMicro } = amountsOf(invoice.totalMicro, invoice.currency, terms);
  if (taxMicro === 0n) return [];
  return [otherRow('Tax', 'Recurring', `Tax, ${terms?.taxPercent} %`, taxMicro)];
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
 * Shares the numbers of a line out between buckets; the shares of each add up to
 * it. A bucket that gets nothing of any is left out.
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

  const rows = buckets.map(({ bucket }, index) => ({
    resource:
      bucket === null
        ? NO_RESOURCE
        : { ResourceId: bucket.id, ResourceName: bucket.name, ResourceType: 'Bucket' },
    values: columns.map((column) => column?.[index] ?? 0n),
  }));
  const used = rows.filter(({ values }) => values.some((value) => value !== 0n));
  return used.length === 0 ? whole : used;
}

/**
 * Rows of one line: one for each tier and bucket, with quantities and unit prices.
 */
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
 * The four costs of a row, which are one: nothing is amortised, and the prices are
 * the only discounts.
 */
function costs(amountMicro: bigint) {
  const cost = formatMicro(amountMicro, 6);
  return { BilledCost: cost, ContractedCost: cost, EffectiveCost: cost, ListCost: cost };
}

/** A row without quantities and unit prices. */
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

/**
 * Writes the dataset as CSV, with a line of column names; cells without a value are
 * empty.
 */
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

/** Writes the dataset as JSON: numbers are JSON numbers with all their digits. */
export function focusJson(
  document: InvoiceDocument,
  issuer: string,
  buckets: readonly BucketUsage[] = [],
): string {
  const isMetric = (column: FocusColumn): boolean => /Cost$|Quantity$|UnitPrice$/.test(column);
  const jsonOf = (column: FocusColumn, value: string | null): string =>
    value !== null && isMetric(column) ? value : JSON.stringify(value);
  const rows = focusRows(document, issuer, buckets).map((row) => {
    const members = FOCUS_COLUMNS.map(
      (column) => `${JSON.stringify(column)}:${jsonOf(column, row[column])}`,
    );
    return `{${members.join(',')}}`;
  });
  return `[${rows.join(',\n')}]\n`;
}
