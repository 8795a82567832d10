// What billing keeps beside the usage of the ledger: rate cards, which account has which, credits, and the bills of
// closed months. It is little and must be of one mind, so it stands in the directory. Amounts are texts of whole
// micro-units, because they pass 2^53; cards and bills are JSON that core/billing writes and reads.
import type { AccountId } from './domain.ts';
import type { SeenTime } from './trusted-time.ts';

export type CreditRow = {
  readonly id: string;
  readonly label: string;
  readonly currency: string;
  readonly amountMicro: string;
  readonly grantedAtMs: number;
  readonly expiresAtMs: number | null;
};

/** What of a credit a bill took. */
export type CreditUse = { readonly creditId: string; readonly amountMicro: string };

export type InvoiceHead = {
  /** `2026-11`; an account has one bill for each. */
  readonly period: string;
  readonly number: string;
  readonly currency: string;
  readonly totalMicro: string;
  readonly closedAtMs: number;
};

/**
 * A card that an account was given: it prices the month `validFrom` and all later ones, up to the
 * next choice. '' is from the beginning. `cardId` null: the server's default card.
 */
export type CardChoice = { readonly validFrom: string; readonly cardId: string | null };

/**
 * Something that prices hang on and that no call changes: the default card, and the cards that
 * ship.
 */
export type NotedPrice = { readonly name: string; readonly value: string };

export type AccountBilling = {
  /**
   * The oldest first. Before the first, and without any, the account has the server's default card.
   */
  readonly cards: readonly CardChoice[];
  readonly credits: readonly CreditRow[];
  /** Of all bills together, by credit and bill. */
  readonly uses: readonly CreditUse[];
  /** How many bills there are: `keepInvoice` takes one only from a caller who saw all that came before. */
  readonly invoiceCount: number;
};

/** Months up to and without `period` are closed; of `period` the accounts up to `after`. */
export type ClosingState = { readonly period: string; readonly after: string };

/** Days before `dayMs` are told to webhooks; of it the accounts up to `after`. */
export type UsageTold = { readonly dayMs: number; readonly after: string };

/** How far the usage of an account was told to a billing service outside (ports/usage-push.ts). */
export type PushProgress = {
  /** The first day that is not told whole, its start. */
  readonly dayMs: number;
  /** Of that day the meters up to this one are told; '' none. */
  readonly told: string;
  /** The meter that is being told, and when that was begun first; '' and 0: none. */
  readonly tried: string;
  readonly triedAtMs: number;
};
/** An account that has a customer there. */
export type PushTarget = PushProgress & { readonly accountId: AccountId; readonly customerId: string };

export type BillingApi = {
  /**
   * The JSON of the version of a custom card that prices a month, the first one before it begins;
   * null: no such card.
   */
  getRateCard(input: { id: string; period: string }): string | null;
  /**
   * Custom cards after an id, in byte order, as JSON: of each the version that prices the month.
   */
  listRateCards(input: { after: string; limit: number; period: string }): readonly string[];
  /**
   * Makes the version of a custom card that prices months from `validFrom` on, in place of one that
   * begins in the same month. `known`: what `getRateCard` gives of that month. PreconditionFailed:
   * it is not so any more. Bills that are closed keep the version that they were made with.
   * Idempotent.
   */
  putRateCard(input: { id: string; validFrom: string; json: string; known: string | null }): void;
  /**
   * Notes what these are in the month that runs, where that is not what was noted last. What is
   * noted first counts from the beginning. Idempotent.
   */
  notePrices(input: { period: string; prices: readonly NotedPrice[] }): void;
  /** What was noted of the name for that month; null: nothing. */
  getNotedPrice(input: { name: string; period: string }): string | null;
  getAccountBilling(input: { accountId: AccountId }): AccountBilling;
  /**
   * Adds a choice, in place of one that begins in the same month, and gives all that the account
   * has then. PreconditionFailed: it had not those of `known` any more. Idempotent.
   */
  setAccountCard(input: {
    accountId: AccountId;
    choice: CardChoice;
    known: readonly CardChoice[];
  }): readonly CardChoice[];
  /** Adds the credit unless there is one of that id; gives the one that is kept. Idempotent. */
  addCredit(input: { accountId: AccountId; credit: CreditRow }): CreditRow;
  /**
   * Keeps the bill of a month, for good: a later one of the same month changes nothing. Gives the JSON that is kept, or
   * null when nothing was, since the account's other bills are not `invoiceCount` any more. Idempotent.
   */
  keepInvoice(input: {
    accountId: AccountId;
    head: InvoiceHead;
    json: string;
    uses: readonly CreditUse[];
    invoiceCount: number;
  }): string | null;
  /** The JSON of a closed bill, or null. */
  getInvoice(input: { accountId: AccountId; period: string }): string | null;
  /** Closed bills before a month, the newest first. `before` '' begins with the newest of all. */
  listInvoices(input: { accountId: AccountId; before: string; limit: number }): readonly InvoiceHead[];
  /** Accounts that are in the directory or own buckets, after one, in byte order. */
  listBilledAccounts(input: { after: string; limit: number }): readonly AccountId[];
  getPushTarget(input: { accountId: AccountId }): PushTarget | null;
  /** Tells the account's usage from that day on, as that customer; null stops it. The day of one who has it stays. Idempotent. */
  setPushTarget(input: { accountId: AccountId; customerId: string | null; dayMs: number }): void;
  /** Those after an account, in byte order. */
  listPushTargets(input: { after: string; limit: number }): readonly PushTarget[];
  /** Nothing for an account without a target. Idempotent. */
  notePush(input: PushProgress & { accountId: AccountId }): void;
  /** The last time of the clock that was believed; null: none was. */
  getSeenTime(input: Readonly<Record<string, never>>): SeenTime | null;
  /** Idempotent. */
  setSeenTime(input: SeenTime): void;
  /** How far closing has come; null: it has never begun. */
  getClosing(input: Readonly<Record<string, never>>): ClosingState | null;
  /** Idempotent. */
  setClosing(input: ClosingState): void;
  /** How far the daily usage of accounts was told to their webhooks; null: never. */
  getUsageTold(input: Readonly<Record<string, never>>): UsageTold | null;
  /** Idempotent. */
  setUsageTold(input: UsageTold): void;
};
