// How much of a cap a process may lease. Computed from the ledger's state: the
// limit less what is recorded and what other processes have leased. Pure;
// docs/adr/0020-caps.md says why no more than the limit is ever used, and what
// these figures come from.
import {
  type Cap,
  type CapLevel,
  type CapPrices,
  type CapStanding,
  type CapState,
  capPeriod,
} from '../../domain/billing/caps.ts';
import type { DecideLeases, HeldLease, WaitingUse } from '../../ports/ledger-calls/cap-calls.ts';
import { unitsOf } from '../../ports/metering.ts';
import { monthOf } from '../billing/month.ts';
import { isFor } from './cap-scope.ts';
import { pricesOf, spentOf, storageUntilEnd } from './price-cap.ts';

/** How long a quota lease lasts in the ledger, milliseconds. */
const LEASE_MS = 60_000;
/**
 * How long it lasts where much is leased already, milliseconds: what is not used of
 * it comes back to others soon.
 */
const SHORT_LEASE_MS = 10_000;
/**
 * Share of what is unspent that processes hold together. As it is reached, leases
 * shrink to what is used in a moment, so that nobody is refused for what another
 * holds and does not use.
 */
const LEASED_SHARE = 1 / 4;
/** Time of measured use that a lease suffices for at least, milliseconds. */
const HORIZON_MIN_MS = 2_000;
/**
 * How many times its last use a process is leased at most, however fast it used
 * that: a burst is no rate.
 */
const GROWTH_MAX = 4;
/**
 * Largest share of what is left that measured use is leased: what is left runs out
 * in small leases.
 */
const SHARE_MAX = 1 / 16;
/**
 * Largest share of what is left for a process of which nothing is measured yet, so
 * many requests, or bytes out.
 */
const FIRST_SHARE = 1 / 1024;
const FIRST_REQUESTS = 100;
const FIRST_BYTES = 1024 * 1024;

/** What a process needs of one cap, in the cap's units. */
type CapNeed = Omit<HeldLease, 'capId'> & { readonly waiting: readonly WaitingUse[] };

const NO_NEED: CapNeed = { leased: 0, pending: 0, usedUnits: 0, usedOverMs: 0, waiting: [] };

function standingOf(state: CapState, nowMs: number, need: CapNeed): CapStanding {
  const { cap, leasedToOthers, othersUntilMs } = state;
  const month = monthOf(nowMs);
  const periodMs = capPeriod(cap.period, nowMs);
  const spent = spentOf(state, month);
  const unspent = Math.max(0, Number(cap.limit - spent));
  const left = Math.max(0, unspent - leasedToOthers);
  const prices = pricesOf(cap);
  const standing = {
    cap,
    spent,
    periodMs,
    prices,
    othersUntilMs,
    percent: Number((spent * 100n) / cap.limit),
    storage: storageUntilEnd(state, month, periodMs.toMs - nowMs),
  };

  if (cap.liftedUntilMs !== null && cap.liftedUntilMs > nowMs) {
    const unlimited = Number.MAX_SAFE_INTEGER;
    return {
      ...standing,
      isLifted: true,
      level: 'open',
      left: unlimited,
      units: unlimited,
      leaseMs: LEASE_MS,
    };
  }
  const holdable = unspent * LEASED_SHARE;
  const room = holdable === 0 ? 0 : Math.max(0, 1 - leasedToOthers / holdable);
  const units = grantOf({ prices, left, room }, need);
  return {
    ...standing,
    isLifted: false,
    level: levelOf(cap, standing.percent, left),
    left,
    units,
    leaseMs: leasedToOthers + units > holdable / 2 ? SHORT_LEASE_MS : LEASE_MS,
  };
}

/** What a cap that is not lifted lets through. */
function levelOf({ cachedFromPercent }: Cap, percent: number, left: number): CapLevel {
  if (left <= 0) return 'refused';
  return cachedFromPercent !== null && percent >= cachedFromPercent ? 'cached' : 'open';
}

type Grantable = {
  readonly prices: CapPrices;
  /** Units that others leave. */
  readonly left: number;
  /** From 1 where nobody holds anything to 0 where others hold all that they may. */
  readonly room: number;
};

/**
 * The units to lease of a cap. What is leased and pending stays covered, and what
 * waits, as long as there is that much. Beyond that comes what the process uses in
 * the time of a lease. A use that does not fit takes nothing from those that wait
 * behind it, nor from others.
 */
function grantOf({ prices, left, room }: Grantable, need: CapNeed): number {
  const { perA, perB, perByte } = prices;
  const { leased, pending, usedUnits, usedOverMs, waiting } = need;
  const freeUnits = Math.max(0, left - pending);

  const addIfFitting = (sum: number, { operationClass, bytesOut }: WaitingUse) => {
    const units = unitsOf(prices, operationClass, bytesOut);
    return sum + units <= freeUnits ? sum + units : sum;
  };
  const waitingUnits = waiting.reduce(addIfFitting, 0);

  const horizonMs = Math.max(HORIZON_MIN_MS, LEASE_MS * room);
  const horizons = horizonMs / Math.max(usedOverMs, horizonMs / GROWTH_MAX);
  const firstUnits = Math.max(perA, perB) * FIRST_REQUESTS + perByte * FIRST_BYTES;

  const beyondPending = Math.max(
    Math.min(firstUnits, freeUnits * FIRST_SHARE) * room,
    Math.min(usedUnits * horizons, freeUnits * SHARE_MAX),
    waitingUnits,
  );
  return Math.min(left, Math.max(leased, pending + beyondPending));
}

/** Works out the leases of a process, and the alerts that its caps have come to. */
export const decideLeases: DecideLeases = (caps, request) => {
  const { held, waiting, nowMs } = request;
  const needOf = (cap: Cap): CapNeed => ({
    ...(held.find(({ capId }) => capId === cap.id) ?? NO_NEED),
    waiting: waiting.filter(({ owner }) => isFor(cap.scope, owner)),
  });
  const standings = caps.map((cap) => standingOf(cap, nowMs, needOf(cap.cap)));
  return { standings, crossings: crossingsOf(standings) };
};

/** Alerts of caps that were reached, whether or not they were reported before. */
function crossingsOf(standings: readonly CapStanding[]) {
  return standings.flatMap(({ cap, percent, periodMs, isLifted }) =>
    isLifted
      ? []
      : cap.alertPercents
          .filter((alert) => percent >= alert)
          .map((alert) => ({ capId: cap.id, periodMs: periodMs.fromMs, percent: alert })),
  );
}

/** How each cap stands for a process that needs nothing of it. */
export function standingsOf(caps: readonly CapState[], nowMs: number): readonly CapStanding[] {
  return caps.map((cap) => standingOf(cap, nowMs, NO_NEED));
}
