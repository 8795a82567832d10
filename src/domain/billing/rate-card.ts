// A rate card as data: what a quantity costs. core/billing reads cards from JSON
// and applies them; the ledger is handed one with each request that wants a
// receipt.
import type { MeterName } from './usage.ts';

/**
 * A price per unit up to that many units of the period; null is without end.
 * Decimals scaled by 10^12.
 */
export type Tier = { readonly upTo: bigint | null; readonly price: bigint };

export type CardLine = {
  readonly label: string;
  /**
   * Everything that is counted together; the free allowance and the tiers are for
   * the sum.
   */
  readonly meters: readonly MeterName[];
  readonly unit: {
    readonly name: string;
    /** How much of the meter is one unit: bytes of a GB, requests of a million. */
    readonly size: bigint;
    /** Whether the meter is in byte-hours, so that a unit is for a month. */
    readonly isPerMonth: boolean;
  };
  /** Units that cost nothing in a period; scaled by 10^12. */
  readonly free: bigint;
  /**
   * What else costs nothing: so many times (scaled by 10^12) what these storage
   * meters held on average in the period.
   */
  readonly freePerStored: { readonly meters: readonly MeterName[]; readonly times: bigint } | null;
  /** Whether a unit that was begun is paid whole. */
  readonly isRoundedUp: boolean;
  readonly tiers: readonly Tier[];
};

export type RateCard = {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  /** Where the prices come from, and when they were read there. */
  readonly source: string;
  readonly asOf: string;
  /**
   * The first month that this version of the card prices, like 2026-11; null: as if
   * it had always been.
   */
  readonly validFrom: string | null;
  /**
   * Hours of a month: a fixed number, or those of the calendar month that is
   * billed.
   */
  readonly monthHours: bigint | 'calendar';
  /**
   * What a month with any usage costs at least, in the currency, scaled by 10^12.
   */
  readonly minimum: bigint;
  /** What the card can't say or leaves out, for whoever reads a bill by it. */
  readonly notes: readonly string[];
  readonly lines: readonly CardLine[];
};
