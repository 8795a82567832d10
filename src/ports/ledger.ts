// The ledger: what each account used, by the hour, and the caps on it. Usage comes
// in batches that can be sent again without being counted twice.
// index/ledger-index.ts implements it synchronously over SQL; on Node all accounts
// share the database of the index, on Cloudflare each has a Durable Object of its
// own. It knows quantities and no prices: receipts (domain/billing/receipts.ts) are
// priced by a function that it is given.

import type { Cap, CapCrossing, CapLease, CapsState } from '../domain/billing/caps.ts';
import type { UsageBatch, UsageQuery, UsageSum } from '../domain/billing/usage.ts';
import type { AccountId } from '../domain/nouns.ts';
import type { LedgerQuotaCommands, LedgerQuotaQueries } from './ledger-calls/quota-calls.ts';
import type { ReceiptCommands, ReceiptQueries } from './ledger-calls/receipt-calls.ts';

/** The calls that stand in files of their own. */
type FurtherCommands = ReceiptCommands & LedgerQuotaCommands;
type FurtherQueries = ReceiptQueries & LedgerQuotaQueries;

export type LedgerCommands = FurtherCommands & {
  /** Counts the batches that were not counted yet. Idempotent. */
  record(input: { accountId: AccountId; batches: readonly UsageBatch[]; nowMs: number }): void;
  /**
   * Sets a cap (`known` null), or changes one that `known` says as `listCaps` gave
   * it. PreconditionFailed: it is not so any more. InvalidRequest when there are
   * 100. Idempotent.
   */
  putCap(input: { accountId: AccountId; cap: Cap; known: Cap | null }): void;
  /** Whether there was one. */
  deleteCap(input: { accountId: AccountId; id: string }): boolean;
  /**
   * Gives the holder a quota lease of these units in place of its last one, and
   * says which crossings are new. Null, and nothing is done, when the state has
   * moved on since it was read. The lease ends at `untilMs`.
   */
  leaseCaps(lease: CapLease): { revision: number; crossings: readonly CapCrossing[] } | null;
};
export type LedgerQueries = FurtherQueries & {
  /** By id; at most 100. */
  listCaps(input: { accountId: AccountId }): readonly Cap[];
  /**
   * The caps with what each has used in the period of `nowMs`. Cost: the sums of
   * the period.
   */
  readCaps(input: { accountId: AccountId; holder: string; nowMs: number }): CapsState;
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

/** The ledger as a port: a call goes to where the account's rows are. */
export type Ledger = {
  call<Name extends keyof LedgerApi>(
    name: Name,
    input: Parameters<LedgerApi[Name]>[0],
  ): Promise<ReturnType<LedgerApi[Name]>>;
};
