// The calls of the ledger about caps and the quota leases by which processes use
// them up. index/ledger implements them; ports/ledger.ts puts them together with the
// others.
import type { Cap, CapCrossing, CapStanding, CapState } from '../../domain/billing/caps.ts';
import type { UsageBatch } from '../../domain/billing/usage.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { OperationClass, UsageOwner } from '../metering.ts';

/** A use that waits for a lease that suffices for it. */
export type WaitingUse = {
  readonly owner: UsageOwner;
  readonly operationClass: OperationClass;
  readonly bytesOut: number;
};

/** What a process holds of one cap, and how fast it uses it, in the cap's units. */
export type HeldLease = {
  readonly capId: string;
  /**
   * Units of its last lease that are not in the ledger yet: they must stay covered.
   */
  readonly leased: number;
  /**
   * Units of those that it has counted, or that responses under way may still send.
   */
  readonly pending: number;
  /** Units that it used since its last lease, in so many milliseconds. */
  readonly usedUnits: number;
  readonly usedOverMs: number;
};

/** The request for a quota lease of every cap of an account. */
export type LeaseRequest = {
  readonly accountId: AccountId;
  /** A name that no other process has had. */
  readonly holder: string;
  /** What the holder has used and the ledger does not have yet; recorded first. */
  readonly batches: readonly UsageBatch[];
  /** A cap that is absent: nothing is held of it. */
  readonly held: readonly HeldLease[];
  /** Uses that wait for this lease, in the order in which they came. */
  readonly waiting: readonly WaitingUse[];
  readonly nowMs: number;
};

/** What a process is leased, and the alerts that the caps have come to. */
export type LeaseDecision = {
  readonly standings: readonly CapStanding[];
  readonly crossings: readonly CapCrossing[];
};

/**
 * Works out what a process is leased. It knows prices, which the ledger does not.
 * Pure.
 */
export type DecideLeases = (caps: readonly CapState[], request: LeaseRequest) => LeaseDecision;

export type LedgerCapQueries = {
  /** By id; at most 100. */
  listCaps(input: { accountId: AccountId }): readonly Cap[];
  /**
   * The caps with what each has used in the period of `nowMs`. Cost: the sums of
   * the period.
   */
  readCaps(input: { accountId: AccountId; holder: string; nowMs: number }): readonly CapState[];
};

export type LedgerCapCommands = {
  /**
   * Sets a cap (`known` null), or changes one that `known` says as `listCaps` gave
   * it. PreconditionFailed: it is not so any more. InvalidRequest when there are
   * 100. Idempotent.
   */
  putCap(input: { accountId: AccountId; cap: Cap; known: Cap | null }): void;
  /** Whether there was one. */
  deleteCap(input: { accountId: AccountId; id: string }): boolean;
  /**
   * Records what the holder has used, and leases to it anew, in place of its last
   * lease of each cap. All of it is one transaction: no other process comes between.
   * `crossings`: those that were not reported before. Cost: the sums of the period.
   */
  leaseCaps(request: LeaseRequest): LeaseDecision;
};
