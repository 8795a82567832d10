// Prices the usage of a cap in the cap's own units, and bounds what one more use
// would cost. Money goes by the card that the cap names, as if the capped thing
// were an account of its own: free allowances and tiers apply to it alone. Pure.

import type { Cap, CapPrices, CapState, StorageUntilEnd } from '../../domain/billing/caps.ts';
import type { MeterName } from '../../domain/billing/usage.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { makeInvoice } from '../billing/invoices/invoice.ts';
import { type BillingMonth, hoursOf } from '../billing/month.ts';
import { type CardLine, parseRateCard, type RateCard } from '../billing/prices/rate-card.ts';
import { RATE_CARDS } from '../billing/prices/rate-cards.ts';
import { toUsage } from '../metering/query-usage.ts';

/** Prices of a cap in bytes: requests are free, a byte is a unit. */
const BYTES: CapPrices = { perA: 0, perB: 0, perByte: 1 };
/** Micro-units in one unit of a card's fixed-point prices, 10^-12. */
const MICRO_PER_SCALED = 1e-6;

/**
 * The card of a cap in money; null for one that no longer ships. Cost: 20 µs for a
 * card of the operator's own.
 */
function cardOf({ cardId, card = null }: Pick<Cap, 'cardId' | 'card'>): RateCard | null {
  return card === null ? (RATE_CARDS.find(({ id }) => id === cardId) ?? null) : parseRateCard(card);
}

/**
 * Units spent of a cap: bytes out, or micro-units of money. A cap whose card is
 * gone spends 0.
 */
export function spentOf(
  { cap, usage }: Pick<CapState, 'cap' | 'usage'>,
  month: BillingMonth,
): bigint {
  if (cap.unit === 'bytes') {
    return usage.reduce(
      (sum, { meter, quantity }) => sum + (meter.startsWith('egress/') ? quantity : 0n),
      0n,
    );
  }
  const card = cardOf(cap);
  return card === null ? 0n : makeInvoice(toUsage(usage), card, month).totalMicro;
}

/**
 * The prices of the dearest possible use: the highest tier of any storage class.
 */
export function pricesOf(cap: Cap): CapPrices {
  if (cap.unit === 'bytes') return BYTES;
  const card = cardOf(cap);
  if (card === null) return { perA: 0, perB: 0, perByte: 0 };
  const dearest = (isMeant: (meter: MeterName) => boolean) =>
    Math.max(0, ...card.lines.filter((line) => line.meters.some(isMeant)).map(dearestTier));
  return {
    perA: dearest((meter) => meter.startsWith('class-a/')),
    perB: dearest((meter) => meter.startsWith('class-b/')),
    perByte:
      dearest((meter) => meter.startsWith('egress/')) +
      dearest((meter) => meter.startsWith('retrieval/')),
  };
}

/**
 * What storage will add to a cap until its period ends, in `leftMs`. `planned`:
 * cost of what is stored now, by the card's tiers and free allowance; `perByte`:
 * upper bound of one byte more.
 */
export function storageUntilEnd(
  state: CapState,
  month: BillingMonth,
  leftMs: number,
): StorageUntilEnd {
  const card = state.cap.unit === 'money' ? cardOf(state.cap) : null;
  if (card === null || state.cap.scope.kind === 'accessKey') return { planned: 0, perByte: 0 };
  const added = state.stored.map(({ meter, quantity }) => ({
    meter,
    quantity: (quantity * BigInt(leftMs)) / BigInt(HOUR_MS),
  }));
  const usage = [...state.usage, ...added];
  const planned = Number(spentOf({ cap: state.cap, usage }, month) - spentOf(state, month));
  const monthHours = card.monthHours === 'calendar' ? hoursOf(month) : card.monthHours;
  const lines = card.lines.filter((line) =>
    line.meters.some((meter) => meter.startsWith('storage/')),
  );
  const perByteHour = lines.map(
    (line) => dearestTier(line) / (line.unit.isPerMonth ? Number(monthHours) : 1),
  );
  return { planned, perByte: (Math.max(0, ...perByteHour) * leftMs) / HOUR_MS };
}

/**
 * Micro-units of one request or byte in the dearest tier; prices are for `size` of
 * the meter.
 */
function dearestTier({ tiers, unit }: CardLine): number {
  const highestPrice = Math.max(...tiers.map((tier) => Number(tier.price)));
  return (highestPrice * MICRO_PER_SCALED) / Number(unit.size);
}
