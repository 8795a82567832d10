// How much of a cap a process may use before it asks again. Worked out from what the ledger knows:
// what is left when what is recorded and what others hold is taken off. Pure; docs/adr/0020-caps.md
// tells why no more than the limit is ever used.
import {
  type Cap,
  type CapGrant,
  type CapState,
  type CapsState,
  capPeriod,
} from '../../domain/billing/caps.ts';
import { type Allowance, type Use, unitsOf } from '../../ports/metering.ts';
import { monthOf } from '../billing/month.ts';
import {
  type CapPrices,
  pricesOf,
  type StorageUntilEnd,
  spentOf,
  storageUntilEnd,
} from './price-cap.ts';

/** A process gets this share of what is left, so that others get some too. */
const SHARE = 1 / 4;
/**
 * A use of more than this of what is left is granted besides others that wait. Smaller ones go by
 * the share, so that a crowd of them asks again on the way, and alerts are told as they are passed.
 */
const LARGE_SHARE = 1 / 16;
/**
 * But at least for so many requests, and so many bytes out: else the last bit of a cap would be
 * asked for one by one.
 */
const LEAST_REQUESTS = 100;
const LEAST_BYTES = 1024 * 1024;

export type CapStanding = {
  readonly cap: Cap;
  readonly spent: bigint;
  /** Of the limit, whole percent, rounded down. */
  readonly percent: number;
  readonly level: Allowance['level'];
  readonly periodMs: { readonly fromMs: number; readonly toMs: number };
  readonly isLifted: boolean;
  readonly prices: CapPrices;
  /** Storage from then on until the period ends. */
  readonly storage: StorageUntilEnd;
  /** Units that are left for whoever asks, and how many of them it gets. */
  readonly left: number;
  readonly units: number;
};

type MeteredUse = Pick<Use, 'operationClass' | 'bytesOut'>;

/** What a process needs of one cap, in the cap's units. */
export type CapNeed = {
  /** What it holds of its last lease and has not brought to the ledger: that must stay covered. */
  readonly held: number;
  /** What it has counted of that, or answers under way may still send. */
  readonly pending: number;
  /** Uses that wait for this lease, in the order in which they came. */
  readonly waiting: readonly MeteredUse[];
};

const NO_NEED: CapNeed = { held: 0, pending: 0, waiting: [] };

/** How a cap stands. */
function standingOf(state: CapState, nowMs: number, need: CapNeed): CapStanding {
  const { cap } = state;
  const periodMs = capPeriod(cap.period, nowMs);
  const spent = spentOf(state, monthOf(nowMs));
  const percent = Number((spent * 100n) / cap.limit);
  const isLifted = cap.liftedUntilMs !== null && cap.liftedUntilMs > nowMs;
  const left = Math.max(0, Number(cap.limit - spent) - state.leasedToOthers);
  const isCached = cap.cachedFromPercent !== null && percent >= cap.cachedFromPercent;
  const level = isLifted ? 'open' : left <= 0 ? 'refused' : isCached ? 'cached' : 'open';
  const prices = pricesOf(cap);
  const storage = storageUntilEnd(state, monthOf(nowMs), periodMs.toMs - nowMs);
  const standing = { cap, spent, percent, level, periodMs, isLifted, prices, storage } as const;
  if (isLifted)
    return { ...standing, left: Number.MAX_SAFE_INTEGER, units: Number.MAX_SAFE_INTEGER };
  return { ...standing, left, units: grantOf(prices, left, need) };
}

/**
 * What is held and pending stays covered. Beyond that: a share of what is free, and never less than
 * what large uses need, as long as there is that much. A use that does not fit takes nothing from
 * those that wait behind it, nor from others.
 */
function grantOf(prices: CapPrices, left: number, { held, pending, waiting }: CapNeed): number {
  const { perA, perB, perByte } = prices;
  const least = Math.max(perA, perB) * LEAST_REQUESTS + perByte * LEAST_BYTES;
  const free = Math.max(0, left - pending);
  const fitting = (sum: number, use: MeteredUse) => {
    const units = unitsOf(prices, use.operationClass, use.bytesOut);
    const isLarge = units > free * LARGE_SHARE;
    return isLarge && sum + units <= free ? sum + units : sum;
  };
  const large = waiting.reduce(fitting, 0);
  return Math.min(left, Math.max(held, pending + Math.max(free * SHARE, least, large)));
}

/** Leases are for caps that are heard. */
export function grantsOf(standings: readonly CapStanding[]): readonly CapGrant[] {
  return standings.map(({ cap, isLifted, units }) => ({
    capId: cap.id,
    units: isLifted ? 0 : units,
  }));
}

/** Alerts that were reached, whether or not they were told before. */
export function crossingsOf(standings: readonly CapStanding[]) {
  return standings.flatMap(({ cap, percent, periodMs, isLifted }) =>
    isLifted
      ? []
      : cap.alertPercents
          .filter((alert) => percent >= alert)
          .map((alert) => ({ capId: cap.id, periodMs: periodMs.fromMs, percent: alert })),
  );
}

/** How each cap stands. `needOf`: what whoever asks needs of it; absent: nothing. */
export function standingsOf(
  state: CapsState,
  nowMs: number,
  needOf: (cap: Cap) => CapNeed = () => NO_NEED,
): readonly CapStanding[] {
  return state.caps.map((cap) => standingOf(cap, nowMs, needOf(cap.cap)));
}
