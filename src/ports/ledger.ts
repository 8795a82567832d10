// The ledger: what each account used, by the hour, and the caps on it. Usage comes in batches that can be sent again
// without being counted twice. index/ledger-index.ts implements it synchronously over SQL; on Node all accounts share the
// database of the index, on Cloudflare each has a Durable Object of its own. It knows quantities and no prices: receipts
// (ports/receipts.ts) are priced by a function that it is given.

import type { AccessKeyId, AccountId, BucketId } from '../domain/nouns.ts';
import type { LedgerQuotaCommands, LedgerQuotaQueries } from '../domain/quotas.ts';
import type { Cap, CapCrossing, CapLease, CapsState } from './caps.ts';
import type { ReceiptCommands, ReceiptQueries } from './receipts.ts';

/**
 * What is measured; storage classes by their S3 names. `storage` is as clients see it; `deduplicated` and `compressed` are
 * what of it is not really stored. `early-delete`: what is short of a class's least time.
 */
export type MeterKind =
  | 'storage'
  | 'deduplicated'
  | 'compressed'
  | 'early-delete'
  | 'operation'
  | 'class-a'
  | 'class-b'
  | 'free'
  | 'egress'
  | 'retrieval';
/**
 * `{kind}/{storage class}`; egress has the tier that the bytes came from instead (`memory`, `edge`, `bucket`, or `made`
 * for the answer). `free/blocked`: requests that were refused to strangers. `free/stale-uploads` and `free/stale-upload-bytes`:
 * unfinished uploads that the server gave up, and what their parts took. `operation/{name}`: requests by what they asked for,
 * for charts; bills know their classes alone.
 */
export type MeterName = `${MeterKind}/${string}`;

/**
 * What was used within an hour. `quantity`: requests, bytes, and of storage, what is saved of it and `early-delete`
 * byte-milliseconds.
 */
export type UsageRow = {
  /** Start of the hour, UTC. */
  readonly hourMs: number;
  readonly bucketId: BucketId | null;
  readonly accessKeyId: AccessKeyId | null;
  readonly meter: MeterName;
  readonly quantity: bigint;
};

/**
 * Rows that are counted together, once: batches of one source have ascending sequences, and one that is not above the
 * last of its source was counted before.
 */
export type UsageBatch = { readonly source: string; readonly sequence: number; readonly rows: readonly UsageRow[] };

export type UsageGroup = 'hour' | 'day' | 'month' | 'bucket' | 'accessKey';
export type UsageQuery = {
  readonly accountId: AccountId;
  /** Whole hours, `toMs` not included. */
  readonly fromMs: number;
  readonly toMs: number;
  /** What sums are kept apart by, besides the meter. Of the times at most one. */
  readonly groupBy: readonly UsageGroup[];
  /** Only of this bucket, or of this key. */
  readonly bucketId?: BucketId;
  readonly accessKeyId?: AccessKeyId;
  /** Only of meters of these kinds; absent: of all. */
  readonly kinds?: readonly MeterKind[];
};
/**
 * A sum; null where it is not grouped by that. Grouped by bucket, null is what was no bucket's; by access key, what was
 * asked without a signature.
 */
export type UsageSum = {
  readonly timeMs: number | null;
  readonly bucketId: BucketId | null;
  readonly accessKeyId: AccessKeyId | null;
  readonly meter: MeterName;
  readonly quantity: bigint;
};

/** What stands in files of its own. */
type FurtherCommands = ReceiptCommands & LedgerQuotaCommands;
type FurtherQueries = ReceiptQueries & LedgerQuotaQueries;

export type LedgerCommands = FurtherCommands & {
  /** Counts the batches that were not counted yet. Idempotent. */
  record(input: { accountId: AccountId; batches: readonly UsageBatch[]; nowMs: number }): void;
  /**
   * Sets a cap (`known` null), or changes one that `known` says as `listCaps` gave it. PreconditionFailed: it is not so any more.
   * InvalidRequest when there are 100. Idempotent.
   */
  putCap(input: { accountId: AccountId; cap: Cap; known: Cap | null }): void;
  /** Whether there was one. */
  deleteCap(input: { accountId: AccountId; id: string }): boolean;
  /**
   * Gives the holder these units in place of those that it had, and tells which crossings are new. Null, and nothing is
   * done, when the state has moved on since it was read. A holder without a lease until `untilMs` has none.
   */
  leaseCaps(lease: CapLease): { revision: number; crossings: readonly CapCrossing[] } | null;
};
export type LedgerQueries = FurtherQueries & {
  /** By id; at most 100. */
  listCaps(input: { accountId: AccountId }): readonly Cap[];
  /** The same with what each has used in the period of `nowMs`. Cost: the sums of the period. */
  readCaps(input: { accountId: AccountId; holder: string; nowMs: number }): CapsState;
  /** Sums of an account's usage, by time and meter. InvalidRequest above 50,000 of them. Cost: the rows of the period. */
  query(input: UsageQuery): readonly UsageSum[];
  /** The first hour in which the account used anything; null: it never did. Cost: a row. */
  getFirstHour(input: { accountId: AccountId }): number | null;
};
export type LedgerApi = LedgerCommands & LedgerQueries;

/** The ledger from anywhere: a call goes to where the account's rows are. */
export type Ledger = {
  call<Name extends keyof LedgerApi>(
    name: Name,
    input: Parameters<LedgerApi[Name]>[0],
  ): Promise<ReturnType<LedgerApi[Name]>>;
};
