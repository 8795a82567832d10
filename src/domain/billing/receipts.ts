// Cost receipts as plain data: what one request cost, by the card of whoever pays.
// The ledger records such a request at once and prices it in the same command, with
// a pure function of core that its platform hands it;
// docs/adr/0021-cost-receipts.md.
import type { AccountId } from '../nouns.ts';
import type { RateCard } from './rate-card.ts';
import type { MeterName, UsageBatch } from './usage.ts';

/** What was used of a meter, in the ledger's units. */
export type MeterUse = { readonly meter: MeterName; readonly quantity: bigint };

/**
 * What one meter of a request adds to the bill of its month, in micro-units of the
 * card's currency.
 */
export type ReceiptPart = MeterUse & { readonly amountMicro: bigint };

/**
 * A card, and the digest of what it says: one that is replaced under the same id
 * has another.
 */
export type Tariff = { readonly card: RateCard; readonly version: string };

/**
 * `before`: sums of the account's month before the request. Pure. Cost: a bill
 * without its documents for each meter.
 */
export type PriceReceipt = (use: {
  readonly card: RateCard;
  /** The month's start, UTC. */
  readonly monthMs: number;
  readonly before: readonly MeterUse[];
  readonly used: readonly MeterUse[];
}) => readonly ReceiptPart[];

/** `use` is what one request used, all in one hour. */
export type ReceiptInput = {
  readonly accountId: AccountId;
  readonly use: UsageBatch;
  readonly tariff: Tariff;
  readonly nowMs: number;
};

/** Sums of all receipts of a month that one version of a card made. */
export type ReceiptSums = {
  readonly cardId: string;
  readonly version: string;
  readonly receipts: number;
  /** By meter; their amounts are the receipts' sum. */
  readonly parts: readonly ReceiptPart[];
};

/** Usage and receipts of a month, of one moment. */
export type ReceiptMonth = {
  readonly usage: readonly MeterUse[];
  readonly receipts: readonly ReceiptSums[];
};
