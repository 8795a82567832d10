// What was changed of a link of either kind, by whom: how it was made, and the newest
// entries. Called in the transaction of the change.
import type { LinkId } from '../../domain/links/link-ids.ts';
import { LINK_HISTORY_MAX } from '../../domain/links/link-limits.ts';
import type { ShareHistoryEntry } from '../../domain/links/share-records.ts';
import type { Sql } from '../../ports/sql.ts';

/** The history of a link, newest first. */
export function listHistory(sql: Sql, n: number, id: LinkId): readonly ShareHistoryEntry[] {
  return sql
    .all<{ entry: string }>(
      'SELECT entry FROM share_history WHERE bucket = ? AND link_id = ? ORDER BY at DESC',
      n,
      id,
    )
    .map(({ entry }) => JSON.parse(entry) as ShareHistoryEntry);
}

/** Adds an entry of history; the oldest go, but for the first: who made the link. */
export function noteChange(sql: Sql, n: number, id: LinkId, entry: ShareHistoryEntry): void {
  const [last] = sql.all<{ at: number }>(
    'SELECT at FROM share_history WHERE bucket = ? AND link_id = ? ORDER BY at DESC LIMIT 1',
    n,
    id,
  );
  const at = (last?.at ?? 0) + 1;
  sql.all(
    'INSERT INTO share_history (bucket, link_id, at, entry) VALUES (?, ?, ?, ?)',
    n,
    id,
    at,
    JSON.stringify(entry),
  );
  sql.all(
    'DELETE FROM share_history WHERE bucket = ? AND link_id = ? AND at > 1 AND at <= ?',
    n,
    id,
    at - (LINK_HISTORY_MAX - 1),
  );
}

/** Forgets the history of a link that goes. */
export function dropHistory(sql: Sql, n: number, id: LinkId): void {
  sql.all('DELETE FROM share_history WHERE bucket = ? AND link_id = ?', n, id);
}
