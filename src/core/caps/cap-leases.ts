// What this process holds of each cap: it leases a share of what is left from the ledger, after
// everything counted so far was brought there, and keeps it in memory for cap-guard.ts, which asks
// it. It decides nothing and counts nothing.

import type { Cap, CapScope } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { createCircuitBreaker } from '../../ports/circuit-breaker.ts';
import type { Allowance, OperationClass, UsageOwner } from '../../ports/metering.ts';
import { within } from '../../ports/with-timeout.ts';
import type { Core } from '../core.ts';
import type { UsageFlusher } from '../metering/flush-usage.ts';
import {
  type CapNeed,
  type CapStanding,
  crossingsOf,
  grantsOf,
  standingsOf,
} from './allowances.ts';
import type { ReportCrossing } from './report-crossing.ts';

/**
 * How long a lease lasts in the ledger, and for how much of that a process believes in it.
 * Milliseconds.
 */
export const LEASE_MS = 60_000;
const BELIEVED_MS = 45_000;
/**
 * For so long a refusal stands without asking again, milliseconds: strangers who go on asking cost
 * the ledger nothing.
 */
export const REFUSAL_MS = 2_000;
/** How often a lease is tried that another process was faster with. */
const ATTEMPTS = 8;

/** What is known of an account's caps. */
export type KnownCaps = {
  readonly revision: number;
  readonly allowances: ReadonlyMap<string, Allowance>;
  readonly standings: readonly CapStanding[];
  readonly askedAtMs: number;
  /** How often caps had been changed in this process. */
  readonly forgotten: number;
};

/** A use that the lease shall suffice for. */
export type WaitingUse = {
  readonly owner: UsageOwner;
  readonly operationClass: OperationClass;
  readonly bytesOut: number;
};

export type CapLeases = {
  /** What memory knows of an account's caps, however old. */
  known(accountId: AccountId): KnownCaps | undefined;
  /**
   * Asks the ledger anew, for enough for `use` and for all others of this process that wait
   * meanwhile, as far as that much is left. SlowDown when others are faster again and again,
   * ServiceUnavailable when the ledger says nothing, or has just said nothing. Cost: a flush and
   * two calls of the ledger.
   */
  renew(use: WaitingUse): Promise<KnownCaps>;
};

/**
 * `holder`: a name that no other process has had. `tell`: hears of each percentage that a cap comes
 * to, in no request's way.
 */
export function createCapLeases(
  { ports: { clock, ledger, meter }, settings }: Core,
  flusher: Pick<UsageFlusher, 'flushAccount'>,
  holder: string,
  tell: ReportCrossing,
): CapLeases {
  const accounts = new Map<AccountId, KnownCaps>();
  const waiting = new Set<WaitingUse>();
  const breaker = createCircuitBreaker(clock, REFUSAL_MS);

  async function renewInTime(use: WaitingUse): Promise<KnownCaps> {
    const { accountId } = use.owner;
    if (breaker.isOn(accountId))
      throw new StorageError('ServiceUnavailable', { cause: 'the ledger said nothing' });
    // Of those that come when it is over the first is let through, to see.
    breaker.renew(accountId);
    let isSettled = false;
    waiting.add(use);
    const work = () =>
      renew(accountId).finally(() => {
        isSettled = true;
        waiting.delete(use);
        breaker.end(accountId);
      });
    try {
      return await within(settings.tierLimitMs, 'the ledger', work);
    } catch (error) {
      // What fails at once may be asked again at once; everybody would wait for what hangs.
      if (!isSettled) breaker.begin(accountId);
      throw error;
    }
  }

  async function renew(accountId: AccountId): Promise<KnownCaps> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      meter.letGoOfIdle();
      // What is counted up to here will be recorded when the state is read; what comes later is the
      // lease's.
      const old = accounts.get(accountId)?.allowances ?? new Map<string, Allowance>();
      // What is on its way by itself may arrive after that: it is taken as used later, at worst
      // twice.
      const marks = new Map(
        [...old].map(([capId, { used, underWay }]) => [capId, used - underWay]),
      );
      await flusher.flushAccount(accountId);
      const nowMs = clock.nowMs();
      const state = await ledger.call('readCaps', { accountId, holder, nowMs });
      const standings = standingsOf(state, nowMs, (cap) =>
        needOf(cap, accountId, { marks, nowMs }),
      );
      const leased = await ledger.call('leaseCaps', {
        accountId,
        holder,
        revision: state.revision,
        grants: grantsOf(standings),
        crossings: crossingsOf(standings),
        nowMs,
        untilMs: nowMs + LEASE_MS,
      });
      if (leased === null) {
        // Another request of this process may have been faster, and has what this one needs too.
        const now = accounts.get(accountId);
        if (now !== undefined && now.revision > state.revision) return now;
        continue;
      }
      for (const crossing of leased.crossings) {
        const crossed = standings.find(({ cap }) => cap.id === crossing.capId);
        if (crossed !== undefined) tell(accountId, crossed.cap, crossing);
      }
      return adopt(accountId, { revision: leased.revision, standings, nowMs, marks });
    }
    throw new StorageError('SlowDown', {
      detail: 'Too many are asking about the caps of this account.',
    });
  }

  /** What this process needs of a cap beyond what was used up to the mark. */
  function needOf(
    cap: Cap,
    accountId: AccountId,
    { marks, nowMs }: Pick<Leased, 'marks' | 'nowMs'>,
  ): CapNeed {
    const allowance = accounts.get(accountId)?.allowances.get(cap.id);
    const mark = marks.get(cap.id) ?? 0;
    const pending = Math.max(0, (allowance?.used ?? 0) - mark);
    // Nothing more is used of a lease that is too old to be believed: what is left of it goes back.
    const isBelieved = allowance !== undefined && allowance.expiresAtMs > nowMs;
    const held = isBelieved ? Math.max(pending, allowance.upTo - mark) : pending;
    const isMine = ({ owner }: WaitingUse) =>
      owner.accountId === accountId && isFor(cap.scope, owner);
    return { held, pending, waiting: [...waiting].filter(isMine) };
  }

  /** An older answer that comes late changes nothing. What counters hold is changed in place. */
  function adopt(accountId: AccountId, leased: Leased): KnownCaps {
    const before = accounts.get(accountId);
    if (before !== undefined && before.revision > leased.revision) return before;
    const allowances = new Map(
      leased.standings.map((standing) => [standing.cap.id, renewed(before, standing, leased)]),
    );
    const isSame =
      before?.allowances.size === allowances.size &&
      [...allowances.keys()].every((id) => before.allowances.has(id));
    if (!isSame) meter.forgetAllowances(accountId);
    const { revision, standings, nowMs: askedAtMs } = leased;
    const known: KnownCaps = {
      revision,
      allowances,
      standings,
      askedAtMs,
      forgotten: meter.forgotten(),
    };
    accounts.set(accountId, known);
    return known;
  }

  return { known: (accountId) => accounts.get(accountId), renew: renewInTime };
}

type Leased = {
  readonly revision: number;
  readonly standings: readonly CapStanding[];
  readonly nowMs: number;
  /** Of each cap, what was used before its usage was recorded. */
  readonly marks: ReadonlyMap<string, number>;
};

/** The allowance of a cap as it stands now; the same object as before, if there was one. */
function renewed(
  before: KnownCaps | undefined,
  standing: CapStanding,
  { marks, nowMs }: Leased,
): Allowance {
  const { cap, level, units, left, periodMs, prices } = standing;
  const believedMs = level === 'refused' ? REFUSAL_MS : BELIEVED_MS;
  const known = before?.allowances.get(cap.id);
  const now = {
    capId: cap.id,
    scope: cap.scope,
    level,
    used: known?.used ?? 0,
    upTo: (marks.get(cap.id) ?? 0) + units,
    reachable: (marks.get(cap.id) ?? 0) + left,
    expiresAtMs: Math.min(nowMs + believedMs, periodMs.toMs),
    ...prices,
  };
  return known === undefined ? { ...now, underWay: 0 } : Object.assign(known, now);
}

/** Those of an account's allowances that hold for an owner. */
export function allowancesFor({ allowances }: KnownCaps, owner: UsageOwner): readonly Allowance[] {
  return [...allowances.values()].filter(({ scope }) => isFor(scope, owner));
}

/** Whether a cap on `scope` holds for an owner. */
export function isFor(scope: CapScope, { bucketId, accessKeyId }: UsageOwner): boolean {
  if (scope.kind === 'bucket') return scope.bucketId === bucketId;
  return scope.kind === 'account' || scope.accessKeyId === accessKeyId;
}
