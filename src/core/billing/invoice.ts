// An invoice is a pure function of usage, rate card and period: the same three give the same amounts to the last
// micro-unit, now and in ten years. Amounts are exact fractions until each line is rounded once.
import { divideRounded, divideUp, MICRO, SCALE } from './decimal.ts';
import type { CardLine, RateCard, Tier } from './rate-card.ts';
import type { MeterName, Usage } from './usage.ts';

/** A calendar month in UTC. */
export type BillingMonth = { readonly year: number; readonly month: number };

export type InvoiceLine = {
  readonly label: string;
  readonly meters: readonly MeterName[];
  readonly unitName: string;
  /** In units, scaled by 10^12 and rounded: for people. The amount comes from the exact quantity. */
  readonly units: bigint;
  readonly billedUnits: bigint;
  readonly amountMicro: bigint;
};

export type Credit = { readonly label: string; readonly amountMicro: bigint };

export type Invoice = {
  readonly cardId: string;
  readonly currency: string;
  readonly period: BillingMonth;
  readonly lines: readonly InvoiceLine[];
  /** What is taken off; together never more than the lines. */
  readonly credits: readonly Credit[];
  readonly totalMicro: bigint;
  /** Usage that the card has no price for: it costs nothing, and is shown. */
  readonly unpriced: Usage;
};

const MS_PER_HOUR = 3_600_000;

/** Hours of a calendar month. */
export function hoursOf({ year, month }: BillingMonth): bigint {
  return BigInt((Date.UTC(year, month, 1) - Date.UTC(year, month - 1, 1)) / MS_PER_HOUR);
}

/** Prices a month's usage. Cost: some BigInt operations per line. */
export function makeInvoice(
  usage: Usage,
  card: RateCard,
  period: BillingMonth,
  credits: readonly Credit[] = [],
): Invoice {
  const monthHours = card.monthHours === 'calendar' ? hoursOf(period) : card.monthHours;
  const lines = card.lines.map((line) => priceLine(line, usage, monthHours));
  const priced = new Set(card.lines.flatMap((line) => line.meters));
  const sum = lines.reduce((total, line) => total + line.amountMicro, 0n);
  const given = takeCredits(credits, sum);
  return {
    cardId: card.id,
    currency: card.currency,
    period,
    lines,
    credits: given,
    totalMicro: given.reduce((total, credit) => total - credit.amountMicro, sum),
    unpriced: new Map([...usage].filter(([meter, quantity]) => !priced.has(meter) && quantity !== 0n)),
  };
}

function priceLine(line: CardLine, usage: Usage, monthHours: bigint): InvoiceLine {
  const quantity = line.meters.reduce((sum, meter) => sum + (usage.get(meter) ?? 0n), 0n);
  const unitSize = line.unit.size * (line.unit.isPerMonth ? monthHours : 1n);
  // In units scaled by 10^12, as a fraction over `unitSize`.
  const used = quantity * SCALE;
  const beyondFree = used - line.free * unitSize;
  const owed = beyondFree > 0n ? beyondFree : 0n;
  const billed = line.isRoundedUp ? divideUp(owed, SCALE * unitSize) * SCALE * unitSize : owed;
  return {
    label: line.label,
    meters: line.meters,
    unitName: line.unit.name,
    units: divideRounded(used, unitSize),
    billedUnits: divideRounded(billed, unitSize),
    amountMicro: divideRounded(costOf(billed, unitSize, line.tiers) * MICRO, unitSize * SCALE * SCALE),
  };
}

/** Units times price, tier by tier: a whole number over `unitSize` × 10^24. */
function costOf(billed: bigint, unitSize: bigint, tiers: readonly Tier[]): bigint {
  let cost = 0n;
  let start = 0n;
  for (const { upTo, price } of tiers) {
    const end = upTo === null || upTo * unitSize > billed ? billed : upTo * unitSize;
    if (end > start) cost += (end - start) * price;
    if (end === billed) break;
    start = end;
  }
  return cost;
}

/** Credits in their order until nothing is left to pay. */
function takeCredits(credits: readonly Credit[], sumMicro: bigint): readonly Credit[] {
  let left = sumMicro;
  return credits.flatMap(({ label, amountMicro }) => {
    const taken = amountMicro < left ? amountMicro : left;
    if (taken <= 0n) return [];
    left -= taken;
    return [{ label, amountMicro: taken }];
  });
}
