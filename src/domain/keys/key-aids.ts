// What the index knows of keys beyond their rows: sizes of prefixes, and search by
// a part of the key. Plain data. Both are made when they are first called for, in
// steps, and kept up to date from then on; other buckets pay nothing.
import type { ObjectSummary } from '../nouns.ts';

/**
 * What stands below a prefix now: current objects. `otherBytes`: those of classes
 * but STANDARD, which `bytes` has too.
 */
export type PrefixSize = {
  readonly objects: number;
  readonly bytes: number;
  readonly otherBytes: number;
};

/**
 * `ready`: the sums are there. `counting`: they are being made, and a prefix can't
 * be measured yet.
 */
export type CountState = 'off' | 'counting' | 'ready';

/**
 * How far the search index of a bucket is. Without it, search scans keys one by
 * one, so many in a call.
 */
export type SearchState = 'off' | 'building' | 'ready';

/** Matches of one search at most; more are not looked for. */
export const SEARCH_MAX_MATCHES = 1000;
/** Keys that one call scans where there is no search index: some 10 ms. */
export const SEARCH_SCAN_ROWS = 8000;
/** Shortest needle that the search index finds, in code points. */
export const SEARCH_MIN_INDEXED = 3;

export type KeyMatches = {
  readonly objects: readonly ObjectSummary[];
  /** Whether these are all. */
  readonly isComplete: boolean;
  /**
   * The cursor of a scan; null: it came to the end, or the search index was used.
   */
  readonly nextAfter: string | null;
  readonly state: SearchState;
  /**
   * Changes that the search index has not taken in yet, as far as they were
   * counted; search scans them one by one.
   */
  readonly pending: number;
  readonly searchedAtMs: number;
};

const COMBINING = /\p{M}+/gu;
/** Nothing to fold but case: most names. */
const ASCII = /^[\x20-\x7e]*$/;

/**
 * Text as search compares it: without case and without accents, composed or not.
 */
export function foldKey(text: string): string {
  return ASCII.test(text)
    ? text.toLowerCase()
    : text.normalize('NFD').replace(COMBINING, '').toLowerCase();
}
