// The hours of storage totals: the integral of what a bucket stores in a class, and its
// way to `storage_hours` when an hour is over. Called by storage-totals.ts inside
// commits, and by storage-hours.ts, which collects.
//
// Byte-milliseconds of one hour pass 2^63 from 2.6 TB on, and SQLite would go on in
// floating point. So the integral is kept as two whole numbers: of the bytes' whole
// GiB and of the rest below one GiB. The rest's stays below 2^30 * 3,600,000 < 2^53
// in an hour, the other's below 2^55 for what an INTEGER can count at all (8 EiB).
// Both are sums of exact products. What sharing and compression spare of these
// bytes has an integral of its own each, kept in the same way.
import { HOUR_MS, startOfHour } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';

/**
 * The integrals over time: for each the expression of its bytes now, and the
 * columns of its whole GiB and of the rest.
 */
const INTEGRALS = [
  { bytes: '(current_bytes + noncurrent_bytes + part_bytes)', gib: 'gib_ms', rest: 'rest_ms' },
  { bytes: 'deduplicated_bytes', gib: 'deduplicated_gib_ms', rest: 'deduplicated_rest_ms' },
  { bytes: 'compressed_bytes', gib: 'compressed_gib_ms', rest: 'compressed_rest_ms' },
] as const;
const [STORED] = INTEGRALS;
/** The columns of all integrals, in the order of `grownBy`. */
export const SUMS = INTEGRALS.flatMap(({ gib, rest }) => [gib, rest]);
/** Sets all integrals to 0, as at the start of an hour. */
const CLEARED_SUMS = SUMS.map((sum) => `${sum} = 0`).join(', ');

/** The integrals when `ms`, an expression of SQL, more have passed. */
export function grownBy(ms: string): readonly string[] {
  return INTEGRALS.flatMap(({ bytes, gib, rest }) => [
    `${gib} + (${bytes} >> 30) * ${ms}`,
    `${rest} + (${bytes} & 1073741823) * ${ms}`,
  ]);
}

/** The hour that runs in a row of totals, and up to when its integral is. */
export type OpenHour = { readonly hour_ms: number; readonly as_of_ms: number };

/**
 * Closes the hour of a row if it is over at `atMs`, and the whole hours after it,
 * which are alike and take one row together. A row that a migration made begins
 * here: nobody knows what it stored before, so that is not counted.
 */
export function closeHour(sql: Sql, bucket: number, storageClass: string, atMs: number): void {
  const [row] = sql.all<OpenHour>(
    'SELECT hour_ms, as_of_ms FROM storage_totals WHERE bucket = ? AND storage_class = ?',
    bucket,
    storageClass,
  );
  const hourMs = startOfHour(atMs);
  if (row === undefined || row.hour_ms >= hourMs) return;
  if (row.hour_ms > 0 && row.as_of_ms === row.hour_ms) {
    // Nothing changed in it: it is like those after it, and its sums are 0.
    const hours = (hourMs - row.hour_ms) / HOUR_MS;
    storeHours(sql, bucket, storageClass, { hourMs: row.hour_ms, hours, addedMs: HOUR_MS });
  } else if (row.hour_ms > 0) {
    const end = row.hour_ms + HOUR_MS;
    storeHours(sql, bucket, storageClass, {
      hourMs: row.hour_ms,
      hours: 1,
      addedMs: end - row.as_of_ms,
    });
    const whole = (hourMs - end) / HOUR_MS;
    sql.all(
      `UPDATE storage_totals SET ${CLEARED_SUMS}
       WHERE bucket = ? AND storage_class = ?`,
      bucket,
      storageClass,
    );
    if (whole > 0)
      storeHours(sql, bucket, storageClass, { hourMs: end, hours: whole, addedMs: HOUR_MS });
  }
  sql.all(
    'UPDATE storage_totals SET hour_ms = ?, as_of_ms = ? WHERE bucket = ? AND storage_class = ?',
    hourMs,
    row.hour_ms > 0 ? hourMs : atMs,
    bucket,
    storageClass,
  );
}

/**
 * Brings totals that a wrong clock has taken into the future back to a time that is
 * believed: as long as they stand there, nothing is integrated. Of the hour in
 * which they stood nobody knows what is true, so it counts for nothing.
 */
export function resetFutureTotals(sql: Sql, bucketName: string, atMs: number): void {
  sql.all(
    `UPDATE storage_totals SET hour_ms = ?2, as_of_ms = ?3, ${CLEARED_SUMS}
     WHERE bucket IN (SELECT n FROM buckets WHERE name = ?1) AND as_of_ms > ?3 + ${HOUR_MS}`,
    bucketName,
    startOfHour(atMs),
    atMs,
  );
}

/**
 * Stores what each of some equal hours came to: what the row has by now, and its
 * bytes for `addedMs` more. Nothing if that is 0.
 */
export function storeHours(
  sql: Sql,
  bucket: number,
  storageClass: string,
  { hourMs, hours, addedMs }: { hourMs: number; hours: number; addedMs: number },
): void {
  sql.all(
    `INSERT INTO storage_hours (bucket_name, bucket_id, owner_id, storage_class, hour_ms,
       hour_count, ${SUMS.join(', ')})
     SELECT b.name, b.id, b.owner_id, t.storage_class, ?3, ?4, ${grownBy('?5').join(', ')}
     FROM storage_totals AS t JOIN buckets AS b ON b.n = t.bucket
     WHERE t.bucket = ?1 AND t.storage_class = ?2
       AND (t.gib_ms + t.rest_ms > 0 OR ${STORED.bytes} * ?5 > 0)`,
    bucket,
    storageClass,
    hourMs,
    hours,
    addedMs,
  );
}
