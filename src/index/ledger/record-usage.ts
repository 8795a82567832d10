// Writes usage into the ledger's journal: all batches of a call into one row, the
// account's newest page, with what it claims of their sources. A page is of an hour,
// or of as much as it takes; sum-pages.ts adds older ones to the sums of months.
// Months with receipts have the account's sum of each meter too, so that a receipt
// reads some rows however many buckets and keys there are.

import { isForCharts, type UsageBatch, type UsageRow } from '../../domain/billing/usage.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { startOfHour } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import {
  addToPage,
  hourOf,
  mergeIntoPage,
  type PageUsage,
  parsePage,
  printPage,
  splitPage,
} from '../usage/page-usage.ts';
import { readProgress } from '../usage/read-pages.ts';
import { halves, startOfMonth } from '../usage/usage-sums.ts';
import { usageTime } from '../usage/usage-time.ts';
import { sumOldPages } from './sum-pages.ts';

/**
 * Characters of a page's usage, and of its claims, from which another page is begun:
 * they are written whole with each change. Some fifty buckets, 1,600 sources. With 32
 * KiB of usage a receipt took 260 µs more (measured 2026-11).
 */
const USAGE_MAX_CHARACTERS = 8 * 1024;
const CLAIMS_MAX_CHARACTERS = 64 * 1024;
/**
 * Hours, buckets and keys that one write adds to a page: some 20 KiB. A row of a
 * Durable Object may have 2 MB.
 */
const ENTRIES_PER_WRITE = 100;

/** The last sequence of each source whose batches came in a page. */
type Claims = Map<string, number>;

/**
 * Records the batches that were not counted before. Cost: a row written, and one for
 * each batch that does not say it is a first one; some more once an hour.
 */
export function recordBatches(
  sql: Sql,
  accountId: AccountId,
  batches: readonly UsageBatch[],
  nowMs: number,
): void {
  const claims: Claims = new Map();
  const isNew = (batch: UsageBatch) =>
    batch.attempt === 'first'
      ? claimFirst(sql, accountId, batch, claims)
      : !(batch.attempt === 'repeat' && isInPages(sql, accountId, batch, claims)) &&
        claimBatch(sql, accountId, batch, nowMs);
  const rows = batches.filter(isNew).flatMap((batch) => batch.rows);
  addRows(sql, accountId, rows, { nowMs, claims });
}

/**
 * Claims a batch in a row of its source: true, and it is to be counted, unless it or
 * a later one of its source was counted so before.
 */
export function claimBatch(
  sql: Sql,
  accountId: AccountId,
  { source, sequence }: UsageBatch,
  nowMs: number,
): boolean {
  const claims = sql.all(
    `INSERT INTO ledger_sources (account_id, source, last_sequence, seen_at_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id, source) DO UPDATE
       SET last_sequence = excluded.last_sequence, seen_at_ms = excluded.seen_at_ms, receipt = NULL
     WHERE last_sequence < excluded.last_sequence RETURNING 1 AS is_new`,
    accountId,
    source,
    sequence,
    nowMs,
  );
  return claims.length > 0;
}

/**
 * Claims a batch that is sent for the first time, in the page that takes it in. Race:
 * it comes late, after its own repeat. Guard: repeats have a row of their source.
 */
function claimFirst(
  sql: Sql,
  accountId: AccountId,
  { source, sequence }: UsageBatch,
  claims: Claims,
): boolean {
  const repeats = sql.all(
    `SELECT 1 AS is_there FROM ledger_sources
     WHERE account_id = ? AND source = ? AND last_sequence >= ?`,
    accountId,
    source,
    sequence,
  );
  if (repeats.length > 0 || (claims.get(source) ?? 0) >= sequence) return false;
  claims.set(source, sequence);
  return true;
}

/**
 * Whether a batch, or a later one of its source, was counted as a first one. Cost:
 * the claims of some days.
 */
function isInPages(
  sql: Sql,
  accountId: AccountId,
  { source, sequence }: UsageBatch,
  claims: Claims,
): boolean {
  if ((claims.get(source) ?? 0) >= sequence) return true;
  const [newest] = sql.all<{ claims: string }>(
    `SELECT claims FROM ledger_pages WHERE account_id = ? AND page > ? AND instr(claims, ?) > 0
     ORDER BY page DESC LIMIT 1`,
    accountId,
    readProgress(sql, accountId).unclaimedPage,
    `${JSON.stringify(source)}:`,
  );
  return newest !== undefined && (parseClaims(newest.claims).get(source) ?? 0) >= sequence;
}

const parseClaims = (text: string): Claims =>
  new Map(text === '' ? [] : Object.entries(JSON.parse(text) as Record<string, number>));

type Page = {
  readonly page: number;
  readonly openedAtMs: number;
  readonly firstHourMs: number;
  readonly lastHourMs: number;
  readonly claims: string;
  readonly usage: string;
};

const NO_CLAIMS: Claims = new Map();

/** Adds rows to the account's newest page, and what it claims of their sources. */
export function addRows(
  sql: Sql,
  accountId: AccountId,
  rows: readonly UsageRow[],
  { nowMs, claims = NO_CLAIMS }: { readonly nowMs: number; readonly claims?: Claims },
): void {
  const timed = rows.map((row) => ({ ...row, hourMs: startOfHour(usageTime(sql, row.hourMs)) }));
  const usage: PageUsage = new Map();
  for (const row of timed) addToPage(usage, row);
  const [first = new Map(), ...others] = splitPage(usage, ENTRIES_PER_WRITE);
  if (rows.length > 0 || claims.size > 0) addToNewestPage(sql, accountId, first, claims, nowMs);
  for (const part of others) addToNewestPage(sql, accountId, part, NO_CLAIMS, nowMs);
  addToReceiptMonths(sql, accountId, timed);
}

/** Adds usage to the newest page, or begins another. */
function addToNewestPage(
  sql: Sql,
  accountId: AccountId,
  added: PageUsage,
  addedClaims: Claims,
  nowMs: number,
): void {
  const last = readLastPage(sql, accountId);
  const current = last !== null && takesMore(last, nowMs) ? last : null;

  const usage = parsePage(current?.usage ?? '{}');
  mergeIntoPage(usage, added);
  const hours = [...added.keys()].map(hourOf);
  const [someHourMs = startOfHour(nowMs)] = hours;
  const page: Page = {
    page: current?.page ?? (last?.page ?? 0) + 1,
    openedAtMs: current?.openedAtMs ?? nowMs,
    firstHourMs: Math.min(current?.firstHourMs ?? someHourMs, ...hours),
    lastHourMs: Math.max(current?.lastHourMs ?? someHourMs, ...hours),
    claims: withClaims(current?.claims ?? '', addedClaims),
    usage: printPage(usage),
  };
  if (current === null) beginPage(sql, accountId, page);
  else updatePage(sql, accountId, current, page);
  if (current === null && last !== null) sumOldPages(sql, accountId, last.page, nowMs);
}

/** Whether a page is of the hour of this time, and has room. */
function takesMore({ openedAtMs, usage, claims }: Page, nowMs: number): boolean {
  const isOfThisHour = startOfHour(openedAtMs) === startOfHour(nowMs);
  const hasRoom = usage.length < USAGE_MAX_CHARACTERS && claims.length < CLAIMS_MAX_CHARACTERS;
  return isOfThisHour && hasRoom;
}

function withClaims(text: string, added: Claims): string {
  if (added.size === 0) return text;
  return JSON.stringify(Object.fromEntries([...parseClaims(text), ...added]));
}

function readLastPage(sql: Sql, accountId: AccountId): Page | null {
  const [row] = sql.all<Page>(
    `SELECT page, opened_at_ms AS openedAtMs, first_hour_ms AS firstHourMs,
       last_hour_ms AS lastHourMs, claims, usage
     FROM ledger_pages WHERE account_id = ? ORDER BY page DESC LIMIT 1`,
    accountId,
  );
  return row ?? null;
}

function beginPage(sql: Sql, accountId: AccountId, page: Page): void {
  sql.all(
    `INSERT INTO ledger_pages
       (account_id, page, opened_at_ms, first_hour_ms, last_hour_ms, claims, usage)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    accountId,
    page.page,
    page.openedAtMs,
    page.firstHourMs,
    page.lastHourMs,
    page.claims,
    page.usage,
  );
}

/** Hours have a statement of their own, for they stand in an index, which is a row more. */
function updatePage(sql: Sql, accountId: AccountId, before: Page, page: Page): void {
  sql.all(
    'UPDATE ledger_pages SET claims = ?, usage = ? WHERE account_id = ? AND page = ?',
    page.claims,
    page.usage,
    accountId,
    page.page,
  );
  if (before.firstHourMs === page.firstHourMs && before.lastHourMs === page.lastHourMs) return;
  sql.all(
    `UPDATE ledger_pages SET first_hour_ms = ?, last_hour_ms = ?
     WHERE account_id = ? AND page = ?`,
    page.firstHourMs,
    page.lastHourMs,
    accountId,
    page.page,
  );
}

/**
 * Adds rows to the sums of months that have had a receipt. Meters of charts have
 * none: each would be a row written.
 */
function addToReceiptMonths(sql: Sql, accountId: AccountId, rows: readonly UsageRow[]): void {
  const withReceipts = new Map<number, boolean>();
  for (const { hourMs, meter, quantity } of rows) {
    if (isForCharts(meter)) continue;
    const monthMs = startOfMonth(hourMs);
    const hasReceipts = withReceipts.get(monthMs) ?? isReceiptMonth(sql, accountId, monthMs);
    withReceipts.set(monthMs, hasReceipts);
    if (!hasReceipts) continue;
    const [high, low] = halves(quantity);
    sql.all(
      `INSERT INTO month_meters (account_id, month_ms, meter, high, low) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low`,
      accountId,
      monthMs,
      meter,
      high,
      low,
    );
  }
}

/**
 * Whether the account has had a receipt in the month, and so sums of its meters.
 */
export function isReceiptMonth(sql: Sql, accountId: AccountId, monthMs: number): boolean {
  const cards = sql.all(
    'SELECT 1 AS is_there FROM receipt_cards WHERE account_id = ? AND month_ms = ? LIMIT 1',
    accountId,
    monthMs,
  );
  return cards.length > 0;
}
