// Keeps usage below the caps of whoever pays. Both doors of delivery and the S3 surface ask it
// where a bucket's record says that it is capped; the answer comes from memory, out of what the
// process has leased of each cap (cap-leases.ts). When that is used up or old, more is leased
// first. It counts nothing: the meter does.

import { hasCode, StorageError } from '../../domain/errors.ts';
import type { BucketReadPolicy } from '../../domain/nouns.ts';
import {
  type OperationClass,
  type UsageCounter,
  type UsageOwner,
  unitsOf,
} from '../../ports/metering.ts';
import type { Core } from '../core.ts';
import type { UsageFlusher } from '../metering/flush-usage.ts';
import { admit } from './admit.ts';
import type { CapStanding } from './allowances.ts';
import {
  allowancesFor,
  createCapLeases,
  isFor,
  REFUSAL_MS,
  type WaitingUse,
} from './cap-leases.ts';
import { capRefusal, storageRefusal } from './cap-refusal.ts';
import type { ReportCrossing } from './report-crossing.ts';

/** What is wanted. `fromMemory`: nothing below the caches is needed for it. */
export type Wanted = {
  readonly operationClass: OperationClass;
  readonly bytesOut: number;
  readonly fromMemory: boolean;
};

export type CapGuard = {
  /**
   * Whether the answer may go out at once, for the hot door: false sends it to the other one. No
   * I/O.
   */
  mayServe(readPolicy: BucketReadPolicy, bytesOut: number): boolean;
  /**
   * Asked again when the answer goes out, in the same turn in which it is counted: null, or why it
   * may not. Others may have used what `require` saw. No I/O.
   */
  refusalNow(owner: UsageOwner, wanted: Wanted): StorageError | null;
  /**
   * Resolves when it may be used. UsageCapReached, SpendingCapReached; ServiceUnavailable when the
   * ledger can't be asked: a cap that can't be kept is not passed.
   */
  require(owner: UsageOwner, wanted: Wanted): Promise<void>;
  /**
   * Before an upload of so many bytes, once `require` let it through: whether caps in money have
   * room for storing it, and what is stored already, until their periods end. SpendingCapReached.
   */
  requireStorage(owner: UsageOwner, bytes: number): Promise<void>;
};

/** How often one request asks when others of its process use up what it was given. */
const ROUNDS = 4;

/** `holder` and `tell` as for createCapLeases. */
export function createCapGuard(
  core: Core,
  flusher: Pick<UsageFlusher, 'flushAccount'>,
  holder: string,
  tell: ReportCrossing,
): CapGuard {
  const { clock, meter } = core.ports;
  const leases = createCapLeases(core, flusher, holder, tell);

  /** The counter with the allowances that hold for it, if they are known. */
  function counterOf(counter: UsageCounter): UsageCounter {
    if (counter.allowances === null) {
      const known = leases.known(counter.owner.accountId);
      // What was known before somebody changed a cap here says nothing now.
      if (known?.forgotten === meter.forgotten())
        counter.allowances = allowancesFor(known, counter.owner);
    }
    return counter;
  }

  const refusalOf = (owner: UsageOwner, wanted: Wanted) =>
    capRefusal(leases.known(owner.accountId)?.standings ?? [], owner, wanted, clock.nowMs());
  const isFit = (counter: UsageCounter, wanted: Wanted) =>
    admit(counterOf(counter).allowances, wanted, clock.nowMs());

  return {
    mayServe: (readPolicy, bytesOut) =>
      isFit(meter.ofReadPolicy(readPolicy), { operationClass: 'B', bytesOut, fromMemory: true }) ===
      'yes',
    refusalNow: (owner, wanted) =>
      isFit(meter.of(owner), wanted) === 'yes' ? null : refusalOf(owner, wanted),
    async require(owner, wanted) {
      const first = isFit(meter.of(owner), wanted);
      if (first === 'yes') return;
      // More than one round where others use up at once what was leased.
      for (
        let round = 0;
        first === 'ask' && round < ROUNDS && !isHopeless(owner, wanted);
        round++
      ) {
        await askAnew({ owner, operationClass: wanted.operationClass, bytesOut: wanted.bytesOut });
        if (isFit(meter.of(owner), wanted) === 'yes') return;
      }
      throw refusalOf(owner, wanted);
    },
    requireStorage,
  };

  /** The cap that storing so many bytes more would pass, of what memory knows. */
  function passedByStoring(owner: UsageOwner, bytes: number): CapStanding | undefined {
    const known = leases.known(owner.accountId);
    return known?.standings.find(({ cap, storage }) => {
      const allowance = known.allowances.get(cap.id);
      if (allowance === undefined || storage.perByte === 0 || !isFor(cap.scope, owner))
        return false;
      return (
        allowance.used + allowance.perA + storage.planned + bytes * storage.perByte >
        allowance.reachable
      );
    });
  }

  async function requireStorage(owner: UsageOwner, bytes: number): Promise<void> {
    if (bytes === 0 || passedByStoring(owner, bytes) === undefined) return;
    const askedAtMs = leases.known(owner.accountId)?.askedAtMs ?? 0;
    if (clock.nowMs() - askedAtMs >= REFUSAL_MS)
      await askAnew({ owner, operationClass: 'A', bytesOut: 0 });
    const passed = passedByStoring(owner, bytes);
    if (passed !== undefined) throw storageRefusal(passed);
  }

  async function askAnew(use: WaitingUse): Promise<void> {
    try {
      await leases.renew(use);
    } catch (cause) {
      if (hasCode(cause, 'SlowDown')) throw cause;
      const detail = 'What this bucket has used can not be looked up now.';
      throw new StorageError('ServiceUnavailable', { detail, cause });
    }
  }

  /** Whether the ledger has said a moment ago that all that could be had is too little. */
  function isHopeless(owner: UsageOwner, wanted: Wanted): boolean {
    const nowMs = clock.nowMs();
    const known = leases.known(owner.accountId);
    if (known?.forgotten !== meter.forgotten() || nowMs - known.askedAtMs >= REFUSAL_MS)
      return false;
    const { operationClass, bytesOut } = wanted;
    return allowancesFor(known, owner).some(
      (allowance) =>
        allowance.used + unitsOf(allowance, operationClass, bytesOut) > allowance.reachable,
    );
  }
}
