// Reads the ledger's journal: the usage of its pages, some at a time, and how far
// they are in the sums of months.

import type { UsageRow } from '../../domain/billing/usage.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { rowsOfPage } from './page-usage.ts';

/** Pages that one statement reads: some 2 MiB. */
const PAGES_AT_ONCE = 256;

export type Progress = {
  /** Pages up to this one are in the sums of months. */
  readonly summedPage: number;
  /** Pages up to this one have no claims any more. */
  readonly unclaimedPage: number;
};

export function readProgress(sql: Sql, accountId: AccountId): Progress {
  const [row] = sql.all<Progress>(
    `SELECT summed_page AS summedPage, unclaimed_page AS unclaimedPage
     FROM ledger_progress WHERE account_id = ?`,
    accountId,
  );
  return row ?? { summedPage: 0, unclaimedPage: 0 };
}

export type PageSearch = {
  readonly accountId: AccountId;
  /** Hours of the rows, `toMs` not included. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Only what the sums of months do not have. */
  readonly isUnsummed: boolean;
};

/** The rows of pages that are within these hours. */
export function* readPageRows(sql: Sql, search: PageSearch): Generator<UsageRow, void, undefined> {
  const { accountId, fromMs, toMs, isUnsummed } = search;
  let after = isUnsummed ? readProgress(sql, accountId).summedPage : 0;
  for (;;) {
    const pages = isUnsummed
      ? readNextPages(sql, accountId, after)
      : readPagesOfHours(sql, search, after);
    for (const { usage } of pages)
      for (const row of rowsOfPage(usage)) if (row.hourMs >= fromMs && row.hourMs < toMs) yield row;
    const last = pages.at(-1);
    if (last === undefined || pages.length < PAGES_AT_ONCE) return;
    after = last.page;
  }
}

type PageText = { readonly page: number; readonly usage: string };

function readNextPages(sql: Sql, accountId: AccountId, after: number): readonly PageText[] {
  return sql.all<PageText>(
    `SELECT page, usage FROM ledger_pages WHERE account_id = ? AND page > ?
     ORDER BY page LIMIT ${PLAN_ONCE} ?`,
    accountId,
    after,
    PAGES_AT_ONCE,
  );
}

/** By the index of hours; pages are few beside their rows, so sorting them is cheap. */
function readPagesOfHours(
  sql: Sql,
  { accountId, fromMs, toMs }: PageSearch,
  after: number,
): readonly PageText[] {
  const numbers = sql.all<{ page: number }>(
    `SELECT page FROM ledger_pages
     WHERE account_id = ?1 AND last_hour_ms >= ?2 AND first_hour_ms < ?3 AND page > ?4
     ORDER BY page LIMIT ${PLAN_ONCE} ?5`,
    accountId,
    fromMs,
    toMs,
    after,
    PAGES_AT_ONCE,
  );
  return sql.all<PageText>(
    `SELECT page, usage FROM json_each(?2) AS wanted
     CROSS JOIN ledger_pages ON account_id = ?1 AND page = wanted.value`,
    accountId,
    JSON.stringify(numbers.map(({ page }) => page)),
  );
}
