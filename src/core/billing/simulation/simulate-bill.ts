// Simulates bills: what a month would have cost by other cards, and with one thing
// done otherwise. The ledger does not know objects, so each what-if says what it
// assumes; where it can't know, it assumes what costs more. Pure.

import {
  addUsage,
  isOverTime,
  type MeterKind,
  type MeterName,
  SAVINGS,
  type Usage,
} from '../../metering/usage.ts';
import { divideRounded, divideUp, least } from '../decimal.ts';
import { type Invoice, makeInvoice } from '../invoices/invoice.ts';
import { type BillingMonth, hoursOf } from '../month.ts';
import type { RateCard } from '../prices/rate-card.ts';

const HOURS_PER_DAY = 24;
/** Basis points of a whole: shares are given in 1/10,000. */
const BASIS_POINTS = 10_000n;

/** A month as the simulator replays it. */
export type ReplayedMonth = {
  readonly period: BillingMonth;
  readonly usage: Usage;
  /**
   * Bytes of class STANDARD at each hour of the month, and before it as far as is
   * known, oldest first.
   */
  readonly standardBytesByHour: readonly bigint[];
  /**
   * Objects that there are, for what goes by the object; a bill with 0 of them
   * leaves that out.
   */
  readonly objectCount: bigint;
};

export type WhatIf =
  /**
   * Bytes that have been stored for so many days move to STANDARD_IA. Assumes that
   * deletes hit the newest bytes, that old bytes are read as often as others, and
   * that moving costs one class A request per object.
   */
  | { readonly kind: 'lifecycle'; readonly days: number }
  /**
   * Everything in STANDARD is STANDARD_IA from the start: requests have its prices,
   * and bytes from the store are retrieved.
   */
  | { readonly kind: 'all-infrequent' }
  /**
   * A cache holds each object for so many seconds, so that the store is read at
   * most once in that time.
   */
  | { readonly kind: 'cache-lifetime'; readonly seconds: number }
  /**
   * A share of what is stored, in basis points, is there twice and would be stored
   * once. Other savings go down with it.
   */
  | { readonly kind: 'deduplication'; readonly duplicateBasisPoints: number };

export type Simulation = { readonly card: RateCard; readonly invoice: Invoice };

/**
 * Makes the month's invoice by each of the cards, in their order. Cost: a card's
 * lines each.
 */
export function simulateBill(
  month: ReplayedMonth,
  cards: readonly RateCard[],
  whatIfs: readonly WhatIf[] = [],
): readonly Simulation[] {
  const { usage } = whatIfs.reduce(apply, month);
  return cards.map((card) => ({
    card,
    invoice: makeInvoice(toCard(usage, card), card, month.period),
  }));
}

/**
 * Usage as a card counts it. A storage class that the card does not have counts as
 * STANDARD, and neither its minimum storage duration nor its retrieval costs
 * anything.
 */
export function toCard(usage: Usage, card: RateCard): Usage {
  const priced = new Set(card.lines.flatMap((line) => line.meters));
  return addUsage(
    ...[...usage].map(([meter, quantity]) => {
      const [kind, storageClass = ''] = meter.split('/') as [MeterKind, string?];
      const isMissing = !priced.has(`storage/${storageClass}`) && kind !== 'egress';
      if (!isMissing) return new Map([[meter, quantity]]);
      if (kind === 'early-delete' || kind === 'retrieval') return new Map<MeterName, bigint>();
      return new Map<MeterName, bigint>([[`${kind}/STANDARD`, quantity]]);
    }),
  );
}

function apply(month: ReplayedMonth, whatIf: WhatIf): ReplayedMonth {
  const stored = month.usage.get('storage/STANDARD') ?? 0n;
  if (whatIf.kind === 'all-infrequent')
    return withUsage(month, toInfrequent(month, stored, stored));
  if (whatIf.kind === 'lifecycle') {
    const old = least(oldByteHours(month, whatIf.days), stored);
    const moves: Usage = new Map([['class-a/STANDARD_IA', old > 0n ? month.objectCount : 0n]]);
    return withUsage(month, addUsage(toInfrequent(month, old, stored, true), moves));
  }
  if (whatIf.kind === 'cache-lifetime') {
    const lifetimes = divideUp(hoursOf(month.period) * 3600n, BigInt(whatIf.seconds));
    return withUsage(month, withReadsAtMost(month, month.objectCount * lifetimes));
  }
  const storedBasisPoints = BASIS_POINTS - BigInt(whatIf.duplicateBasisPoints);
  const usage: Usage = new Map(
    [...month.usage].map(([meter, quantity]) => [
      meter,
      isOverTime(meter) ? divideRounded(quantity * storedBasisPoints, BASIS_POINTS) : quantity,
    ]),
  );
  const standardBytesByHour = month.standardBytesByHour.map((bytes) =>
    divideRounded(bytes * storedBasisPoints, BASIS_POINTS),
  );
  return { ...month, usage, standardBytesByHour };
}

const withUsage = (month: ReplayedMonth, usage: Usage): ReplayedMonth => ({ ...month, usage });

/**
 * Moves `moved` of `stored` byte-hours to STANDARD_IA, with that share of the
 * reads, and of the writes unless they stay.
 */
function toInfrequent(
  { usage }: ReplayedMonth,
  moved: bigint,
  stored: bigint,
  areWritesStandard = false,
): Usage {
  if (stored === 0n) return usage;
  const changes: [MeterName, bigint][] = [];
  const move = (kind: MeterKind, part: bigint): void => {
    changes.push([`${kind}/STANDARD`, -part], [`${kind}/STANDARD_IA`, part]);
  };
  const shareOf = (quantity: bigint): bigint => divideRounded(quantity * moved, stored);
  move('storage', moved);
  for (const saving of SAVINGS) move(saving, shareOf(usage.get(`${saving}/STANDARD`) ?? 0n));
  move('class-b', shareOf(usage.get('class-b/STANDARD') ?? 0n));
  if (!areWritesStandard) move('class-a', shareOf(usage.get('class-a/STANDARD') ?? 0n));
  // The ledger counts so too: what a cache serves is not retrieved.
  changes.push(['retrieval/STANDARD_IA', shareOf(usage.get('egress/bucket') ?? 0n)]);
  return addUsage(usage, ...changes.map((change) => new Map([change])));
}

/**
 * Byte-hours of the month that had been in STANDARD for `days`: at each hour the
 * sliding-window minimum of the days before it. Cost: linear in the hours.
 */
function oldByteHours({ period, standardBytesByHour: bytes }: ReplayedMonth, days: number): bigint {
  const window = days * HOURS_PER_DAY;
  const first = bytes.length - Number(hoursOf(period));
  let sum = 0n;
  // Hours of the window whose bytes may yet be its minimum, the smallest first
  // (monotonic queue).
  const candidates: number[] = [];
  for (const [hour, stored] of bytes.entries()) {
    while (candidates.length > 0 && (bytes[candidates.at(-1) ?? 0] ?? 0n) >= stored)
      candidates.pop();
    candidates.push(hour);
    if ((candidates[0] ?? hour) < hour - window) candidates.shift();
    if (hour >= Math.max(first, window)) sum += bytes[candidates[0] ?? hour] ?? 0n;
  }
  return sum;
}

/**
 * Cuts the reads of each class in proportion, so that together they are at most
 * `readsMax`.
 */
function withReadsAtMost({ usage }: ReplayedMonth, readsMax: bigint): Usage {
  const reads = [...usage].filter(([meter]) => meter.startsWith('class-b/'));
  const totalReads = reads.reduce((sum, [, count]) => sum + count, 0n);
  if (totalReads <= readsMax) return usage;
  return new Map([
    ...usage,
    ...reads.map(([meter, count]) => [meter, divideUp(count * readsMax, totalReads)] as const),
  ]);
}
