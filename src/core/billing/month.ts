// Calendar months in UTC, the periods of bills: as texts, as bounds, and which
// comes before which. Everything in billing counts months by it; it reads nothing
// but the clock.
import { HOUR_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';

/** A calendar month in UTC. */
export type BillingMonth = { readonly year: number; readonly month: number };

/** A month as text: `2026-11`. Texts sort as months do. */
export function monthText({ year, month }: BillingMonth): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
}

/** A month as `monthText` writes it, from 2000 to 2999. */
export const MONTH_TEXT = /^2\d{3}-(0[1-9]|1[0-2])$/;

/** Reads a month as `monthText` writes it; null for anything else. */
export function parseMonth(text: string): BillingMonth | null {
  return MONTH_TEXT.test(text)
    ? { year: Number(text.slice(0, 4)), month: Number(text.slice(5)) }
    : null;
}

/** The month of a time, which is in milliseconds since 1970. */
export function monthOf(atMs: number): BillingMonth {
  const date = new Date(atMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
}

/** The month that runs, as text. */
export function runningMonth({ ports }: Pick<Core, 'ports'>): string {
  return monthText(monthOf(ports.clock.nowMs()));
}

/** The month so many months later; a negative number goes back. */
export function monthsLater({ year, month }: BillingMonth, months: number): BillingMonth {
  return monthOf(Date.UTC(year, month - 1 + months, 1));
}

/** First millisecond of the month, and of the next. */
export function monthBounds({ year, month }: BillingMonth): {
  readonly startMs: number;
  readonly endMs: number;
} {
  return { startMs: Date.UTC(year, month - 1, 1), endMs: Date.UTC(year, month, 1) };
}

/** Hours of a calendar month. */
export function hoursOf({ year, month }: BillingMonth): bigint {
  return BigInt((Date.UTC(year, month, 1) - Date.UTC(year, month - 1, 1)) / HOUR_MS);
}

/** The day of a time, UTC: `2026-11-21`. */
export const dayText = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
