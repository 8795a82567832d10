// What billing stores besides the usage of the ledger: rate cards, which account
// has which, credits, and the bills of closed months. It is small and must be
// consistent, so it stands in the directory. Amounts are texts of whole
// micro-units, because they pass 2^53. Cards and bills are JSON that core/billing
// writes and reads.
import type { AccountId } from '../nouns.ts';

export type CreditRow = {
  readonly id: string;
  readonly label: string;
  readonly currency: string;
  readonly amountMicro: string;
  readonly grantedAtMs: number;
  readonly expiresAtMs: number | null;
};

/** The part of a credit that a bill used up. */
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

/** A bill to be stored, which gives it its number. */
export type NewInvoice = {
  readonly head: Pick<InvoiceHead, 'period' | 'currency' | 'totalMicro' | 'closedAtMs'>;
  /** The bill without its number. */
  readonly json: string;
  /** What the series of its numbers begins with; ends with no digit. */
  readonly prefix: string;
};
/** A bill as it is stored. `json` has all but what became known by storing it. */
export type StoredInvoice = Pick<InvoiceHead, 'period' | 'issue' | 'number' | 'isVoid'> & {
  readonly json: string;
};

/** A credit note as it is stored; the amounts are what it takes back, as texts. */
export type StoredCreditNote = {
  /** Chosen by its maker, so that a repeated call stores one note. */
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
 * Whose data a party is: the issuer of all bills, the buyer that an account is, or
 * the tax that the operator set for an account.
 */
export type PartyId = 'issuer' | `buyer/${AccountId}` | `tax/${AccountId}`;

/**
 * A card that an account was given: it prices the month `validFrom` and all later
 * ones, up to the next choice. '' is from the beginning. `cardId` null: the
 * server's default card.
 */
export type CardChoice = { readonly validFrom: string; readonly cardId: string | null };

/**
 * Something that prices hang on and that no call changes: the default card, and the
 * cards that ship.
 */
export type NotedPrice = { readonly name: string; readonly value: string };

export type AccountBilling = {
  /**
   * The oldest first. Before the first, and without any, the account has the
   * server's default card.
   */
  readonly cards: readonly CardChoice[];
  readonly credits: readonly CreditRow[];
  /** All uses of credits by all bills, by credit and bill. */
  readonly uses: readonly CreditUse[];
  /**
   * How many bills there are: `keepInvoice` takes one only from a caller who saw
   * all that came before.
   */
  readonly invoiceCount: number;
};

/**
 * Months up to and without `period` are closed; of `period` the accounts up to
 * `after`.
 */
export type ClosingState = { readonly period: string; readonly after: string };

/**
 * Days before `dayMs` were reported to webhooks, and of that day the accounts up to
 * `after`.
 */
export type UsageReported = { readonly dayMs: number; readonly after: string };

/**
 * How far the bills of one account have come where its ledger makes them: its months
 * before `closedBefore` are closed, its days before `reportedBeforeMs` reported.
 */
export type BillingProgress = {
  readonly closedBefore: string;
  readonly reportedBeforeMs: number;
};

/** What decides which scheduled work on its bills an account has. */
export type BillingDuties = {
  /** Whether it is in the directory or owns a bucket. */
  readonly isBilled: boolean;
  /** When the oldest of its webhooks was made; null: it has none. */
  readonly webhooksSinceMs: number | null;
  readonly progress: BillingProgress | null;
  /** How far the walks over all accounts have come. */
  readonly closing: ClosingState | null;
  readonly reported: UsageReported | null;
};

/**
 * How far the usage of an account was reported to a billing service outside
 * (ports/usage-push.ts).
 */
export type PushProgress = {
  /** The start of the first day that is not reported whole. */
  readonly dayMs: number;
  /** The last meter of that day that was reported; '' none. */
  readonly reportedMeter: string;
  /**
   * The meter that is being reported, and when that was begun first; '' and 0:
   * none.
   */
  readonly attemptedMeter: string;
  readonly attemptedAtMs: number;
};
/** An account that has a customer there. */
export type PushTarget = PushProgress & {
  readonly accountId: AccountId;
  readonly customerId: string;
};
