// Selections of objects that wait for their ZIP to be downloaded, as rows of the
// bucket with an expiry. Whoever adds one drops what has expired, and so does the
// sweep, so that a bucket never has more than SELECTIONS_MAX of them.
import { StorageError } from '../../domain/errors.ts';
import type { ObjectSelection } from '../../domain/keys/object-selection.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { findIncarnation, requireBucket } from '../require-bucket.ts';

type SelectionCalls = Pick<IndexApi, 'getSelection' | 'addSelection' | 'dropSelections'>;

/** Selections of a bucket that wait at once. Our own limit. */
export const SELECTIONS_MAX = 64;
/**
 * Characters of a bucket's selections together: as many as sixteen requests of the
 * JSON API may bring. Our own limit.
 */
export const SELECTIONS_MAX_LENGTH = 16 * 1024 * 1024;
/** When somebody who was refused may try again: selections live for minutes. */
const RETRY_AFTER_SECONDS = 60;

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createSelectionCalls(sql: Sql): SelectionCalls {
  function dropExpired(n: number, nowMs: number): void {
    sql.all('DELETE FROM selections WHERE bucket = ? AND expires_at_ms <= ?', n, nowMs);
  }

  return {
    getSelection({ bucket, id, nowMs }) {
      const n = requireBucket(sql, bucket);
      const [row] = sql.all<{ selection: string }>(
        'SELECT selection FROM selections WHERE bucket = ? AND id = ? AND expires_at_ms > ?',
        n,
        id,
        nowMs,
      );
      return row === undefined ? null : (JSON.parse(row.selection) as ObjectSelection);
    },

    addSelection({ bucket, id, selection, nowMs, expiresAtMs }) {
      const n = requireBucket(sql, bucket);
      dropExpired(n, nowMs);
      const text = JSON.stringify(selection);
      requireFree(sql, n, id, text.length);
      sql.all(
        `INSERT OR REPLACE INTO selections (bucket, id, expires_at_ms, length, selection)
         VALUES (?, ?, ?, ?, ?)`,
        n,
        id,
        expiresAtMs,
        text.length,
        text,
      );
    },

    dropSelections({ bucket, nowMs }) {
      const n = findIncarnation(sql, bucket);
      if (n !== null) dropExpired(n, nowMs);
    },
  };
}

/** SlowDown where a bucket has no room for one more; `id` itself takes none. */
function requireFree(sql: Sql, n: number, id: string, length: number): void {
  const [row] = sql.all<{ count: number; length: number }>(
    `SELECT count(*) AS count, coalesce(sum(length), 0) AS length
     FROM selections WHERE bucket = ? AND id <> ?`,
    n,
    id,
  );
  const { count = 0, length: storedLength = 0 } = row ?? {};
  if (count < SELECTIONS_MAX && storedLength + length <= SELECTIONS_MAX_LENGTH) return;
  throw new StorageError('SlowDown', {
    detail: 'Too many selections of this bucket wait to be downloaded. Try again in some minutes.',
    fields: { RetryAfterSeconds: `${RETRY_AFTER_SECONDS}` },
  });
}
