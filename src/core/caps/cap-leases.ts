// The quota leases of this process: shares of what is left of each cap, leased from
// the ledger after everything counted so far was brought there. Memory has them for
// cap-guard.ts, which decides by them. It decides nothing and counts nothing.

import type { Cap, CapScope } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { createCircuitBreaker } from '../../ports/circuit-breaker.ts';
import type { Allowance, Meter, OperationClass, UsageOwner } from '../../ports/metering.ts';
import { withTimeout } from '../../ports/with-timeout.ts';
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

/** How long a quota lease lasts in the ledger, milliseconds. */
export const LEASE_MS = 60_000;
/**
 * How long a process uses its quota lease, milliseconds: less than it lasts in the
 * ledger.
 */
const VALID_MS = 45_000;
/**
 * TTL of a refusal, milliseconds: strangers who go on requesting cost the ledger
 * nothing. Also the cooldown after a ledger that did not respond.
 */
export const REFUSAL_MS = 2_000;
/** Attempts at a lease while other processes are faster. */
const ATTEMPTS = 8;

/** What memory knows of an account's caps. */
export type KnownCaps = {
  readonly revision: number;
  readonly allowances: ReadonlyMap<string, Allowance>;
  readonly standings: readonly CapStanding[];
  /** When the ledger's state was read. */
  readonly readAtMs: number;
  /** How often caps had been changed in this process by then. */
  readonly forgotten: number;
};

/** A use that waits for a lease that suffices for it. */
export type WaitingUse = {
  readonly owner: UsageOwner;
  readonly operationClass: OperationClass;
  readonly bytesOut: number;
};

export type CapLeases = {
  /** What memory knows of an account's caps, however old. */
  known(accountId: AccountId): KnownCaps | undefined;
  /**
   * Leases anew from the ledger: enough for `use` and for all other uses that wait
   * in this process, as far as that much is left. SlowDown when other processes are
   * faster again and again, ServiceUnavailable when the ledger does not respond, or
   * just did not. Cost: a flush and two calls of the ledger.
   */
  renew(use: WaitingUse): Promise<KnownCaps>;
};

/**
 * Makes the leases of a process. `holder`: a name that no other process has had.
 * `reportCrossing` is called for each alert that a cap comes to; it must not hold a
 * request up.
 */
export function createCapLeases(
  core: Core,
  flusher: Pick<UsageFlusher, 'flushAccount'>,
  holder: string,
  reportCrossing: ReportCrossing,
): CapLeases {
  const memory = createCapMemory(core.ports.meter);
  const waiting = new Set<WaitingUse>();
  const leasing = { core, flusher, holder, reportCrossing, memory, waiting };
  const breaker = createCircuitBreaker(core.ports.clock, REFUSAL_MS);

  async function renew(use: WaitingUse): Promise<KnownCaps> {
    const { accountId } = use.owner;
    if (breaker.isOn(accountId))
      throw new StorageError('ServiceUnavailable', { cause: 'the ledger said nothing' });
    // After the cooldown the first call is let through, as a probe.
    breaker.renew(accountId);

    let isSettled = false;
    waiting.add(use);
    const work = () =>
      leaseFromLedger(leasing, accountId).finally(() => {
        isSettled = true;
        waiting.delete(use);
        breaker.end(accountId);
      });
    try {
      return await withTimeout(core.settings.tierLimitMs, 'the ledger', work);
    } catch (error) {
      // A call that fails at once may be repeated at once; everybody would wait for
      // one that hangs.
      if (!isSettled) breaker.begin(accountId);
      throw error;
    }
  }

  return { known: memory.get, renew };
}

/** What memory knows of the caps of all accounts. */
function createCapMemory(meter: Meter) {
  const accounts = new Map<AccountId, KnownCaps>();

  /**
   * Stores what was leased. Race: an older response of the ledger comes late.
   * Guard: revisions; the older one changes nothing. Allowances that counters have
   * are changed in place.
   */
  function store(accountId: AccountId, leased: Leased): KnownCaps {
    const before = accounts.get(accountId);
    if (before !== undefined && before.revision > leased.revision) return before;

    const allowances = new Map(
      leased.standings.map((standing) => [standing.cap.id, renewed(before, standing, leased)]),
    );
    const hasSameCaps =
      before?.allowances.size === allowances.size &&
      [...allowances.keys()].every((id) => before.allowances.has(id));
    if (!hasSameCaps) meter.forgetAllowances(accountId);

    const known: KnownCaps = {
      revision: leased.revision,
      allowances,
      standings: leased.standings,
      readAtMs: leased.nowMs,
      forgotten: meter.forgotten(),
    };
    accounts.set(accountId, known);
    return known;
  }

  return { get: (accountId: AccountId) => accounts.get(accountId), store };
}

type Leasing = {
  readonly core: Core;
  readonly flusher: Pick<UsageFlusher, 'flushAccount'>;
  readonly holder: string;
  readonly reportCrossing: ReportCrossing;
  readonly memory: ReturnType<typeof createCapMemory>;
  /** Uses of this process that wait for a lease. */
  readonly waiting: ReadonlySet<WaitingUse>;
};

/**
 * Leases with optimistic concurrency: tries again when another process was faster.
 * SlowDown.
 */
async function leaseFromLedger(leasing: Leasing, accountId: AccountId): Promise<KnownCaps> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const known = await tryLease(leasing, accountId);
    if (known !== null) return known;
  }
  throw new StorageError('SlowDown', {
    detail: 'Too many are asking about the caps of this account.',
  });
}

/**
 * Flushes, reads the caps and leases from them once; null: the ledger's state
 * changed meanwhile.
 */
async function tryLease(leasing: Leasing, accountId: AccountId): Promise<KnownCaps | null> {
  const { core, flusher, holder, reportCrossing, memory, waiting } = leasing;
  const { clock, ledger, meter } = core.ports;
  meter.releaseIdleReservations();
  // What is counted up to here is recorded when the state is read; what comes later
  // is the lease's.
  const marks = marksOf(memory.get(accountId));
  await flusher.flushAccount(accountId);

  const nowMs = clock.nowMs();
  const state = await ledger.call('readCaps', { accountId, holder, nowMs });
  const known = memory.get(accountId);
  const waitingHere = [...waiting].filter(({ owner }) => owner.accountId === accountId);
  const standings = standingsOf(state, nowMs, (cap) =>
    needOf(cap, { known, marks, nowMs, waiting: waitingHere }),
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
    // Another request of this process may have been faster, and has what this one
    // needs too.
    const latest = memory.get(accountId);
    return latest !== undefined && latest.revision > state.revision ? latest : null;
  }

  for (const crossing of leased.crossings) {
    const crossed = standings.find(({ cap }) => cap.id === crossing.capId);
    if (crossed !== undefined) reportCrossing(accountId, crossed.cap, crossing);
  }
  return memory.store(accountId, { revision: leased.revision, standings, nowMs, marks });
}

/**
 * Units used of each cap when a flush begins. What is under way by itself may be
 * recorded after the state is read: it counts as used later, at worst twice.
 */
function marksOf(known: KnownCaps | undefined): ReadonlyMap<string, number> {
  const allowances = [...(known?.allowances ?? [])];
  return new Map(allowances.map(([capId, { used, underWay }]) => [capId, used - underWay]));
}

type NeedInput = Pick<Leased, 'marks' | 'nowMs'> & {
  readonly known: KnownCaps | undefined;
  /** Uses of the account that wait for a lease. */
  readonly waiting: readonly WaitingUse[];
};

/** What this process needs of a cap beyond what was used up to the mark. */
function needOf(cap: Cap, { known, marks, nowMs, waiting }: NeedInput): CapNeed {
  const allowance = known?.allowances.get(cap.id);
  const mark = marks.get(cap.id) ?? 0;
  const pending = Math.max(0, (allowance?.used ?? 0) - mark);
  // Nothing more is used of a lease that is no longer valid: what is left of it
  // goes back.
  const isValid = allowance !== undefined && allowance.expiresAtMs > nowMs;
  return {
    leased: isValid ? Math.max(pending, allowance.upTo - mark) : pending,
    pending,
    waiting: waiting.filter(({ owner }) => isFor(cap.scope, owner)),
  };
}

type Leased = {
  readonly revision: number;
  readonly standings: readonly CapStanding[];
  readonly nowMs: number;
  /** Units of each cap that were used before its usage was recorded. */
  readonly marks: ReadonlyMap<string, number>;
};

/** Renews the allowance of a cap, in place if there was one. */
function renewed(
  before: KnownCaps | undefined,
  standing: CapStanding,
  { marks, nowMs }: Leased,
): Allowance {
  const { cap, level, units, left, periodMs, prices } = standing;
  const validMs = level === 'refused' ? REFUSAL_MS : VALID_MS;
  const mark = marks.get(cap.id) ?? 0;
  const known = before?.allowances.get(cap.id);
  const current = {
    capId: cap.id,
    scope: cap.scope,
    level,
    used: known?.used ?? 0,
    upTo: mark + units,
    reachable: mark + left,
    expiresAtMs: Math.min(nowMs + validMs, periodMs.toMs),
    ...prices,
  };
  return known === undefined ? { ...current, underWay: 0 } : Object.assign(known, current);
}

/** The allowances of an account that hold for an owner. */
export function allowancesFor({ allowances }: KnownCaps, owner: UsageOwner): readonly Allowance[] {
  return [...allowances.values()].filter(({ scope }) => isFor(scope, owner));
}

/** Whether a cap on `scope` holds for an owner. */
export function isFor(scope: CapScope, { bucketId, accessKeyId }: UsageOwner): boolean {
  if (scope.kind === 'bucket') return scope.bucketId === bucketId;
  return scope.kind === 'account' || scope.accessKeyId === accessKeyId;
}
