// Prices a month: an invoice is a pure function of usage, rate card and period, so
// equal input gives equal amounts to the last micro-unit, now and in ten years.
// Amounts are exact fractions until each line is rounded once. It reads no clock
// and no store.

import {
  isSaving,
  isStorage,
  isUsed,
  type MeterName,
  SAVINGS,
  type Saving,
  savedOf,
  savingMeter,
  type Usage,
} from '../../metering/usage.ts';
import { divideRounded, divideUp, least, MICRO, SCALE } from '../decimal.ts';
import { type BillingMonth, hoursOf } from '../month.ts';
import type { CardLine, RateCard, Tier } from '../prices/rate-card.ts';

/**
 * What a line costs in one tier of its prices; what is free of it comes as the
 * first part.
 */
export type InvoicePart = {
  /** Which of the line's tiers, from 0; null for what is free before them. */
  readonly tier: number | null;
  /** In units, scaled by 10^12 and rounded. */
  readonly units: bigint;
  /** For a unit, in the currency, scaled by 10^12. */
  readonly price: bigint;
  readonly amountMicro: bigint;
};

export type InvoiceLine = {
  readonly label: string;
  /**
   * Null for a line of usage. Otherwise what is saved of the usage line before it:
   * units that need not be paid, with negative amounts.
   */
  readonly saving: Saving | null;
  readonly meters: readonly MeterName[];
  readonly unitName: string;
  /**
   * In units, scaled by 10^12 and rounded: for people. The amount comes from the
   * exact quantity.
   */
  readonly units: bigint;
  readonly billedUnits: bigint;
  /**
   * Tier by tier; their amounts add up to the line's. Units that were rounded up
   * are in the last.
   */
  readonly parts: readonly InvoicePart[];
  readonly amountMicro: bigint;
};

/**
 * Late usage: the ledger heard of it after its month was closed (late-usage.ts).
 */
export type LateUsage = {
  readonly period: BillingMonth;
  /** The card that the month was billed by. */
  readonly card: RateCard;
  /** Usage of the month that was billed before, and with this. */
  readonly before: Usage;
  readonly after: Usage;
  /** Differences of the month's lines; units and amounts may be negative. */
  readonly lines: readonly InvoiceLine[];
  readonly minimumMicro: bigint;
  readonly amountMicro: bigint;
};

/** Money that an account need not pay; `id` is the grant that it comes from. */
export type Credit = { readonly id: string; readonly label: string; readonly amountMicro: bigint };

export type Invoice = {
  readonly cardId: string;
  readonly currency: string;
  readonly period: BillingMonth;
  readonly lines: readonly InvoiceLine[];
  /** What the lines lack of the card's minimum; 0 where nothing was used at all. */
  readonly minimumMicro: bigint;
  /** Late usage of months before. */
  readonly late: readonly LateUsage[];
  /**
   * What is taken off; together never more than the lines, the minimum and late
   * usage.
   */
  readonly credits: readonly Credit[];
  readonly totalMicro: bigint;
  /** Usage that the card has no price for: it costs nothing, and is shown. */
  readonly unpriced: Usage;
};

/**
 * Prices a month's usage. Late usage that would take off more than there is to pay
 * waits for a later bill. Cost: some BigInt operations per line.
 */
export function makeInvoice(
  usage: Usage,
  card: RateCard,
  period: BillingMonth,
  credits: readonly Credit[] = [],
  lateUsage: readonly LateUsage[] = [],
): Invoice {
  const monthHours = card.monthHours === 'calendar' ? hoursOf(period) : card.monthHours;
  const lines = card.lines.flatMap((line) => priceLine(line, usage, monthHours));
  const linesMicro = lines.reduce((sum, { amountMicro }) => sum + amountMicro, 0n);

  const leastMicro = divideRounded(card.minimum * MICRO, SCALE);
  const minimumMicro = isUsed(usage) && leastMicro > linesMicro ? leastMicro - linesMicro : 0n;

  let owedMicro = linesMicro + minimumMicro;
  const late = lateUsage.filter(({ amountMicro }) => {
    if (owedMicro + amountMicro < 0n) return false;
    owedMicro += amountMicro;
    return true;
  });
  const usedCredits = takeCredits(credits, owedMicro);

  return {
    cardId: card.id,
    currency: card.currency,
    period,
    lines,
    minimumMicro,
    late,
    credits: usedCredits,
    totalMicro: usedCredits.reduce((total, credit) => total - credit.amountMicro, owedMicro),
    unpriced: unpricedUsage(usage, card),
  };
}

function unpricedUsage(usage: Usage, card: RateCard): Usage {
  const pricedMeters = new Set(card.lines.flatMap((line) => line.meters));
  const isUnpriced = ([meter, quantity]: [MeterName, bigint]) =>
    !pricedMeters.has(meter) && !isSaving(meter) && quantity !== 0n;
  return new Map([...usage].filter(isUnpriced));
}

const sumOf = (usage: Usage, meters: readonly MeterName[]): bigint =>
  meters.reduce((sum, meter) => sum + (usage.get(meter) ?? 0n), 0n);

/**
 * Prices a line of the card: an invoice line of all its usage, and one for each
 * saving. Their sum is the price of what is left.
 */
function priceLine(line: CardLine, usage: Usage, monthHours: bigint): readonly InvoiceLine[] {
  const freeStored = line.freePerStored === null ? 0n : sumOf(usage, line.freePerStored.meters);
  const price = (quantity: bigint) => priceQuantity(line, quantity, freeStored, monthHours);
  const stored = line.meters.filter(isStorage);
  let left = sumOf(usage, line.meters);
  let before = price(left);
  const lines = [before];
  for (const saving of SAVINGS) {
    const saved = stored.reduce((sum, meter) => sum + savedOf(usage, meter)[saving], 0n);
    if (saved === 0n) continue;
    left -= saved;
    const after = price(left);
    lines.push(savingLine(saving, stored, before, after));
    before = after;
  }
  return lines;
}

const SAVING_LABELS: Readonly<Record<Saving, string>> = {
  deduplicated: 'saved by deduplication',
  compressed: 'saved by compression',
};

/**
 * The line of what a saving saves, tier by tier; no tier has more after it than
 * before.
 */
function savingLine(
  saving: Saving,
  stored: readonly MeterName[],
  before: InvoiceLine,
  after: InvoiceLine,
): InvoiceLine {
  const parts = before.parts.flatMap((part) => {
    const left = after.parts.find(({ tier }) => tier === part.tier);
    const units = part.units - (left?.units ?? 0n);
    return units === 0n
      ? []
      : [{ ...part, units, amountMicro: (left?.amountMicro ?? 0n) - part.amountMicro }];
  });
  return {
    label: `${before.label}, ${SAVING_LABELS[saving]}`,
    saving,
    meters: stored.map((meter) => savingMeter(saving, meter)),
    unitName: before.unitName,
    units: before.units - after.units,
    billedUnits: before.billedUnits - after.billedUnits,
    parts,
    amountMicro: after.amountMicro - before.amountMicro,
  };
}

/**
 * Prices a quantity of a line's meters, exactly: whole numbers over `unitSize` ×
 * 10^12, until the line's amount is rounded once. `stored`: byte-hours that the
 * free allowance goes by, as clients see them, whatever is saved of them.
 */
function priceQuantity(
  line: CardLine,
  quantity: bigint,
  stored: bigint,
  monthHours: bigint,
): InvoiceLine {
  // Storage comes in byte-hours. To compare it with other quantities, those are
  // multiplied by the hours of the month.
  const share = line.freePerStored === null ? 1n : monthHours;
  const unitSize = line.unit.size * (line.unit.isPerMonth ? monthHours : share);
  const used = quantity * share * SCALE;
  const freeStored = line.freePerStored === null ? 0n : stored * line.freePerStored.times;
  const free = least(used, line.free * unitSize + freeStored);
  const owed = used - free;
  const billed = line.isRoundedUp ? divideUp(owed, SCALE * unitSize) * SCALE * unitSize : owed;
  const paid = priceTiers(billed, unitSize, line.tiers);
  const included = { tier: null, units: divideRounded(free, unitSize), price: 0n, amountMicro: 0n };
  return {
    label: line.label,
    saving: null,
    meters: line.meters,
    unitName: line.unit.name,
    units: divideRounded(used, unitSize),
    billedUnits: divideRounded(billed, unitSize),
    parts: free > 0n ? [included, ...paid] : paid,
    amountMicro: paid.reduce((sum, part) => sum + part.amountMicro, 0n),
  };
}

/**
 * Prices units tier by tier. Amounts are differences of rounded sums, so that they
 * add up to the rounded sum.
 */
function priceTiers(
  billed: bigint,
  unitSize: bigint,
  tiers: readonly Tier[],
): readonly InvoicePart[] {
  const parts: InvoicePart[] = [];
  const micro = (cost: bigint): bigint => divideRounded(cost * MICRO, unitSize * SCALE * SCALE);
  let cost = 0n;
  let start = 0n;
  for (const [tier, { upTo, price }] of tiers.entries()) {
    const end = upTo === null ? billed : least(upTo * unitSize, billed);
    if (end <= start) break;
    const before = micro(cost);
    cost += (end - start) * price;
    parts.push({
      tier,
      units: divideRounded(end - start, unitSize),
      price,
      amountMicro: micro(cost) - before,
    });
    start = end;
  }
  return parts;
}

/** Takes credits in their order until nothing is left to pay. */
function takeCredits(credits: readonly Credit[], sumMicro: bigint): readonly Credit[] {
  let leftMicro = sumMicro;
  return credits.flatMap((credit) => {
    const amountMicro = least(credit.amountMicro, leftMicro);
    if (amountMicro <= 0n) return [];
    leftMicro -= amountMicro;
    return [{ ...credit, amountMicro }];
  });
}
