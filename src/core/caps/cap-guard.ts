// Keeps usage below the caps of whoever pays. Both doors of delivery and the S3 surface ask it where a bucket's record says
// that it is capped; the answer comes from memory, out of what the process has leased of each cap. When that is used up or
// old, the ledger is asked, after everything counted so far was brought there. It counts nothing: the meter does.
import type { CapScope } from '../../ports/caps.ts';
import type { AccountId, BucketGate } from '../../ports/domain.ts';
import { hasCode, StorageError } from '../../ports/errors.ts';
import type { Allowance, OperationClass, UsageCounter, UsageOwner } from '../../ports/metering.ts';
import type { Core } from '../core.ts';
import type { UsageFlusher } from '../metering/flush-usage.ts';
import { admit } from './admit.ts';
import { type CapStanding, crossingsOf, grantsOf, standingsOf } from './allowances.ts';
import { pricesOf } from './price-cap.ts';
import type { TellCrossing } from './tell-crossing.ts';

/** What is wanted. `fromMemory`: nothing below the caches is needed for it. */
export type Wanted = {
  readonly operationClass: OperationClass;
  readonly bytesOut: number;
  readonly fromMemory: boolean;
};

export type CapGuard = {
  /** Whether the answer may go out at once, for the hot door: false sends it to the other one. No I/O. */
  mayServe(gate: BucketGate, bytesOut: number): boolean;
  /**
   * Asked again when the answer goes out, in the same turn in which it is counted: null, or why it may not. Others may
   * have used what `require` saw. No I/O.
   */
  refusalNow(owner: UsageOwner, wanted: Wanted): StorageError | null;
  /**
   * Resolves when it may be used. UsageCapReached, SpendingCapReached; ServiceUnavailable when the ledger can't be asked:
   * a cap that can't be kept is not passed.
   */
  require(owner: UsageOwner, wanted: Wanted): Promise<void>;
};

/** How long a lease lasts in the ledger, and for how much of that a process believes in it. Milliseconds. */
const LEASE_MS = 60_000;
const BELIEVED_MS = 45_000;
/** For so long a refusal stands without asking again, milliseconds: strangers who go on asking cost the ledger nothing. */
const REFUSAL_MS = 2_000;
/**
 * What a refusal asks to wait at most, seconds: a day. A month is longer than anybody waits, and the owner may lift the cap
 * any time; the field EndsAt has the exact time.
 */
const RETRY_MAX_SECONDS = 86_400;
/** How often a lease is tried that another process was faster with. */
const ATTEMPTS = 8;
/** How often one request asks when others of its process use up what it was given. */
const ROUNDS = 4;

/** What is known of an account's caps. */
type Known = {
  readonly revision: number;
  readonly allowances: ReadonlyMap<string, Allowance>;
  readonly standings: readonly CapStanding[];
  readonly askedAtMs: number;
  /** How often caps had been changed in this process. */
  readonly forgotten: number;
};

/** `holder`: a name that no other process has had. `tell`: hears of each percentage that a cap comes to, in no request's way. */
export function createCapGuard(
  { ports: { clock, ledger, meter } }: Core,
  flusher: Pick<UsageFlusher, 'flushAccount'>,
  holder: string,
  tell: TellCrossing,
): CapGuard {
  const accounts = new Map<AccountId, Known>();

  /** The counter with the allowances that hold for it, if they are known. */
  function counterOf(counter: UsageCounter): UsageCounter {
    if (counter.allowances === null) {
      const known = accounts.get(counter.owner.accountId);
      // What was known before somebody changed a cap here says nothing now.
      if (known?.forgotten === meter.forgotten()) counter.allowances = allowancesFor(known, counter.owner);
    }
    return counter;
  }

  async function lease(accountId: AccountId): Promise<Known> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // What is counted up to here will be recorded when the state is read; what comes later is the lease's.
      const old = accounts.get(accountId)?.allowances ?? new Map<string, Allowance>();
      // What is on its way by itself may arrive after that: it is taken as used later, at worst twice.
      const marks = new Map([...old].map(([capId, { used, underWay }]) => [capId, used - underWay]));
      await flusher.flushAccount(accountId);
      const nowMs = clock.nowMs();
      const state = await ledger.call('readCaps', { accountId, holder, nowMs });
      const standings = standingsOf(state, nowMs);
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
    throw new StorageError('SlowDown', { detail: 'Too many are asking about the caps of this account.' });
  }

  /** An older answer that comes late changes nothing. What counters hold is changed in place. */
  function adopt(accountId: AccountId, leased: Leased): Known {
    const before = accounts.get(accountId);
    if (before !== undefined && before.revision > leased.revision) return before;
    const allowances = new Map(
      leased.standings.map((standing) => [standing.cap.id, renewed(before, standing, leased)]),
    );
    const isSame =
      before?.allowances.size === allowances.size && [...allowances.keys()].every((id) => before.allowances.has(id));
    if (!isSame) meter.forgetAllowances(accountId);
    const { revision, standings, nowMs: askedAtMs } = leased;
    const known: Known = { revision, allowances, standings, askedAtMs, forgotten: meter.forgotten() };
    accounts.set(accountId, known);
    return known;
  }

  const refusalOf = (owner: UsageOwner, wanted: Wanted) =>
    refusal(accounts.get(owner.accountId)?.standings ?? [], owner, wanted, clock.nowMs());
  const isFit = (counter: UsageCounter, wanted: Wanted) => admit(counterOf(counter).allowances, wanted, clock.nowMs());

  return {
    mayServe: (gate, bytesOut) =>
      isFit(meter.ofGate(gate), { operationClass: 'B', bytesOut, fromMemory: true }) === 'yes',
    refusalNow: (owner, wanted) => (isFit(meter.of(owner), wanted) === 'yes' ? null : refusalOf(owner, wanted)),
    async require(owner, wanted) {
      const first = isFit(meter.of(owner), wanted);
      if (first === 'yes') return;
      // More than one round where others use up at once what was leased.
      for (let round = 0; first === 'ask' && round < ROUNDS && !isHopeless(owner, wanted); round++) {
        await askAnew(owner.accountId);
        if (isFit(meter.of(owner), wanted) === 'yes') return;
      }
      throw refusalOf(owner, wanted);
    },
  };

  async function askAnew(accountId: AccountId): Promise<void> {
    try {
      await lease(accountId);
    } catch (cause) {
      if (hasCode(cause, 'SlowDown')) throw cause;
      const detail = 'What this bucket has used can not be looked up now.';
      throw new StorageError('ServiceUnavailable', { detail, cause });
    }
  }

  /** Whether the ledger has said a moment ago that there is no more to be had than is held, and that is too little. */
  function isHopeless(owner: UsageOwner, wanted: Wanted): boolean {
    const nowMs = clock.nowMs();
    const known = accounts.get(owner.accountId);
    if (known?.forgotten !== meter.forgotten() || nowMs - known.askedAtMs >= REFUSAL_MS) return false;
    return allowancesFor(known, owner).some(
      (allowance) => allowance.isLast && admit([allowance], wanted, nowMs) === 'ask',
    );
  }
}

type Leased = {
  readonly revision: number;
  readonly standings: readonly CapStanding[];
  readonly nowMs: number;
  /** Of each cap, what was used before its usage was recorded. */
  readonly marks: ReadonlyMap<string, number>;
};

/** The allowance of a cap as it stands now; the same object as before, if there was one. */
function renewed(before: Known | undefined, standing: CapStanding, { marks, nowMs }: Leased): Allowance {
  const { cap, level, units, isAll, periodMs } = standing;
  const believedMs = level === 'refused' ? REFUSAL_MS : BELIEVED_MS;
  const known = before?.allowances.get(cap.id);
  const now = {
    capId: cap.id,
    scope: cap.scope,
    level,
    used: known?.used ?? 0,
    upTo: (marks.get(cap.id) ?? 0) + units,
    isLast: isAll,
    expiresAtMs: Math.min(nowMs + believedMs, periodMs.toMs),
    ...pricesOf(cap),
  };
  return known === undefined ? { ...now, underWay: 0 } : Object.assign(known, now);
}

/** Those of an account's allowances that hold for an owner. */
function allowancesFor({ allowances }: Known, owner: UsageOwner): readonly Allowance[] {
  return [...allowances.values()].filter(({ scope }) => isFor(scope, owner));
}

function isFor(scope: CapScope, { bucketId, accessKeyId }: UsageOwner): boolean {
  if (scope.kind === 'bucket') return scope.bucketId === bucketId;
  return scope.kind === 'account' || scope.accessKeyId === accessKeyId;
}

/** Says which cap it is, how it ends and when to come back: to whoever asks, without the numbers that are the owner's. */
function refusal(standings: readonly CapStanding[], owner: UsageOwner, wanted: Wanted, nowMs: number): StorageError {
  const mine = standings.filter(({ cap }) => isFor(cap.scope, owner));
  const reached =
    mine.find(({ level }) => level === 'refused') ?? mine.find(({ level }) => level === 'cached' && !wanted.fromMemory);
  const standing = reached ?? mine[0];
  if (standing === undefined) return new StorageError('UsageCapReached');
  const { cap, periodMs, level } = standing;
  const what = cap.scope.kind === 'accessKey' ? 'access key' : cap.scope.kind;
  const until = new Date(periodMs.toMs).toISOString();
  const only = level === 'cached' ? ' Until then only what caches hold is served.' : '';
  const detail = `A cap that its owner has set on this ${what} is reached. It ends at ${until}, or when the owner lifts or raises it.${only}`;
  const code = cap.unit === 'money' ? 'SpendingCapReached' : 'UsageCapReached';
  // What others have leased of a cap that is not reached comes back with their leases.
  const untilMs = reached === undefined ? Math.min(nowMs + LEASE_MS, periodMs.toMs) : periodMs.toMs;
  const RetryAfterSeconds = `${Math.min(RETRY_MAX_SECONDS, Math.max(1, Math.ceil((untilMs - nowMs) / 1000)))}`;
  return new StorageError(code, { detail, fields: { Cap: cap.id, EndsAt: until, RetryAfterSeconds } });
}
