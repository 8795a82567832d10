// What billing keeps beside the usage of the ledger: rate cards, which account has which, credits,
// and the bills of closed months. It is little and must be of one mind, so it stands in the
// directory. Amounts are texts of whole micro-units, because they pass 2^53; cards and bills are
// JSON that core/billing writes and reads.
import type { AccountId } from '../nouns.ts';
import type { SeenTime } from '../trusted-time.ts';

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
  /** `2026-11`; an account has one bill for each, and those that replaced it. */
  readonly period: string;
  /** 0, and one more for each bill that replaced a void one of the same month. */
  readonly issue: number;
  readonly number: string;
  /** A void bill asks for nothing: a credit note has taken all of it back. */
  readonly isVoid: boolean;
  readonly currency: string;
  readonly totalMicro: string;
  readonly closedAtMs: number;
};

/** A bill to be kept: its number comes with keeping it. */
export type NewInvoice = {
  readonly head: Pick<InvoiceHead, 'period' | 'currency' | 'totalMicro' | 'closedAtMs'>;
  /** The bill without its number. */
  readonly json: string;
  /** What the series of its numbers begins with; ends with no digit. */
  readonly prefix: string;
};
/** A bill as it is kept. `json` says all but what became known by keeping it. */
export type StoredInvoice = Pick<InvoiceHead, 'period' | 'issue' | 'number' | 'isVoid'> & {
  readonly json: string;
};

/** A credit note as it is kept; the amounts are what it takes back, as texts. */
export type StoredCreditNote = {
  /** Its maker's: a call that is repeated keeps one note. */
  readonly id: string;
  readonly number: string;
  readonly period: string;
  /** The issue of the bill that it is about. */
  readonly issue: number;
  readonly isVoid: boolean;
  readonly currency: string;
  readonly netMicro: string;
  readonly taxMicro: string;
  readonly issuedAtMs: number;
  readonly json: string;
};

/**
 * Whose data a party is: the issuer of all bills, the buyer that an account is, or the tax that the
 * operator set for an account.
 */
export type PartyId = 'issuer' | `buyer/${AccountId}` | `tax/${AccountId}`;

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
  /**
   * How many bills there are: `keepInvoice` takes one only from a caller who saw all that came
   * before.
   */
  readonly invoiceCount: number;
};

/** Months up to and without `period` are closed; of `period` the accounts up to `after`. */
export type ClosingState = { readonly period: string; readonly after: string };

/** Days before `dayMs` are told to webhooks; of it the accounts up to `after`. */
export type UsageReported = { readonly dayMs: number; readonly after: string };

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
export type PushTarget = PushProgress & {
  readonly accountId: AccountId;
  readonly customerId: string;
};

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
   * Keeps the bill of a month, for good, and gives it the next number of its series in the same
   * commit: a later one of the same month changes nothing and takes no number. Gives the bill that
   * is kept, or null when nothing was, since the account's other bills are not `invoiceCount` any
   * more. Idempotent.
   */
  keepInvoice(
    input: NewInvoice & {
      accountId: AccountId;
      uses: readonly CreditUse[];
      invoiceCount: number;
    },
  ): StoredInvoice | null;
  /** A closed bill, the last issue where none is named, or null. */
  getInvoice(input: { accountId: AccountId; period: string; issue?: number }): StoredInvoice | null;
  /** The last issues of the closed bills of these months, the oldest first. `to` is not in it. */
  readInvoices(input: { accountId: AccountId; from: string; to: string }): readonly StoredInvoice[];
  /**
   * Keeps a credit note for a bill, with the next number of its series in the same commit. Null,
   * and nothing is done, when the bill has not `noteCount` notes any more, or is not the last of
   * its month. A void gives back what the bill took of credits, unless `reissue` follows in its
   * place, which is kept in the same commit and takes them over. Idempotent by the note's id.
   */
  keepCreditNote(input: {
    accountId: AccountId;
    note: Omit<StoredCreditNote, 'number'>;
    prefix: string;
    noteCount: number;
    reissue: NewInvoice | null;
  }): { note: StoredCreditNote; invoice: StoredInvoice | null } | null;
  /** The notes of a bill in their order. */
  listNotesOf(input: {
    accountId: AccountId;
    period: string;
    issue: number;
  }): readonly StoredCreditNote[];
  /**
   * An account's notes before one in their order, the newest first; null begins with the newest.
   */
  listCreditNotes(input: {
    accountId: AccountId;
    before: number | null;
    limit: number;
  }): readonly (StoredCreditNote & { readonly order: number })[];
  getCreditNote(input: { accountId: AccountId; number: string }): StoredCreditNote | null;
  /** JSON that core/billing writes and reads; null: none was set. */
  getParties(input: { accountId: AccountId }): {
    issuer: string | null;
    buyer: string | null;
    tax: string | null;
  };
  /**
   * Sets or, by null, removes it. `known`: what `getParties` gave. PreconditionFailed: not so any
   * more. Idempotent.
   */
  setParty(input: { id: PartyId; json: string | null; known: string | null }): void;
  /**
   * Closed bills, the newest first, before a month and issue like `2026-11/0`. `before` '' begins
   * with the newest of all.
   */
  listInvoices(input: {
    accountId: AccountId;
    before: string;
    limit: number;
  }): readonly InvoiceHead[];
  /** Accounts that are in the directory or own buckets, after one, in byte order. */
  listBilledAccounts(input: { after: string; limit: number }): readonly AccountId[];
  getPushTarget(input: { accountId: AccountId }): PushTarget | null;
  /**
   * Tells the account's usage from that day on, as that customer; null stops it. The day of one who
   * has it stays. Idempotent.
   */
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
  getUsageReported(input: Readonly<Record<string, never>>): UsageReported | null;
  /** Idempotent. */
  setUsageReported(input: UsageReported): void;
};
