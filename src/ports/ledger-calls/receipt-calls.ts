// The calls of the ledger about cost receipts. index/ledger implements them;
// ports/ledger.ts puts them together with the others.
import type { ReceiptInput, ReceiptMonth, ReceiptPart } from '../../domain/billing/receipts.ts';
import type { AccountId } from '../../domain/nouns.ts';

export type ReceiptCommands = {
  /**
   * Records a batch that has a receipt, and prices it. A repeat gets the same
   * receipt; null: the batch was recorded as plain usage before, without one.
   * Idempotent. Cost: some meters' sums, which a month has from its first receipt
   * on.
   */
  takeReceipt(input: ReceiptInput): readonly ReceiptPart[] | null;
};
export type ReceiptQueries = {
  /** `monthMs`: the month's start, UTC. Cost: the rows of the month. */
  readReceipts(input: { accountId: AccountId; monthMs: number }): ReceiptMonth;
};
