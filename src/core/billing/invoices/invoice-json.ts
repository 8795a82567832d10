// Invoices as JSON and back: what the API shows and what is stored of closed
// months. Money and quantities are texts of whole numbers, because they pass 2^53.
// Stored fields keep their names.
import type { StoredInvoice } from '../../../domain/billing/billing.ts';
import type { MeterName, Usage } from '../../metering/usage.ts';
import { formatDecimal, parseDecimal } from '../decimal.ts';
import { monthBounds, monthText, parseMonth } from '../month.ts';
import { parseRateCard } from '../prices/rate-card.ts';
import { rateCardJson } from '../prices/rate-card-json.ts';
import type { Invoice, InvoiceLine, LateUsage } from './invoice.ts';
import type { InvoiceDocument } from './invoice-document.ts';
import { amountsOf } from './terms.ts';

/**
 * Version of the stored format; a change that old readers can't read makes it 2.
 */
const FORMAT = 1;

type WrittenJson = ReturnType<typeof invoiceJson>;
/** A stored invoice, which may be older than the later fields. */
export type InvoiceJson = Omit<WrittenJson, LaterField> & {
  readonly [Name in LaterField]?: WrittenJson[Name];
};
type LaterField = 'issue' | 'terms' | 'late' | 'netMicro' | 'taxMicro' | 'payableMicro';

const usageJson = (usage: Usage): Readonly<Record<string, string>> =>
  Object.fromEntries([...usage].map(([meter, quantity]) => [meter, String(quantity)]));

const usageOf = (json: Readonly<Record<string, string>>): Usage =>
  new Map(Object.entries(json).map(([meter, quantity]) => [meter as MeterName, BigInt(quantity)]));

/**
 * An invoice as JSON: times are ISO 8601 in UTC, `*Micro` are millionths of the
 * currency.
 */
export function invoiceJson({ invoice, ...document }: InvoiceDocument) {
  const { startMs, endMs } = monthBounds(invoice.period);
  const amounts = amountsOf(invoice.totalMicro, invoice.currency, document.terms);
  return {
    format: FORMAT,
    number: document.number,
    issue: document.issue,
    status: document.closedAtMs === null ? 'open' : document.isVoid ? 'void' : 'closed',
    accountId: document.accountId,
    accountName: document.accountName,
    period: monthText(invoice.period),
    periodStart: new Date(startMs).toISOString(),
    periodEnd: new Date(endMs).toISOString(),
    closedAt: document.closedAtMs === null ? null : new Date(document.closedAtMs).toISOString(),
    terms: document.terms,
    currency: invoice.currency,
    lines: invoice.lines.map(lineJson),
    minimumMicro: String(invoice.minimumMicro),
    late: invoice.late.map(lateJson),
    credits: invoice.credits.map(({ id, label, amountMicro }) => ({
      id,
      label,
      amountMicro: String(amountMicro),
    })),
    totalMicro: String(invoice.totalMicro),
    netMicro: String(amounts.netMicro),
    taxMicro: String(amounts.taxMicro),
    payableMicro: String(amounts.payableMicro),
    unpriced: usageJson(invoice.unpriced),
    usage: usageJson(document.usage),
    card: rateCardJson(document.card),
  };
}

const lateJson = ({
  period,
  card,
  before,
  after,
  lines,
  minimumMicro,
  amountMicro,
}: LateUsage) => ({
  period: monthText(period),
  lines: lines.map(lineJson),
  minimumMicro: String(minimumMicro),
  amountMicro: String(amountMicro),
  usageBefore: usageJson(before),
  usageAfter: usageJson(after),
  card: rateCardJson(card),
});

const lineJson = (line: InvoiceLine) => ({
  label: line.label,
  saving: line.saving,
  meters: line.meters,
  unit: line.unitName,
  units: formatDecimal(line.units),
  billedUnits: formatDecimal(line.billedUnits),
  parts: line.parts.map(({ tier, units, price, amountMicro }) => ({
    tier,
    units: formatDecimal(units),
    price: formatDecimal(price),
    amountMicro: String(amountMicro),
  })),
  amountMicro: String(line.amountMicro),
});

/**
 * Reads what `invoiceJson` wrote, as it was written: nothing is computed anew.
 * Error for anything else.
 */
export function parseInvoiceJson(json: InvoiceJson): InvoiceDocument {
  const period = parseMonth(json.period);
  if (json.format !== FORMAT || period === null)
    throw new Error(`Invoice ${json.number} has an unknown format.`);
  const card = parseRateCard(json.card);
  const invoice: Invoice = {
    cardId: card.id,
    currency: json.currency,
    period,
    lines: json.lines.map(parseLine),
    minimumMicro: BigInt(json.minimumMicro),
    // Invoices from before had neither late usage nor terms.
    late: (json.late ?? []).map(parseLate),
    credits: json.credits.map((credit) => ({ ...credit, amountMicro: BigInt(credit.amountMicro) })),
    totalMicro: BigInt(json.totalMicro),
    unpriced: usageOf(json.unpriced),
  };
  return {
    number: json.number,
    accountId: json.accountId,
    accountName: json.accountName,
    closedAtMs: json.closedAt === null ? null : Date.parse(json.closedAt),
    issue: json.issue ?? 0,
    isVoid: json.status === 'void',
    terms: json.terms ?? null,
    card,
    usage: usageOf(json.usage),
    invoice,
  };
}

/**
 * Reads a bill from its row in the directory, which has its number, its issue and
 * whether it is void.
 */
export function parseStoredInvoice({
  json,
  number,
  issue,
  isVoid,
}: StoredInvoice): InvoiceDocument {
  return { ...parseInvoiceJson(JSON.parse(json) as InvoiceJson), number, issue, isVoid };
}

function parseLate(json: NonNullable<InvoiceJson['late']>[number]): LateUsage {
  const period = parseMonth(json.period);
  if (period === null) throw new Error(`${json.period} is no month.`);
  return {
    period,
    card: parseRateCard(json.card),
    before: usageOf(json.usageBefore),
    after: usageOf(json.usageAfter),
    lines: json.lines.map(parseLine),
    minimumMicro: BigInt(json.minimumMicro),
    amountMicro: BigInt(json.amountMicro),
  };
}

/** Reads a signed decimal: late usage and savings may be negative. */
function decimal(text: string): bigint {
  const value = parseDecimal(text.replace(/^-/, ''));
  if (value === null) throw new Error(`${text} is no decimal.`);
  return text.startsWith('-') ? -value : value;
}

const parseLine = (line: InvoiceJson['lines'][number]): InvoiceLine => ({
  label: line.label,
  // Invoices from before there were savings have none.
  saving: line.saving ?? null,
  meters: line.meters,
  unitName: line.unit,
  units: decimal(line.units),
  billedUnits: decimal(line.billedUnits),
  parts: line.parts.map(({ tier, units, price, amountMicro }) => ({
    tier,
    units: decimal(units),
    price: decimal(price),
    amountMicro: BigInt(amountMicro),
  })),
  amountMicro: BigInt(line.amountMicro),
});
