// What accounts use, as quantities of meters: what commits and requests count, what
// the ledger sums up, and what bills are made of. It knows no prices.
import type { AccessKeyId, AccountId, BucketId } from '../nouns.ts';

/**
 * What is measured; storage classes by their S3 names. `storage` is as clients see
 * it; `deduplicated` and `compressed` are what of it is not really stored.
 * `early-delete`: what is short of a class's minimum storage duration.
 */
export type MeterKind =
  | 'storage'
  | 'deduplicated'
  | 'compressed'
  | 'early-delete'
  | 'operation'
  | 'errors'
  | 'class-a'
  | 'class-b'
  | 'free'
  | 'egress'
  | 'retrieval';
/**
 * `{kind}/{storage class}`; egress has the tier that the bytes came from instead
 * (`memory`, `edge`, `bucket`, or `made` for the response). `free/blocked`:
 * requests that were refused to strangers. `free/stale-uploads` and
 * `free/stale-upload-bytes`: unfinished uploads that the server gave up, and what
 * their parts took. `operation/{name}`: requests by operation, for charts; bills
 * know their classes alone. `errors/4xx`: requests of the account itself that were
 * refused; `errors/5xx`: requests of anybody that the server failed.
 */
export type MeterName = `${MeterKind}/${string}`;

/** Whether a meter is for charts alone: no bill, cap or receipt has it. */
export const isForCharts = (meter: MeterName): boolean =>
  meter.startsWith('operation/') || meter.startsWith('errors/');

/**
 * What was used within an hour. `quantity`: requests, bytes, and of storage, what
 * is saved of it and `early-delete` byte-milliseconds.
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
 * Rows that are counted together, once: batches of one source have ascending
 * sequences, and one that is not above the last of its source was counted before.
 */
export type UsageBatch = {
  readonly source: string;
  readonly sequence: number;
  readonly rows: readonly UsageRow[];
  /**
   * `first`: the batch was never sent before, and whoever sends it again says
   * `repeat`. Absent: the sender does not know. What it says makes first ones cheap;
   * each is counted once all the same.
   */
  readonly attempt?: 'first' | 'repeat';
};

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
 * A sum; null where it is not grouped by that. Grouped by bucket, null is what was
 * no bucket's; by access key, what came without a signature.
 */
export type UsageSum = {
  readonly timeMs: number | null;
  readonly bucketId: BucketId | null;
  readonly accessKeyId: AccessKeyId | null;
  readonly meter: MeterName;
  readonly quantity: bigint;
};
