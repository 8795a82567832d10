// How much of a cap a process may use before it asks again. Worked out from what the ledger knows: what is left when what
// is recorded and what others hold is taken off. Pure; docs/adr/0020-caps.md tells why no more than the limit is ever used.
import { type Cap, type CapGrant, type CapState, type CapsState, capPeriod } from '../../ports/caps.ts';
import type { Allowance } from '../../ports/metering.ts';
import { monthOf } from '../billing/month.ts';
import { pricesOf, spentOf } from './price-cap.ts';

/** A process gets this share of what is left, so that others get some too. */
const SHARE = 1 / 4;
/** But at least for so many requests, and so many bytes out: else the last bit of a cap would be asked for one by one. */
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
  /** Units that whoever asks may get, and whether that is all there is. */
  readonly units: number;
  readonly isAll: boolean;
};

/** How a cap stands. */
function standingOf(state: CapState, nowMs: number): CapStanding {
  const { cap } = state;
  const periodMs = capPeriod(cap.period, nowMs);
  const spent = spentOf(state, monthOf(nowMs));
  const percent = Number((spent * 100n) / cap.limit);
  const isLifted = cap.liftedUntilMs !== null && cap.liftedUntilMs > nowMs;
  const left = Math.max(0, Number(cap.limit - spent) - state.leasedToOthers);
  const isCached = cap.cachedFromPercent !== null && percent >= cap.cachedFromPercent;
  const level = isLifted ? 'open' : left <= 0 ? 'refused' : isCached ? 'cached' : 'open';
  const units = isLifted ? Number.MAX_SAFE_INTEGER : grantOf(state, left);
  return { cap, spent, percent, level, periodMs, isLifted, units, isAll: units >= left };
}

/** Never less than the holder has, as long as there is that much: what it may use already must stay covered. */
function grantOf({ cap, leasedToHolder }: CapState, left: number): number {
  const { perA, perB, perByte } = pricesOf(cap);
  const least = Math.max(perA, perB) * LEAST_REQUESTS + perByte * LEAST_BYTES;
  return Math.min(left, Math.max(left * SHARE, least, leasedToHolder));
}

/** Leases are for caps that are heard. */
export function grantsOf(standings: readonly CapStanding[]): readonly CapGrant[] {
  return standings.map(({ cap, isLifted, units }) => ({ capId: cap.id, units: isLifted ? 0 : units }));
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

export function standingsOf(state: CapsState, nowMs: number): readonly CapStanding[] {
  return state.caps.map((cap) => standingOf(cap, nowMs));
}
