// Adds pages of the ledger's journal to the sums of months, once a day, so that a
// month is read from some rows; and forgets what no sender asks for any more: the
// claims of old pages, and old sources. Pages stay: they are the record by the hour.

import type { UsageRow } from '../../domain/billing/usage.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { rowsOfPage } from '../usage/page-usage.ts';
import { readProgress } from '../usage/read-pages.ts';
import { halves, startOfMonth } from '../usage/usage-sums.ts';

/** Age at which pages are summed, milliseconds: those of a day share their rows. */
const SUMMED_AFTER_MS = DAY_MS;
/** Pages that wait at most, and that one command sums: some 8 MiB. */
const PAGES_MAX = 1024;
/**
 * How long the claims of a page are stored; a batch is repeated within minutes, or
 * within the two days that a ledger may be away. Milliseconds.
 */
const CLAIMS_STORED_MS = 7 * DAY_MS;
/** How long a source is stored after its last batch. Milliseconds. */
const SOURCE_STORED_MS = 90 * DAY_MS;

/**
 * Sums pages up to `lastPage`, which is not written any more, once the oldest is a
 * day old or many wait.
 */
export function sumOldPages(sql: Sql, accountId: AccountId, lastPage: number, nowMs: number): void {
  const { summedPage, unclaimedPage } = readProgress(sql, accountId);
  const [oldest] = sql.all<{ openedAtMs: number }>(
    'SELECT opened_at_ms AS openedAtMs FROM ledger_pages WHERE account_id = ? AND page = ?',
    accountId,
    summedPage + 1,
  );
  const isOld = oldest !== undefined && oldest.openedAtMs <= nowMs - SUMMED_AFTER_MS;
  if (!isOld && lastPage - summedPage < PAGES_MAX) return;

  const upTo = Math.min(lastPage, summedPage + PAGES_MAX);
  const pages = sql.all<{ usage: string }>(
    'SELECT usage FROM ledger_pages WHERE account_id = ? AND page > ? AND page <= ?',
    accountId,
    summedPage,
    upTo,
  );
  addToMonths(sql, accountId, pages);
  const forgotten = forgetClaims(sql, accountId, unclaimedPage, nowMs);
  sql.all(
    `INSERT INTO ledger_progress (account_id, summed_page, unclaimed_page) VALUES (?1, ?2, ?3)
     ON CONFLICT (account_id) DO UPDATE SET summed_page = ?2, unclaimed_page = ?3`,
    accountId,
    upTo,
    forgotten,
  );
  sql.all(
    'DELETE FROM ledger_sources WHERE account_id = ? AND seen_at_ms < ?',
    accountId,
    nowMs - SOURCE_STORED_MS,
  );
}

function addToMonths(
  sql: Sql,
  accountId: AccountId,
  pages: readonly { readonly usage: string }[],
): void {
  const sums = new Map<string, UsageRow>();
  for (const { usage } of pages) {
    for (const row of rowsOfPage(usage)) {
      const hourMs = startOfMonth(row.hourMs);
      const name = `${hourMs} ${row.bucketId ?? ''} ${row.accessKeyId ?? ''} ${row.meter}`;
      const quantity = (sums.get(name)?.quantity ?? 0n) + row.quantity;
      sums.set(name, { ...row, hourMs, quantity });
    }
  }

  for (const { hourMs, bucketId, accessKeyId, meter, quantity } of sums.values()) {
    const [high, low] = halves(quantity);
    sql.all(
      `INSERT INTO ledger_months
         (account_id, month_ms, bucket_id, access_key_id, meter, high, low)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low`,
      accountId,
      hourMs,
      bucketId ?? '',
      accessKeyId ?? '',
      meter,
      high,
      low,
    );
  }
}

/** Forgets the claims of old pages; returns the last page without any. */
function forgetClaims(sql: Sql, accountId: AccountId, after: number, nowMs: number): number {
  const old = sql.all<{ page: number; openedAtMs: number }>(
    `SELECT page, opened_at_ms AS openedAtMs FROM ledger_pages
     WHERE account_id = ? AND page > ? ORDER BY page LIMIT ${PLAN_ONCE} ?`,
    accountId,
    after,
    PAGES_MAX,
  );
  const young = old.findIndex(({ openedAtMs }) => openedAtMs > nowMs - CLAIMS_STORED_MS);
  const forgotten = (young === -1 ? old.at(-1)?.page : old[young - 1]?.page) ?? after;
  sql.all(
    `UPDATE ledger_pages SET claims = ''
     WHERE account_id = ? AND page > ? AND page <= ? AND claims <> ''`,
    accountId,
    after,
    forgotten,
  );
  return forgotten;
}
