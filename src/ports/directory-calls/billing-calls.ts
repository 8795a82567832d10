// The calls of the directory about billing: cards, credits, bills, credit notes,
// and how far the scheduled work came. index/billing implements them;
// ports/directory.ts puts them together with the others.
import type {
  AccountBilling,
  BillingDuties,
  BillingProgress,
  CardChoice,
  ClosingState,
  CreditRow,
  CreditUse,
  InvoiceHead,
  NewInvoice,
  NotedPrice,
  PartyId,
  PushProgress,
  PushTarget,
  StoredCreditNote,
  StoredInvoice,
  UsageReported,
} from '../../domain/billing/billing.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { SeenTime } from '../../domain/trusted-time.ts';

export type BillingApi = {
  /**
   * The JSON of the version of a custom card that prices a month, the first one
   * before it begins; null: no such card.
   */
  getRateCard(input: { id: string; period: string }): string | null;
  /**
   * Custom cards after an id, in byte order, as JSON: of each the version that
   * prices the month.
   */
  listRateCards(input: { after: string; limit: number; period: string }): readonly string[];
  /**
   * Makes the version of a custom card that prices months from `validFrom` on, in
   * place of one that begins in the same month. `known`: what `getRateCard` gives
   * of that month. PreconditionFailed: it is not so any more. Bills that are closed
   * keep the version that they were made with. Idempotent.
   */
  putRateCard(input: { id: string; validFrom: string; json: string; known: string | null }): void;
  /**
   * Notes what these are in the month that runs, where that is not what was noted
   * last. What is noted first counts from the beginning. Idempotent.
   */
  notePrices(input: { period: string; prices: readonly NotedPrice[] }): void;
  /** What was noted of the name for that month; null: nothing. */
  getNotedPrice(input: { name: string; period: string }): string | null;
  getAccountBilling(input: { accountId: AccountId }): AccountBilling;
  /**
   * Adds a choice, in place of one that begins in the same month, and gives all
   * that the account has then. PreconditionFailed: it had not those of `known` any
   * more. Idempotent.
   */
  setAccountCard(input: {
    accountId: AccountId;
    choice: CardChoice;
    known: readonly CardChoice[];
  }): readonly CardChoice[];
  /**
   * Adds the credit unless there is one of that id; gives the stored one.
   * Idempotent.
   */
  addCredit(input: { accountId: AccountId; credit: CreditRow }): CreditRow;
  /**
   * Stores the bill of a month, for good, and gives it the next number of its
   * series in the same commit. A later one of the same month changes nothing and
   * takes no number. Gives the stored bill. Null, and nothing is stored: the
   * account's other bills are not `invoiceCount` any more. Idempotent.
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
  /**
   * The last issues of the closed bills of these months, the oldest first. `to` is
   * not in it.
   */
  readInvoices(input: { accountId: AccountId; from: string; to: string }): readonly StoredInvoice[];
  /**
   * Stores a credit note for a bill, with the next number of its series in the same
   * commit. Null, and nothing is done, when the bill has not `noteCount` notes any
   * more, or is not the last of its month. A void gives back what the bill took of
   * credits, unless `reissue` follows: that is stored in the same commit and takes
   * them over. Idempotent by the note's id.
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
   * An account's notes before one in their order, the newest first; null begins
   * with the newest.
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
   * Sets or, by null, removes it. `known`: what `getParties` gave.
   * PreconditionFailed: not so any more. Idempotent.
   */
  setParty(input: { id: PartyId; json: string | null; known: string | null }): void;
  /**
   * Closed bills, the newest first, before a month and issue like `2026-11/0`.
   * `before` '' begins with the newest of all.
   */
  listInvoices(input: {
    accountId: AccountId;
    before: string;
    limit: number;
  }): readonly InvoiceHead[];
  /**
   * Accounts that are in the directory or own buckets, after one, in byte order.
   */
  listBilledAccounts(input: { after: string; limit: number }): readonly AccountId[];
  getPushTarget(input: { accountId: AccountId }): PushTarget | null;
  /**
   * Reports the account's usage from that day on, as that customer; null stops it.
   * The day of one who has it stays. Idempotent.
   */
  setPushTarget(input: { accountId: AccountId; customerId: string | null; dayMs: number }): void;
  /** Push targets after an account, in byte order. */
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
  /**
   * How far the daily usage of accounts was reported to their webhooks; null:
   * never.
   */
  getUsageReported(input: Readonly<Record<string, never>>): UsageReported | null;
  /** Idempotent. */
  setUsageReported(input: UsageReported): void;
  /** What an account's ledger needs to know for its scheduled work on bills. */
  getBillingDuties(input: { accountId: AccountId }): BillingDuties;
  /** Idempotent. */
  setBillingProgress(input: BillingProgress & { accountId: AccountId }): void;
  /** Which of these accounts have not closed a month by their own progress. */
  listUnclosedAccounts(input: {
    period: string;
    accountIds: readonly AccountId[];
  }): readonly AccountId[];
};
