// Caps on what an account's usage may cost or send out, as plain data: what the
// owner sets, what the ledger knows of it, and the quota leases by which processes
// use it up. core/caps decides; the ledger stores.
import type { AccessKeyId, BucketId } from '../nouns.ts';
import { DAY_MS, startOfDay } from '../time.ts';
import type { UsageRow } from './usage.ts';

/**
 * What a cap is on: all of an account, or what is used of one bucket, or by one
 * access key.
 */
export type CapScope =
  | { readonly kind: 'account' }
  | { readonly kind: 'bucket'; readonly bucketId: BucketId }
  | { readonly kind: 'accessKey'; readonly accessKeyId: AccessKeyId };

export type Cap = {
  /** Chosen by the owner; unique in the account. */
  readonly id: string;
  readonly scope: CapScope;
  /** Bytes that go out, or money by a rate card. */
  readonly unit: 'bytes' | 'money';
  /** Bytes, or micro-units of the card's currency. */
  readonly limit: bigint;
  /** A day or a calendar month, UTC: then it begins anew. */
  readonly period: 'day' | 'month';
  /** Percentages of the limit at which the owner gets a report. */
  readonly alertPercents: readonly number[];
  /**
   * Percent from which only what caches hold is served; null: everything is, up to
   * the limit.
   */
  readonly cachedFromPercent: number | null;
  /** The card that prices a cap in money; null for one in bytes. */
  readonly cardId: string | null;
  /**
   * The card of `cardId` as JSON, where it is the operator's own, as it was when the
   * cap was set; absent or null: it ships with Quayside.
   */
  readonly card?: Readonly<Record<string, unknown>> | null;
  /** The cap is ignored until then; null: it holds. */
  readonly liftedUntilMs: number | null;
};

/** A cap and what is known of its period. */
export type CapState = {
  readonly cap: Cap;
  readonly usage: readonly Pick<UsageRow, 'meter' | 'quantity'>[];
  /**
   * Storage of the newest hour of which all is recorded, in byte-milliseconds: what
   * is stored now, as far as is known. Empty unless the cap is in money, and on
   * something that stores.
   */
  readonly stored: readonly Pick<UsageRow, 'meter' | 'quantity'>[];
  /** Units leased to other holders. */
  readonly leasedToOthers: number;
  /** When the last of those leases ends; 0: there is none. */
  readonly othersUntilMs: number;
};

/**
 * What a cap lets through. `cached`: only what memory holds is served. `refused`:
 * nothing but what is free.
 */
export type CapLevel = 'open' | 'cached' | 'refused';

/**
 * Upper bounds, in units, of one more request of a class and of one more byte out.
 */
export type CapPrices = { readonly perA: number; readonly perB: number; readonly perByte: number };

/**
 * Units that storage costs until a cap's period ends: all of it, and one byte more.
 */
export type StorageUntilEnd = { readonly planned: number; readonly perByte: number };

/**
 * How a cap stands: what is spent of it, what is left, and what that means for
 * requests.
 */
export type CapStanding = {
  readonly cap: Cap;
  readonly spent: bigint;
  /** Whole percent of the limit that is spent, rounded down. */
  readonly percent: number;
  readonly level: CapLevel;
  readonly periodMs: { readonly fromMs: number; readonly toMs: number };
  readonly isLifted: boolean;
  readonly prices: CapPrices;
  /** Cost of storage from now until the period ends. */
  readonly storage: StorageUntilEnd;
  /** Units that are left for this process, and how many of them it gets leased. */
  readonly left: number;
  readonly units: number;
  /** How long the lease lasts in the ledger, milliseconds. */
  readonly leaseMs: number;
  /** When all that others have leased has come back at the latest. */
  readonly othersUntilMs: number;
};

/** A cap that has come to a percentage of itself, in the period that began then. */
export type CapCrossing = {
  readonly capId: string;
  readonly periodMs: number;
  readonly percent: number;
};

/** A crossing that nobody has reported yet, with its cap. */
export type CapAlert = CapCrossing & { readonly cap: Cap };

/**
 * The day or the calendar month that a time is in, UTC; the end is not part of it.
 */
export function capPeriod(
  period: Cap['period'],
  timeMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  if (period === 'day') {
    const fromMs = startOfDay(timeMs);
    return { fromMs, toMs: fromMs + DAY_MS };
  }
  const date = new Date(timeMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { fromMs: Date.UTC(year, month, 1), toMs: Date.UTC(year, month + 1, 1) };
}
