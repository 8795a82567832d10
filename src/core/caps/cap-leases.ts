// The quota leases of this process: shares of what is left of each cap, leased from
// the ledger in the call that brings what was counted so far. Memory has them for
// cap-guard.ts, which decides by them. It decides nothing and counts nothing.

import type { CapStanding } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { createCircuitBreaker } from '../../ports/circuit-breaker.ts';
import type { HeldLease, WaitingUse } from '../../ports/ledger-calls/cap-calls.ts';
import type { Allowance, Meter, UsageOwner } from '../../ports/metering.ts';
import { withTimeout } from '../../ports/with-timeout.ts';
import type { Core } from '../core.ts';
import type { UsageFlusher } from '../metering/flush-usage.ts';
import type { ReportCrossing } from '../metering/report-crossing.ts';
import { isFor } from './cap-scope.ts';

/**
 * Share of a lease's time for which the process uses it: what it used must be in
 * the ledger before the ledger gives it to others.
 */
const VALID_SHARE = 3 / 4;
/**
 * TTL of a refusal, milliseconds: strangers who go on requesting cost the ledger
 * nothing. Also the cooldown after a ledger that did not respond.
 */
export const REFUSAL_MS = 2_000;
/** Uses that one call leases for; those behind them lease by the next. */
const WAITING_MAX = 1000;
/** How often a request looks whether the lease that another waits for has come. */
const LOOK_EVERY_MS = 5;
/**
 * How long a request waits for another's call, milliseconds: that request's reader
 * may have gone, and its call with it.
 */
const OTHERS_CALL_MAX_MS = 1_000;

/** What memory knows of an account's caps. */
export type KnownCaps = {
  /** The number of the process's call of the ledger; a later one has a greater. */
  readonly sequence: number;
  readonly allowances: ReadonlyMap<string, Allowance>;
  readonly standings: readonly CapStanding[];
  /** Units that were used of each cap when the lease began, since the process did. */
  readonly usedBefore: ReadonlyMap<string, number>;
  /** When the ledger's state was read. */
  readonly readAtMs: number;
  /** How often caps had been changed in this process by then. */
  readonly forgotten: number;
};

export type CapLeases = {
  /** What memory knows of an account's caps, however old. */
  known(accountId: AccountId): KnownCaps | undefined;
  /**
   * Leases anew from the ledger: enough for `use` and for all other uses that wait
   * in this process, as far as that much is left. Where another request leases
   * already it waits for that one. ServiceUnavailable when the ledger does not
   * respond, or just did not. Cost: a call of the ledger.
   */
  renew(use: WaitingUse): Promise<void>;
};

/**
 * Makes the leases of a process. `holder`: a name that no other process has had.
 * `reportCrossing` is called for each alert that a cap comes to; it must not hold a
 * request up.
 */
export function createCapLeases(
  core: Core,
  flusher: Pick<UsageFlusher, 'sendWith'>,
  holder: string,
  reportCrossing: ReportCrossing,
): CapLeases {
  const { clock, meter } = core.ports;
  const memory = createCapMemory(meter);
  const waiting = new Set<WaitingUse>();
  let calls = 0;
  const nextSequence = () => ++calls;
  const leasing = { core, flusher, holder, reportCrossing, memory, waiting, nextSequence };
  const breaker = createCircuitBreaker(clock, REFUSAL_MS);
  const underWay = createCallsUnderWay();

  async function renew(use: WaitingUse): Promise<void> {
    const { accountId } = use.owner;
    if (breaker.isOn(accountId))
      throw new StorageError('ServiceUnavailable', { cause: 'the ledger said nothing' });

    waiting.add(use);
    try {
      if (underWay.has(accountId)) await underWay.waitForEnd(accountId);
      else await leaseAlone(accountId);
    } finally {
      waiting.delete(use);
    }
  }

  async function leaseAlone(accountId: AccountId): Promise<void> {
    // After the cooldown the first call is let through, as a probe.
    breaker.renew(accountId);
    const endCall = underWay.begin(accountId);
    let isSettled = false;
    const work = () =>
      leaseFromLedger(leasing, accountId).finally(() => {
        isSettled = true;
        breaker.end(accountId);
      });
    try {
      await withTimeout(core.settings.tierLimitMs, 'the ledger', work);
    } catch (error) {
      // A call that fails at once may be repeated at once; everybody would wait for
      // one that hangs.
      if (!isSettled) breaker.begin(accountId);
      throw error;
    } finally {
      endCall();
    }
  }

  return { known: memory.get, renew };
}

/**
 * The calls of the ledger that are under way, by account. Requests wait for each
 * other's by looking at it: on Cloudflare none may wait for another's promise.
 */
function createCallsUnderWay() {
  const calls = new Map<AccountId, { readonly sinceMs: number }>();
  const has = (accountId: AccountId) => {
    const call = calls.get(accountId);
    return call !== undefined && performance.now() - call.sinceMs < OTHERS_CALL_MAX_MS;
  };

  return {
    has,
    /** Gives what ends the call. */
    begin(accountId: AccountId): () => void {
      const call = { sinceMs: performance.now() };
      calls.set(accountId, call);
      return () => {
        if (calls.get(accountId) === call) calls.delete(accountId);
      };
    },
    async waitForEnd(accountId: AccountId): Promise<void> {
      const call = calls.get(accountId);
      while (calls.get(accountId) === call && has(accountId))
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    },
  };
}

/** What memory knows of the caps of all accounts. */
function createCapMemory(meter: Meter) {
  const accounts = new Map<AccountId, KnownCaps>();

  /**
   * Stores what was leased. Race: an older response of the ledger comes late.
   * Guard: sequences; the older one changes nothing. Allowances that counters have
   * are changed in place.
   */
  function store(accountId: AccountId, leased: Leased): void {
    const before = accounts.get(accountId);
    if (before !== undefined && before.sequence > leased.sequence) return;

    const allowances = new Map(
      leased.standings.map((standing) => [standing.cap.id, renewed(before, standing, leased)]),
    );
    const hasSameCaps =
      before?.allowances.size === allowances.size &&
      [...allowances.keys()].every((id) => before.allowances.has(id));
    if (!hasSameCaps) meter.forgetAllowances(accountId);

    accounts.set(accountId, {
      sequence: leased.sequence,
      allowances,
      standings: leased.standings,
      usedBefore: new Map([...allowances].map(([capId, { used }]) => [capId, used])),
      readAtMs: leased.nowMs,
      forgotten: meter.forgotten(),
    });
  }

  return { get: (accountId: AccountId) => accounts.get(accountId), store };
}

type Leasing = {
  readonly core: Core;
  readonly flusher: Pick<UsageFlusher, 'sendWith'>;
  readonly holder: string;
  readonly reportCrossing: ReportCrossing;
  readonly memory: ReturnType<typeof createCapMemory>;
  /** Numbers the calls of the ledger. */
  readonly nextSequence: () => number;
  /** Uses of this process that wait for a lease. */
  readonly waiting: ReadonlySet<WaitingUse>;
};

/**
 * Leases from the ledger what the process needs of each cap, and brings along what
 * it has used by then.
 */
async function leaseFromLedger(leasing: Leasing, accountId: AccountId): Promise<void> {
  const { core, flusher, holder, reportCrossing, memory, waiting } = leasing;
  const { clock, ledger, meter } = core.ports;
  const sequence = leasing.nextSequence();
  meter.releaseIdleReservations();
  // What is counted up to here is recorded when the state is read; what comes later
  // is the lease's.
  const marks = marksOf(memory.get(accountId));
  const nowMs = clock.nowMs();
  const waitingHere = [...waiting].filter(({ owner }) => owner.accountId === accountId);
  const held = heldOf(memory.get(accountId), marks, nowMs);
  const leased = await flusher.sendWith(accountId, (batches) =>
    ledger.call('leaseCaps', {
      accountId,
      holder,
      batches,
      held,
      waiting: waitingHere.slice(0, WAITING_MAX),
      nowMs,
    }),
  );

  for (const crossing of leased.crossings) {
    const crossed = leased.standings.find(({ cap }) => cap.id === crossing.capId);
    if (crossed !== undefined) reportCrossing(accountId, crossed.cap, crossing);
  }
  memory.store(accountId, { sequence, standings: leased.standings, nowMs, marks });
}

/**
 * Units used of each cap when a flush begins. What is under way by itself may be
 * recorded after the state is read: it counts as used later, at worst twice.
 */
function marksOf(known: KnownCaps | undefined): ReadonlyMap<string, number> {
  const allowances = [...(known?.allowances ?? [])];
  return new Map(allowances.map(([capId, { used, underWay }]) => [capId, used - underWay]));
}

/** What this process holds of each cap beyond what was used up to the mark. */
function heldOf(
  known: KnownCaps | undefined,
  marks: ReadonlyMap<string, number>,
  nowMs: number,
): readonly HeldLease[] {
  if (known === undefined) return [];
  return [...known.allowances].map(([capId, { used, upTo, expiresAtMs }]) => {
    const mark = marks.get(capId) ?? 0;
    const pending = Math.max(0, used - mark);
    return {
      capId,
      pending,
      // Nothing more is used of a lease that is no longer valid: what is left of it
      // goes back.
      leased: expiresAtMs > nowMs ? Math.max(pending, upTo - mark) : pending,
      // Less is used than before where responses have given back what did not leave.
      usedUnits: Math.max(0, used - (known.usedBefore.get(capId) ?? used)),
      usedOverMs: nowMs - known.readAtMs,
    };
  });
}

type Leased = Pick<KnownCaps, 'sequence' | 'standings'> & {
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
  const { cap, level, units, left, periodMs, prices, leaseMs } = standing;
  const validMs = level === 'refused' ? REFUSAL_MS : leaseMs * VALID_SHARE;
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
