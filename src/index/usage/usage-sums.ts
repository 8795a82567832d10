// Sums of the ledger's usage, grouped as a query says: of its journal, and of the
// tables beside it. Used by queries of usage.

import { capPeriod } from '../../domain/billing/caps.ts';
import type {
  MeterName,
  UsageGroup,
  UsageQuery,
  UsageRow,
  UsageSum,
} from '../../domain/billing/usage.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKeyId, BucketId } from '../../domain/nouns.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { readPageRows } from './read-pages.ts';

/** Sums that one query gives at most; a year of hours of five meters is fewer. */
const SUMS_MAX = 50_000;
/** What a whole number of `high` stands for. */
const HALF = 1n << 32n;

/**
 * Splits a quantity into `high` and `low`, which SQLite adds up without floating
 * point.
 */
export function halves(quantity: bigint): readonly [high: number, low: number] {
  return [Number(quantity / HALF), Number(quantity % HALF)];
}

/** The number of two sums of halves, read as texts: they may pass 2^53. */
export function wholeOf(row: { readonly high: string; readonly low: string }): bigint {
  return BigInt(row.high) * HALF + BigInt(row.low);
}

/** The start of the calendar month of a time, UTC. */
export function startOfMonth(timeMs: number): number {
  return capPeriod('month', timeMs).fromMs;
}

type SumRow = {
  readonly time_ms: number | null;
  readonly bucket_id: string | null;
  readonly access_key_id: string | null;
  readonly meter: string;
  readonly high: string;
  readonly low: string;
};

/**
 * Whole months are read from their own table and the newest pages of the journal;
 * others from all pages of their hours, and the table of hours from before there were
 * pages.
 */
export function sumUsage(sql: Sql, input: UsageQuery): readonly UsageSum[] {
  const { groupBy } = input;
  const isFine = groupBy.includes('hour') || groupBy.includes('day');
  const isOfMonths = !isFine && isWholeMonths(input);
  const sums = new Map<string, UsageSum>();
  const add = (sum: UsageSum) => {
    const name = `${sum.timeMs} ${sum.bucketId} ${sum.accessKeyId} ${sum.meter}`;
    const quantity = (sums.get(name)?.quantity ?? 0n) + sum.quantity;
    sums.set(name, { ...sum, quantity });
    if (sums.size <= SUMS_MAX) return;
    throw new StorageError('InvalidRequest', {
      detail: 'That is too much at once: ask for a shorter time, or fewer groups.',
    });
  };

  for (const row of readTable(sql, input, sumTableOf(isOfMonths))) add(decodeSum(row));
  for (const row of readPageRows(sql, { ...input, isUnsummed: isOfMonths }))
    if (isWanted(input, row)) add(toSum(groupBy, row));
  return [...sums.values()].sort(bySum);
}

/** Whether a stretch of time begins and ends with a month. */
export const isWholeMonths = ({ fromMs, toMs }: Pick<UsageQuery, 'fromMs' | 'toMs'>): boolean =>
  startOfMonth(fromMs) === fromMs && startOfMonth(toMs) === toMs;

/** A table of sums, with the column of its time. */
export type SumTable = { readonly table: string; readonly column: string };

/** Gives the table of whole months, or the one of hours. */
export const sumTableOf = (isOfMonths: boolean): SumTable =>
  isOfMonths
    ? { table: 'ledger_months', column: 'month_ms' }
    : { table: 'ledger_hours', column: 'hour_ms' };

function readTable(sql: Sql, input: UsageQuery, { table, column }: SumTable): readonly SumRow[] {
  const { groupBy } = input;
  const has = (group: UsageGroup) => groupBy.includes(group);
  return sql.all<SumRow>(
    `SELECT ${timeOf(groupBy, column)} AS time_ms,
       ${has('bucket') ? 'bucket_id' : 'NULL'} AS bucket_id,
       ${has('accessKey') ? 'access_key_id' : 'NULL'} AS access_key_id, meter,
       CAST(sum(high) AS TEXT) AS high, CAST(sum(low) AS TEXT) AS low
     FROM ${table} WHERE account_id = ?1 AND ${column} >= ?2 AND ${column} < ?3
       AND (?4 IS NULL OR bucket_id = ?4) AND (?5 IS NULL OR access_key_id = ?5)
       AND (?6 IS NULL
         OR substr(meter, 1, instr(meter, '/') - 1) IN (SELECT value FROM json_each(?6)))
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4 LIMIT ${PLAN_ONCE} ?7`,
    input.accountId,
    input.fromMs,
    input.toMs,
    input.bucketId ?? null,
    input.accessKeyId ?? null,
    input.kinds === undefined ? null : JSON.stringify(input.kinds),
    SUMS_MAX + 1,
  );
}

function timeOf(groupBy: readonly UsageGroup[], column: string): string {
  if (groupBy.includes('hour')) return column;
  if (groupBy.includes('day')) return `${column} - ${column} % ${DAY_MS}`;
  if (!groupBy.includes('month')) return 'NULL';
  return `unixepoch(${column} / 1000, 'unixepoch', 'start of month') * 1000`;
}

function decodeSum(row: SumRow): UsageSum {
  return {
    timeMs: row.time_ms,
    bucketId: row.bucket_id === null || row.bucket_id === '' ? null : (row.bucket_id as BucketId),
    accessKeyId:
      row.access_key_id === null || row.access_key_id === ''
        ? null
        : (row.access_key_id as AccessKeyId),
    meter: row.meter as MeterName,
    quantity: wholeOf(row),
  };
}

function isWanted({ bucketId, accessKeyId, kinds }: UsageQuery, row: UsageRow): boolean {
  if (bucketId !== undefined && row.bucketId !== bucketId) return false;
  if (accessKeyId !== undefined && row.accessKeyId !== accessKeyId) return false;
  return isOfKinds(kinds, row.meter);
}

/** Whether a meter is of one of the kinds, or of any where there are none given. */
export function isOfKinds(kinds: UsageQuery['kinds'], meter: MeterName): boolean {
  return kinds === undefined || kinds.some((kind) => kind === meter.slice(0, meter.indexOf('/')));
}

function toSum(groupBy: readonly UsageGroup[], row: UsageRow): UsageSum {
  const { hourMs, meter, quantity } = row;
  const timeMs = groupBy.includes('hour')
    ? hourMs
    : groupBy.includes('day')
      ? hourMs - (hourMs % DAY_MS)
      : groupBy.includes('month')
        ? startOfMonth(hourMs)
        : null;
  return {
    timeMs,
    bucketId: groupBy.includes('bucket') ? row.bucketId : null,
    accessKeyId: groupBy.includes('accessKey') ? row.accessKeyId : null,
    meter,
    quantity,
  };
}

/** By time, bucket, key and meter; what is none of them comes first. */
function bySum(a: UsageSum, b: UsageSum): number {
  return (
    (a.timeMs ?? 0) - (b.timeMs ?? 0) ||
    byText(a.bucketId ?? '', b.bucketId ?? '') ||
    byText(a.accessKeyId ?? '', b.accessKeyId ?? '') ||
    byText(a.meter, b.meter)
  );
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
