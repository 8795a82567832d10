// What is used, counted in memory until the ledger has it. Counting is synchronous
// and can't fail; core/metering takes the sums out and brings them to the ledger
// (ports/ledger.ts), core/caps sets the allowances.

import type { CapLevel, CapScope } from '../domain/billing/caps.ts';
import type { AccessKeyId, AccountId, BucketId, BucketReadPolicy } from '../domain/nouns.ts';

/**
 * Classes of requests as R2 has them
 * (https://developers.cloudflare.com/r2/pricing/#class-a-operations).
 */
export type OperationClass = 'A' | 'B' | 'free';
/**
 * Where the bytes of a response came from; `none`: they were made for it, or there
 * were none.
 */
export type UsageTier = 'memory' | 'edge' | 'bucket' | 'none';

/** The usage of one response. */
export type Use = {
  readonly operationClass: OperationClass;
  readonly bytesOut: number;
  readonly tier: UsageTier;
  /**
   * The storage class of the object that it is about; STANDARD where it is about
   * none.
   */
  readonly storageClass: string;
  /** Objects besides that are read for the response. */
  readonly alsoRead: readonly AlsoRead[];
};

/** Objects of one storage class that a response is made of. */
export type AlsoRead = {
  readonly storageClass: string;
  /** Operations of class B. */
  readonly reads: number;
  /** Bytes of theirs that are taken from where they are stored. */
  readonly retrievedBytes: number;
};

/**
 * Who pays, and which key signed the request; null: none did. The payer is the
 * owner of the bucket.
 */
export type UsageOwner = {
  readonly accountId: AccountId;
  /** Null: none, as for a list of buckets. */
  readonly bucketId: BucketId | null;
  readonly accessKeyId: AccessKeyId | null;
};

/** Sums of one storage class. Whole numbers; exact to 2^53 between two drains. */
export type UsageCounts = {
  classA: number;
  classB: number;
  free: number;
  memoryBytes: number;
  edgeBytes: number;
  bucketBytes: number;
  /** Bytes made for the response: lists, documents. They go out like any others. */
  madeBytes: number;
  /**
   * Bytes taken from where they are stored for a copy or a ZIP file; what of them
   * goes out is counted apart.
   */
  retrievedBytes: number;
};

/**
 * What may still be used of a cap before the next call of the ledger; shared by all
 * counters that the cap is for. Units are the cap's own: bytes, or micro-units of
 * money. Numbers, not exact: the ledger's sums are.
 */
export type Allowance = {
  readonly capId: string;
  readonly scope: CapScope;
  /** Units used since the process began, and up to where that may go. */
  used: number;
  upTo: number;
  /** The part of `used` that is on its way to the ledger by itself. */
  underWay: number;
  /** Up to where it could have gone at the last call of the ledger. */
  reachable: number;
  /** By the clock of this process. From then on nothing of it may be used. */
  expiresAtMs: number;
  level: CapLevel;
  /** Units that a request of a class takes, and a byte out. */
  perA: number;
  perB: number;
  perByte: number;
};

/** A response on its way out, with a quota reservation for its bytes. */
export type OpenUse = {
  /**
   * Notes that so many bytes more are about to leave. False: they must not, nor any
   * others. The response stood still for so long that its quota reservation was
   * taken back (`releaseIdleReservations`), and its caps have no room for it now.
   */
  sent(bytes: number): boolean;
  /** Nothing more leaves: all did, or the client went away. Idempotent. */
  end(): void;
};

/** The uses of one owner, from one process. */
export type UsageCounter = {
  readonly owner: UsageOwner;
  /**
   * Counts one response. `storageClass`: of the object that it is about, STANDARD
   * where it is about none. Cost: an addition or two.
   */
  count(
    operationClass: OperationClass,
    bytesOut: number,
    tier: UsageTier,
    storageClass: string,
  ): void;
  /**
   * Counts one response whose bytes go out over some time: the request counts now,
   * its bytes as they leave. A quota reservation covers all of them from now on,
   * and gives back at the end what did not leave.
   */
  countOpen(
    operationClass: OperationClass,
    bytesOut: number,
    tier: UsageTier,
    storageClass: string,
  ): OpenUse;
  /**
   * Counts one response that drains don't take, because the caller brings it to the
   * ledger. `settle`, to be called once, when the ledger or the flusher has it:
   * caps know of it meanwhile.
   */
  countApart(use: Use): { readonly usage: DrainedUsage; settle(): void };
  /**
   * Counts the operation of a response, by its name in S3, for charts.
   * `isCountedRead`: it is counted here too, as class B. Reads that are counted
   * here and never named are hot or public ones, so that these cost nothing more.
   * Cost: a look-up.
   */
  note(operation: string, isCountedRead: boolean): void;
  /** Counts objects that are read for a response which is about something else. */
  alsoRead(read: AlsoRead): void;
  /** A request that was refused to a stranger: free, and shown to the owner. */
  block(): void;
  /**
   * A request of the account itself that was refused (`client`), or one of anybody
   * that the server failed: free, and shown.
   */
  fail(fault: 'client' | 'server'): void;
  /**
   * Allowances of the caps that apply to this owner; null: not known, and none is
   * needed unless the bucket is capped.
   */
  allowances: readonly Allowance[] | null;
};

/**
 * What an owner used between two drains; `usedFromMs` is when the first use was,
 * and gives the hour of all.
 */
export type DrainedUsage = {
  readonly owner: UsageOwner;
  readonly usedFromMs: number;
  /** By storage class. */
  readonly counts: ReadonlyMap<string, Readonly<UsageCounts>>;
  /** Requests that were refused to strangers. */
  readonly blocked: number;
  /** Requests of the account itself that were refused. */
  readonly clientErrors: number;
  /** Requests that the server failed. */
  readonly serverErrors: number;
  /** Requests by operation, and reads that were counted without a name. */
  readonly operations: ReadonlyMap<string, number>;
  readonly unnamedReads: number;
};

/** What was metered since the start, of all owners together. */
export type MeterTotals = {
  readonly operations: Readonly<Record<OperationClass, number>>;
  readonly bytesOut: Readonly<Record<UsageTier, number>>;
};

export type Meter = {
  /** The counter of an owner. Cost: a look-up. */
  of(owner: UsageOwner): UsageCounter;
  /**
   * The counter of public reads of a bucket, found by the read policy in memory.
   * Cost: 10 ns.
   */
  ofReadPolicy(readPolicy: BucketReadPolicy): UsageCounter;
  /**
   * Takes out what was counted, of accounts that `wants` takes; it is the caller's
   * to keep from then on.
   */
  drain(wants: (accountId: AccountId) => boolean): readonly DrainedUsage[];
  /** Whether anything is counted that no drain has taken. Cost: nothing. */
  hasUses(): boolean;
  /**
   * Takes back the quota reservations of responses of which nothing has left for a
   * minute: a runtime does not always report that a client went away. One that goes
   * on reserves anew. Cost: a look at each response under way that is capped.
   */
  releaseIdleReservations(): void;
  /**
   * Forgets the allowances of an account's counters, so that they are fetched anew.
   */
  forgetAllowances(accountId: AccountId): void;
  /** How often that was done. */
  forgotten(): number;
  /**
   * `onUse` is called at each owner's first use after each drain, whether that took
   * the owner's or left it, in the middle of a request: no I/O, no throw.
   */
  whenUsed(onUse: () => void): void;
  /** For metrics. */
  totals(): MeterTotals;
};

/** The units of an allowance that a response takes. */
export function unitsOf(
  { perA, perB, perByte }: Pick<Allowance, 'perA' | 'perB' | 'perByte'>,
  operationClass: OperationClass,
  bytesOut: number,
): number {
  return (operationClass === 'A' ? perA : operationClass === 'B' ? perB : 0) + bytesOut * perByte;
}
