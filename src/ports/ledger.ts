// The ledger: what each account used, by the hour, and the caps on it. Usage comes
// in batches that can be sent again without being counted twice.
// index/ledger-index.ts implements it synchronously over SQL; on Node all accounts
// share the database of the index, on Cloudflare each has a Durable Object of its
// own. It knows quantities and no prices: what needs prices is worked out by functions
// that it is given (`LedgerRules`).

import type { CapAlert } from '../domain/billing/caps.ts';
import type { PriceReceipt } from '../domain/billing/receipts.ts';
import type { UsageBatch, UsageQuery, UsageSum } from '../domain/billing/usage.ts';
import type { AccountId } from '../domain/nouns.ts';
import type {
  DecideLeases,
  LedgerCapCommands,
  LedgerCapQueries,
} from './ledger-calls/cap-calls.ts';
import type { LedgerQuotaCommands, LedgerQuotaQueries } from './ledger-calls/quota-calls.ts';
import type { ReceiptCommands, ReceiptQueries } from './ledger-calls/receipt-calls.ts';

/** The calls that stand in files of their own. */
type FurtherCommands = LedgerCapCommands & ReceiptCommands & LedgerQuotaCommands;
type FurtherQueries = LedgerCapQueries & ReceiptQueries & LedgerQuotaQueries;

/** Usage of one account; no batches: only alerts are wanted. */
export type RecordInput = {
  readonly accountId: AccountId;
  readonly batches: readonly UsageBatch[];
  readonly nowMs: number;
};

export type LedgerCommands = FurtherCommands & {
  /**
   * Counts the batches that were not counted yet. Idempotent. Returns the alerts that
   * the account's caps have come to, each once, and with a repeated batch all of the
   * period: the caller reports them. Cost: the sums of the period, while an alert of a
   * cap is still to come.
   */
  record(input: RecordInput): readonly CapAlert[];
};
export type LedgerQueries = FurtherQueries & {
  /**
   * Sums of an account's usage, by time and meter. InvalidRequest above 50,000 of
   * them. Cost: the rows of the period.
   */
  query(input: UsageQuery): readonly UsageSum[];
  /**
   * The first hour in which the account used anything; null: it never did. Cost: a
   * row.
   */
  getFirstHour(input: { accountId: AccountId }): number | null;
};
export type LedgerApi = LedgerCommands & LedgerQueries;

/** What the ledger needs of the rules of prices, within its transactions. Pure. */
export type LedgerRules = {
  readonly priceReceipt: PriceReceipt;
  readonly decideLeases: DecideLeases;
};

/** The ledger as a port: a call goes to where the account's rows are. */
export type Ledger = {
  call<Name extends keyof LedgerApi>(
    name: Name,
    input: Parameters<LedgerApi[Name]>[0],
  ): Promise<ReturnType<LedgerApi[Name]>>;
};
