// Sums of the ledger's usage for many caps at once: each stretch of time is read
// once, kept apart by those buckets and access keys alone that a cap is on. A hundred
// caps then cost the statements of one.

import type { CapScope } from '../../domain/billing/caps.ts';
import type { MeterName, UsageQuery, UsageRow } from '../../domain/billing/usage.ts';
import type { AccessKeyId, BucketId } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { readPageRows } from './read-pages.ts';
import { isOfKinds, isWholeMonths, type SumTable, sumTableOf, wholeOf } from './usage-sums.ts';

/** Usage of one stretch of time, before it is kept apart by anything. */
export type Stretch = Pick<UsageQuery, 'accountId' | 'fromMs' | 'toMs' | 'kinds'>;
type MeterSum = Pick<UsageRow, 'meter' | 'quantity'>;
/** Gives the sums of a stretch that are of a scope, by meter. */
export type ReadScope = (stretch: Stretch, scope: CapScope) => readonly MeterSum[];

/** A sum of what is of a bucket and a key; null: of any that no scope names. */
type ScopeSum = Omit<UsageRow, 'hourMs'>;

/**
 * Makes the reader of sums of these scopes. Cost: two or three statements for each
 * stretch, however many scopes there are.
 */
export function createScopeSums(sql: Sql, scopes: readonly CapScope[]): ReadScope {
  const stretches = new Map<string, readonly ScopeSum[]>();
  const names = namesOf(scopes);

  return (stretch, scope) => {
    const name = `${stretch.fromMs} ${stretch.toMs} ${stretch.kinds}`;
    const sums = stretches.get(name) ?? sumStretch(sql, stretch, names);
    stretches.set(name, sums);

    const quantities = new Map<MeterName, bigint>();
    for (const sum of sums)
      if (isIn(scope, sum))
        quantities.set(sum.meter, (quantities.get(sum.meter) ?? 0n) + sum.quantity);
    return [...quantities]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([meter, quantity]) => ({ meter, quantity }));
  };
}

type ScopeNames = {
  readonly buckets: ReadonlySet<BucketId | null>;
  readonly keys: ReadonlySet<AccessKeyId | null>;
};

function namesOf(scopes: readonly CapScope[]): ScopeNames {
  return {
    buckets: new Set(scopes.flatMap((of) => (of.kind === 'bucket' ? [of.bucketId] : []))),
    keys: new Set(scopes.flatMap((of) => (of.kind === 'accessKey' ? [of.accessKeyId] : []))),
  };
}

function isIn(scope: CapScope, { bucketId, accessKeyId }: ScopeSum): boolean {
  if (scope.kind === 'bucket') return bucketId === scope.bucketId;
  return scope.kind === 'account' || accessKeyId === scope.accessKeyId;
}

/** Sums a stretch, from the journal's pages and the tables beside it. */
function sumStretch(sql: Sql, stretch: Stretch, names: ScopeNames): readonly ScopeSum[] {
  const isOfMonths = isWholeMonths(stretch);
  const sums = new Map<string, ScopeSum>();
  const add = ({ bucketId, accessKeyId, meter, quantity }: ScopeSum) => {
    const bucket = names.buckets.has(bucketId) ? bucketId : null;
    const key = names.keys.has(accessKeyId) ? accessKeyId : null;
    const name = `${bucket} ${key} ${meter}`;
    const total = (sums.get(name)?.quantity ?? 0n) + quantity;
    sums.set(name, { bucketId: bucket, accessKeyId: key, meter, quantity: total });
  };

  for (const sum of readTable(sql, stretch, sumTableOf(isOfMonths), names)) add(sum);
  for (const row of readPageRows(sql, { ...stretch, isUnsummed: isOfMonths }))
    if (isOfKinds(stretch.kinds, row.meter)) add(row);
  return [...sums.values()];
}

type TableRow = {
  readonly bucket_id: string | null;
  readonly access_key_id: string | null;
  readonly meter: string;
  readonly high: string;
  readonly low: string;
};

function readTable(
  sql: Sql,
  { accountId, fromMs, toMs, kinds }: Stretch,
  { table, column }: SumTable,
  { buckets, keys }: ScopeNames,
): readonly ScopeSum[] {
  const rows = sql.all<TableRow>(
    `SELECT CASE WHEN bucket_id IN (SELECT value FROM json_each(?4)) THEN bucket_id END
         AS bucket_id,
       CASE WHEN access_key_id IN (SELECT value FROM json_each(?5)) THEN access_key_id END
         AS access_key_id,
       meter, CAST(sum(high) AS TEXT) AS high, CAST(sum(low) AS TEXT) AS low
     FROM ${table} WHERE account_id = ?1 AND ${column} >= ?2 AND ${column} < ?3
       AND (?6 IS NULL
         OR substr(meter, 1, instr(meter, '/') - 1) IN (SELECT value FROM json_each(?6)))
     GROUP BY 1, 2, 3`,
    accountId,
    fromMs,
    toMs,
    JSON.stringify([...buckets]),
    JSON.stringify([...keys]),
    kinds === undefined ? null : JSON.stringify(kinds),
  );
  return rows.map((row) => ({
    bucketId: row.bucket_id as BucketId | null,
    accessKeyId: row.access_key_id as AccessKeyId | null,
    meter: row.meter as MeterName,
    quantity: wholeOf(row),
  }));
}
