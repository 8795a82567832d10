// Counts of the uses of presigned URLs, a row for each URL whose uses are limited.
// Whoever takes a use forgets some URLs that have expired, so that the rows are no
// more than the URLs that were used lately.
import { StorageError } from '../../domain/errors.ts';
import type { UrlUseCommands } from '../../ports/index-calls/url-use-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { ROWS_FORGOTTEN_AT_ONCE } from '../directory/expiring-rows.ts';
import { requireBucket } from '../require-bucket.ts';

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createUrlUseCalls(sql: Sql): UrlUseCommands {
  return {
    takeUrlUse({ bucket, id, maxUses, nowMs, expiresAtMs }) {
      const n = requireBucket(sql, bucket);
      sql.all(
        `DELETE FROM url_uses WHERE (bucket, id) IN (
           SELECT bucket, id FROM url_uses WHERE bucket = ? AND expires_at_ms <= ?
           LIMIT ${ROWS_FORGOTTEN_AT_ONCE})`,
        n,
        nowMs,
      );
      const rows = sql.all(
        `INSERT INTO url_uses (bucket, id, uses, expires_at_ms) VALUES (?, ?, 1, ?)
         ON CONFLICT (bucket, id) DO UPDATE SET uses = uses + 1 WHERE uses < ?
         RETURNING uses`,
        n,
        id,
        expiresAtMs,
        maxUses,
      );
      if (rows.length > 0) return;
      throw new StorageError('AccessDenied', {
        detail: `This URL may be used ${maxUses} times, and has been.`,
      });
    },

    releaseUrlUse({ bucket, id }) {
      sql.all(
        'UPDATE url_uses SET uses = uses - 1 WHERE bucket = ? AND id = ? AND uses > 0',
        requireBucket(sql, bucket),
        id,
      );
    },
  };
}
