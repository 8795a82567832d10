// When objects that bill by alarms of their own wake up: a bucket, to bring its hours
// to the ledger, and an account's ledger, to report days and close months. Each has a
// moment of its own within some hours, so that however many there are, no moment has
// to take them all. Pure.
import { DAY_MS, HOUR_MS, startOfDay, startOfHour } from '../time.ts';

/**
 * How long after its end an hour may still get commits, whose clocks are not all
 * one. Milliseconds.
 */
export const SETTLE_MS = 5 * 60_000;
/**
 * Wait after a day's end, milliseconds, until the ledger has what was counted late.
 */
export const DAY_GRACE_MS = 6 * HOUR_MS;

/** Least wait behind the end of hours, milliseconds: their commits have settled. */
const COLLECT_AFTER_MS = 2 * SETTLE_MS;
/** Within so long after midnight buckets bring their day, milliseconds. */
const BUCKETS_WITHIN_MS = 3 * HOUR_MS;
/**
 * Within so long after the end of an hour capped buckets bring it, milliseconds. Caps
 * look at the hour that ended an hour ago (index/ledger/caps.ts).
 */
const CAPPED_BUCKETS_WITHIN_MS = 40 * 60_000;
/** Within so long behind the grace accounts report their day, milliseconds. */
const ACCOUNTS_WITHIN_MS = 2 * HOUR_MS;

/** The oldest hour of a bucket name that the ledger does not have. */
export type Uncollected = {
  readonly hourMs: number;
  /** Whether a cap looks at what the bucket stores. */
  readonly isCapped: boolean;
};

/** When the bucket brings its hours: after the end of their day, or hour if it is capped. */
export function collectionTime(bucketName: string, { hourMs, isCapped }: Uncollected): number {
  const endMs = isCapped ? startOfHour(hourMs) + HOUR_MS : startOfDay(hourMs) + DAY_MS;
  const withinMs = isCapped ? CAPPED_BUCKETS_WITHIN_MS : BUCKETS_WITHIN_MS;
  return endMs + COLLECT_AFTER_MS + shareOf(bucketName, withinMs);
}

/** The first time from `fromMs` on at which the account's ledger does its scheduled work. */
export function accountRunTime(accountId: string, fromMs: number): number {
  const offsetMs = DAY_GRACE_MS + shareOf(accountId, ACCOUNTS_WITHIN_MS);
  const todayMs = startOfDay(fromMs) + offsetMs;
  return todayMs >= fromMs ? todayMs : todayMs + DAY_MS;
}

/** A part of `withinMs`, always the same for a name, and spread evenly over names. */
function shareOf(name: string, withinMs: number): number {
  // FNV-1a, with its bits mixed once more: names that differ at their end would else be close.
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1)
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return Math.floor((((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32) * withinMs);
}
