// Sums of the ledger's rows, grouped as a query says. Used by queries of usage and
// by caps.

import { capPeriod } from '../../domain/billing/caps.ts';
import type { MeterName, UsageGroup, UsageQuery, UsageSum } from '../../domain/billing/usage.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKeyId, BucketId } from '../../domain/nouns.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

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

/** Whole months are read from their own table: some rows in place of hundreds. */
export function sumUsage(sql: Sql, input: UsageQuery): readonly UsageSum[] {
  const { groupBy } = input;
  const isFine = groupBy.includes('hour') || groupBy.includes('day');
  const isOfMonths =
    !isFine &&
    startOfMonth(input.fromMs) === input.fromMs &&
    startOfMonth(input.toMs) === input.toMs;
  const [table, column] = isOfMonths ? ['ledger_months', 'month_ms'] : ['ledger_hours', 'hour_ms'];
  const has = (group: UsageGroup) => groupBy.includes(group);
  const rows = sql.all<SumRow>(
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
  if (rows.length > SUMS_MAX) {
    throw new StorageError('InvalidRequest', {
      detail: 'That is too much at once: ask for a shorter time, or fewer groups.',
    });
  }
  return rows.map(decodeSum);
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
