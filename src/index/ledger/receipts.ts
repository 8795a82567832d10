// The receipts family of the ledger: a request that wants one is recorded and
// priced in one command. Stored are running sums by card and meter, and the last
// receipt of each source, for a repeat; there is no row for each receipt. Prices
// are `price`'s.

import { capPeriod } from '../../domain/billing/caps.ts';
import type {
  MeterUse,
  PriceReceipt,
  ReceiptPart,
  ReceiptSums,
  Tariff,
} from '../../domain/billing/receipts.ts';
import { isForCharts, type MeterName, type UsageBatch } from '../../domain/billing/usage.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { LedgerApi } from '../../ports/ledger.ts';
import type { Sql } from '../../ports/sql.ts';
import { halves, startOfMonth, sumUsage, wholeOf } from '../usage/usage-sums.ts';
import { usageTime } from '../usage/usage-time.ts';
import { addRows, claimBatch, isReceiptMonth } from './record-usage.ts';

type ReceiptCalls = Pick<LedgerApi, 'takeReceipt' | 'readReceipts'>;
type Month = { readonly accountId: AccountId; readonly monthMs: number };

/**
 * The calls over a database with LEDGER_SCHEMA; ledger-index.ts makes each atomic.
 */
export function createReceiptCalls(sql: Sql, price: PriceReceipt): ReceiptCalls {
  return {
    takeReceipt({ accountId, use, tariff, nowMs }) {
      const [first] = use.rows;
      if (first === undefined)
        throw new StorageError('InvalidArgument', { detail: 'A receipt is about some usage.' });
      if (!claimBatch(sql, accountId, use, usageTime(sql, nowMs)))
        return readStoredReceipt(sql, accountId, use);
      const month = { accountId, monthMs: startOfMonth(usageTime(sql, first.hourMs)) };
      if (!isReceiptMonth(sql, accountId, month.monthMs)) sumMonth(sql, month);
      const before = readMonth(sql, month);
      countReceipt(sql, month, tariff);
      addRows(sql, accountId, use.rows, { nowMs: usageTime(sql, nowMs) });
      const parts = price({ card: tariff.card, monthMs: month.monthMs, before, used: use.rows });
      for (const part of parts) addPart(sql, month, tariff, part);
      storeReceipt(sql, accountId, use, parts);
      return parts;
    },

    readReceipts({ accountId, monthMs }) {
      const { fromMs, toMs } = capPeriod('month', monthMs);
      const usage = sumUsage(sql, { accountId, fromMs, toMs, groupBy: [] });
      return {
        usage: usage.map(({ meter, quantity }) => ({ meter, quantity })),
        receipts: readSums(sql, { accountId, monthMs: fromMs }),
      };
    },
  };
}

/** Sums up the month before its first receipt, but for meters of charts. */
function sumMonth(sql: Sql, { accountId, monthMs }: Month): void {
  const { fromMs, toMs } = capPeriod('month', monthMs);
  for (const { meter, quantity } of sumUsage(sql, { accountId, fromMs, toMs, groupBy: [] })) {
    if (isForCharts(meter)) continue;
    sql.all(
      'INSERT INTO month_meters (account_id, month_ms, meter, high, low) VALUES (?, ?, ?, ?, ?)',
      accountId,
      monthMs,
      meter,
      ...halves(quantity),
    );
  }
}

function readMonth(sql: Sql, { accountId, monthMs }: Month): readonly MeterUse[] {
  const rows = sql.all<{ meter: string; high: string; low: string }>(
    `SELECT meter, CAST(high AS TEXT) AS high, CAST(low AS TEXT) AS low FROM month_meters
     WHERE account_id = ? AND month_ms = ? ORDER BY meter`,
    accountId,
    monthMs,
  );
  return rows.map((row) => ({ meter: row.meter as MeterName, quantity: wholeOf(row) }));
}

function countReceipt(sql: Sql, { accountId, monthMs }: Month, { card, version }: Tariff): void {
  sql.all(
    `INSERT INTO receipt_cards (account_id, month_ms, card_id, version, receipts)
     VALUES (?, ?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET receipts = receipts + 1`,
    accountId,
    monthMs,
    card.id,
    version,
  );
}

function addPart(
  sql: Sql,
  month: Month,
  { card, version }: Tariff,
  { meter, quantity, amountMicro }: ReceiptPart,
): void {
  sql.all(
    `INSERT INTO receipt_sums
       (account_id, month_ms, card_id, version, meter, high, low, micro_high, micro_low)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET high = high + excluded.high, low = low + excluded.low,
       micro_high = micro_high + excluded.micro_high, micro_low = micro_low + excluded.micro_low`,
    month.accountId,
    month.monthMs,
    card.id,
    version,
    meter,
    ...halves(quantity),
    ...halves(amountMicro),
  );
}

function readSums(sql: Sql, { accountId, monthMs }: Month): readonly ReceiptSums[] {
  const cards = sql.all<{ card_id: string; version: string; receipts: number }>(
    `SELECT card_id, version, receipts FROM receipt_cards WHERE account_id = ? AND month_ms = ?
     ORDER BY card_id, version`,
    accountId,
    monthMs,
  );
  return cards.map(({ card_id: cardId, version, receipts }) => {
    const rows = sql.all<{
      meter: string;
      high: string;
      low: string;
      micro_high: string;
      micro_low: string;
    }>(
      `SELECT meter, CAST(high AS TEXT) AS high, CAST(low AS TEXT) AS low,
         CAST(micro_high AS TEXT) AS micro_high, CAST(micro_low AS TEXT) AS micro_low
       FROM receipt_sums WHERE account_id = ? AND month_ms = ? AND card_id = ? AND version = ?
       ORDER BY meter`,
      accountId,
      monthMs,
      cardId,
      version,
    );
    const parts = rows.map((row) => ({
      meter: row.meter as MeterName,
      quantity: wholeOf(row),
      amountMicro: wholeOf({ high: row.micro_high, low: row.micro_low }),
    }));
    return { cardId, version, receipts, parts };
  });
}

type StoredPart = readonly [meter: MeterName, quantity: string, amountMicro: string];

function storeReceipt(
  sql: Sql,
  accountId: AccountId,
  { source }: UsageBatch,
  parts: readonly ReceiptPart[],
): void {
  const storedParts: readonly StoredPart[] = parts.map((part) => [
    part.meter,
    `${part.quantity}`,
    `${part.amountMicro}`,
  ]);
  sql.all(
    'UPDATE ledger_sources SET receipt = ? WHERE account_id = ? AND source = ?',
    JSON.stringify(storedParts),
    accountId,
    source,
  );
}

/** The stored receipt of this very batch; null where it had none. */
function readStoredReceipt(
  sql: Sql,
  accountId: AccountId,
  { source, sequence }: UsageBatch,
): readonly ReceiptPart[] | null {
  const [row] = sql.all<{ receipt: string | null }>(
    'SELECT receipt FROM ledger_sources WHERE account_id = ? AND source = ? AND last_sequence = ?',
    accountId,
    source,
    sequence,
  );
  if (row === undefined || row.receipt === null) return null;
  const storedParts = JSON.parse(row.receipt) as readonly StoredPart[];
  return storedParts.map(([meter, quantity, micro]) => ({
    meter,
    quantity: BigInt(quantity),
    amountMicro: BigInt(micro),
  }));
}
