// Keeps usage below the caps of whoever pays. Both paths of delivery and the S3
// surface call it where a bucket's record says that it is capped. It decides from
// memory, by the quota leases of the process (cap-leases.ts); when one is used up
// or old, more is leased first. It counts nothing: the meter does.

import type { CapStanding } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketReadPolicy } from '../../domain/nouns.ts';
import type { WaitingUse } from '../../ports/ledger-calls/cap-calls.ts';
import { type UsageCounter, type UsageOwner, unitsOf } from '../../ports/metering.ts';
import type { Core } from '../core.ts';
import type { UsageFlusher } from '../metering/flush-usage.ts';
import type { ReportCrossing } from '../metering/report-crossing.ts';
import { admit, type RequestedUse } from './admit.ts';
import { allowancesFor, createCapLeases, REFUSAL_MS } from './cap-leases.ts';
import { capRefusal, storageRefusal } from './cap-refusal.ts';
import { isFor } from './cap-scope.ts';

export type CapGuard = {
  /**
   * Whether the fast path may respond at once; false: the full path decides. No
   * I/O.
   */
  mayServe(readPolicy: BucketReadPolicy, bytesOut: number): boolean;
  /**
   * The refusal of a use that `require` admitted, null for none. Race: another
   * request uses up what `require` saw. Guard: this is called in the tick in which
   * the response is counted. No I/O.
   */
  refusalNow(owner: UsageOwner, use: RequestedUse): StorageError | null;
  /**
   * Resolves when the use is admitted. UsageCapReached, SpendingCapReached;
   * ServiceUnavailable when the ledger can't be reached: a cap that can't be
   * checked is not passed.
   */
  require(owner: UsageOwner, use: RequestedUse): Promise<void>;
  /**
   * Called before an upload of so many bytes, after `require`. SpendingCapReached
   * when caps in money have no room for storing it beside what is stored, until
   * their periods end.
   */
  requireStorage(owner: UsageOwner, bytes: number): Promise<void>;
};

/** Leases that one request may take while others of its process use them up. */
const ROUNDS = 4;

/**
 * Makes the guard of a process. `holder`: a name that no other process has had.
 * `reportCrossing` is called for each alert that a cap comes to.
 */
export function createCapGuard(
  core: Core,
  flusher: Pick<UsageFlusher, 'sendWith'>,
  holder: string,
  reportCrossing: ReportCrossing,
): CapGuard {
  const { clock, meter } = core.ports;
  const leases = createCapLeases(core, flusher, holder, reportCrossing);

  /** Gives a counter the allowances that hold for it, if they are known. */
  function counterOf(counter: UsageCounter): UsageCounter {
    if (counter.allowances === null) {
      const known = leases.known(counter.owner.accountId);
      // What was known before a cap was changed in this process is no longer valid.
      if (known?.forgotten === meter.forgotten())
        counter.allowances = allowancesFor(known, counter.owner);
    }
    return counter;
  }

  const refusalOf = (owner: UsageOwner, use: RequestedUse) =>
    capRefusal(leases.known(owner.accountId)?.standings ?? [], owner, use, clock.nowMs());
  const admissionOf = (counter: UsageCounter, use: RequestedUse) =>
    admit(counterOf(counter).allowances, use, clock.nowMs());

  return {
    mayServe(readPolicy, bytesOut) {
      const read = { operationClass: 'B', bytesOut, fromMemory: true } as const;
      return admissionOf(meter.ofReadPolicy(readPolicy), read) === 'yes';
    },
    refusalNow: (owner, use) =>
      admissionOf(meter.of(owner), use) === 'yes' ? null : refusalOf(owner, use),
    async require(owner, use) {
      const admission = admissionOf(meter.of(owner), use);
      if (admission === 'yes') return;
      if (admission === 'no') throw refusalOf(owner, use);

      // There is more than one round where others use up at once what was leased.
      const { operationClass, bytesOut } = use;
      for (let round = 0; round < ROUNDS && !isHopeless(owner, use); round++) {
        await leaseMore({ owner, operationClass, bytesOut });
        if (admissionOf(meter.of(owner), use) === 'yes') return;
      }
      throw refusalOf(owner, use);
    },
    requireStorage,
  };

  /** The cap that storing so many bytes more would pass, by what memory knows. */
  function passedByStoring(owner: UsageOwner, bytes: number): CapStanding | undefined {
    const known = leases.known(owner.accountId);
    return known?.standings.find(({ cap, storage }) => {
      const allowance = known.allowances.get(cap.id);
      if (allowance === undefined || storage.perByte === 0 || !isFor(cap.scope, owner))
        return false;
      const storingUnits = storage.planned + bytes * storage.perByte;
      return allowance.used + allowance.perA + storingUnits > allowance.reachable;
    });
  }

  async function requireStorage(owner: UsageOwner, bytes: number): Promise<void> {
    if (bytes === 0 || passedByStoring(owner, bytes) === undefined) return;
    const readAtMs = leases.known(owner.accountId)?.readAtMs ?? 0;
    if (clock.nowMs() - readAtMs >= REFUSAL_MS)
      await leaseMore({ owner, operationClass: 'A', bytesOut: 0 });
    const passed = passedByStoring(owner, bytes);
    if (passed !== undefined) throw storageRefusal(passed);
  }

  async function leaseMore(use: WaitingUse): Promise<void> {
    try {
      await leases.renew(use);
    } catch (cause) {
      const detail = 'What this bucket has used can not be looked up now.';
      throw new StorageError('ServiceUnavailable', { detail, cause });
    }
  }

  /**
   * Whether the ledger's state, read a moment ago, leaves too little for the use
   * anyway.
   */
  function isHopeless(owner: UsageOwner, { operationClass, bytesOut }: RequestedUse): boolean {
    const nowMs = clock.nowMs();
    const known = leases.known(owner.accountId);
    if (known?.forgotten !== meter.forgotten() || nowMs - known.readAtMs >= REFUSAL_MS)
      return false;
    return allowancesFor(known, owner).some(
      (allowance) =>
        allowance.used + unitsOf(allowance, operationClass, bytesOut) > allowance.reachable,
    );
  }
}
