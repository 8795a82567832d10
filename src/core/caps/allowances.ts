// How much of a cap a process may lease. Computed from the ledger's state: the
// limit less what is recorded and what other processes have leased. Pure;
// docs/adr/0020-caps.md says why no more than the limit is ever used.
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

/** Share of what is left that a process leases, so that others get some too. */
const SHARE = 1 / 4;
/**
 * Share of what is left above which a waiting use is large, and is granted by
 * itself. Smaller ones go by SHARE: a crowd of them leases again on the way, and
 * alerts are reported as they are passed.
 */
const LARGE_SHARE = 1 / 16;
/**
 * Requests that a lease suffices for at least; otherwise the last bit of a cap
 * would be leased use by use.
 */
const LEAST_REQUESTS = 100;
/** Bytes out that a lease suffices for at least. */
const LEAST_BYTES = 1024 * 1024;

/**
 * How a cap stands: what is spent of it, what is left, and what that means for
 * requests.
 */
export type CapStanding = {
  readonly cap: Cap;
  readonly spent: bigint;
  /** Whole percent of the limit that is spent, rounded down. */
  readonly percent: number;
  readonly level: Allowance['level'];
  readonly periodMs: { readonly fromMs: number; readonly toMs: number };
  readonly isLifted: boolean;
  readonly prices: CapPrices;
  /** Cost of storage from now until the period ends. */
  readonly storage: StorageUntilEnd;
  /** Units that are left for this process, and how many of them it gets leased. */
  readonly left: number;
  readonly units: number;
};

type MeteredUse = Pick<Use, 'operationClass' | 'bytesOut'>;

/** What a process needs of one cap, in the cap's units. */
export type CapNeed = {
  /**
   * Units of its last lease that are not in the ledger yet: they must stay covered.
   */
  readonly leased: number;
  /**
   * Units of those that it has counted, or that responses under way may still send.
   */
  readonly pending: number;
  /** Uses that wait for this lease, in the order in which they came. */
  readonly waiting: readonly MeteredUse[];
};

const NO_NEED: CapNeed = { leased: 0, pending: 0, waiting: [] };

function standingOf(state: CapState, nowMs: number, need: CapNeed): CapStanding {
  const { cap } = state;
  const month = monthOf(nowMs);
  const periodMs = capPeriod(cap.period, nowMs);
  const spent = spentOf(state, month);
  const left = Math.max(0, Number(cap.limit - spent) - state.leasedToOthers);
  const prices = pricesOf(cap);
  const standing = {
    cap,
    spent,
    periodMs,
    prices,
    percent: Number((spent * 100n) / cap.limit),
    storage: storageUntilEnd(state, month, periodMs.toMs - nowMs),
  };

  if (cap.liftedUntilMs !== null && cap.liftedUntilMs > nowMs) {
    const unlimited = Number.MAX_SAFE_INTEGER;
    return { ...standing, isLifted: true, level: 'open', left: unlimited, units: unlimited };
  }
  const level = levelOf(cap, standing.percent, left);
  return { ...standing, isLifted: false, level, left, units: grantOf(prices, left, need) };
}

/** What a cap that is not lifted lets through. */
function levelOf({ cachedFromPercent }: Cap, percent: number, left: number): CapStanding['level'] {
  if (left <= 0) return 'refused';
  return cachedFromPercent !== null && percent >= cachedFromPercent ? 'cached' : 'open';
}

/**
 * The units to lease of a cap. What is leased and pending stays covered; beyond
 * that comes a share of what is free, and never less than large uses need, as long
 * as there is that much. A use that does not fit takes nothing from those that wait
 * behind it, nor from others.
 */
function grantOf(prices: CapPrices, left: number, { leased, pending, waiting }: CapNeed): number {
  const { perA, perB, perByte } = prices;
  const leastUnits = Math.max(perA, perB) * LEAST_REQUESTS + perByte * LEAST_BYTES;
  const freeUnits = Math.max(0, left - pending);

  const addIfFitting = (sum: number, use: MeteredUse) => {
    const units = unitsOf(prices, use.operationClass, use.bytesOut);
    const isLarge = units > freeUnits * LARGE_SHARE;
    return isLarge && sum + units <= freeUnits ? sum + units : sum;
  };
  const largeUnits = waiting.reduce(addIfFitting, 0);

  const beyondPending = Math.max(freeUnits * SHARE, leastUnits, largeUnits);
  return Math.min(left, Math.max(leased, pending + beyondPending));
}

/** The leases to take of each cap; a lifted cap needs none. */
export function grantsOf(standings: readonly CapStanding[]): readonly CapGrant[] {
  return standings.map(({ cap, isLifted, units }) => ({
    capId: cap.id,
    units: isLifted ? 0 : units,
  }));
}

/** Alerts of caps that were reached, whether or not they were reported before. */
export function crossingsOf(standings: readonly CapStanding[]) {
  return standings.flatMap(({ cap, percent, periodMs, isLifted }) =>
    isLifted
      ? []
      : cap.alertPercents
          .filter((alert) => percent >= alert)
          .map((alert) => ({ capId: cap.id, periodMs: periodMs.fromMs, percent: alert })),
  );
}

/**
 * How each cap stands. `needOf`: what this process needs of it; absent: nothing.
 */
export function standingsOf(
  state: CapsState,
  nowMs: number,
  needOf: (cap: Cap) => CapNeed = () => NO_NEED,
): readonly CapStanding[] {
  return state.caps.map((cap) => standingOf(cap, nowMs, needOf(cap.cap)));
}
