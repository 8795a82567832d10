// What the index knows of names beyond the rows: sizes of prefixes and search by a part of the
// name. As plain data. Both are made when they are first asked for, in steps, and kept up to date
// from then on; a bucket that nobody asks pays nothing.
import type { ObjectSummary } from './nouns.ts';

/**
 * What stands below a prefix now: current objects. `otherBytes`: those of classes but STANDARD,
 * which `bytes` has too.
 */
export type PrefixSize = {
  readonly objects: number;
  readonly bytes: number;
  readonly otherBytes: number;
};

/**
 * `ready`: the sums are kept. `counting`: they are being made, and a prefix can't be measured yet.
 */
export type CountState = 'off' | 'counting' | 'ready';

/**
 * The same of the search index. Without it, search looks at names one by one, so many in a call.
 */
export type SearchState = 'off' | 'building' | 'ready';

/** Matches of one search at most; more are not looked for. */
export const SEARCH_MAX_MATCHES = 1000;
/** Names that one call looks at where there is no search index: some 10 ms. */
export const SEARCH_SCAN_ROWS = 8000;
/** Shortest needle that the search index finds, in code points. */
export const SEARCH_MIN_INDEXED = 3;

export type KeyMatches = {
  readonly objects: readonly ObjectSummary[];
  /** Whether these are all. */
  readonly isComplete: boolean;
  /** Where a look at names goes on; null: it came to the end, or the search index answered. */
  readonly nextAfter: string | null;
  readonly state: SearchState;
  /**
   * Changes that the search index has not taken in yet, as far as they were counted; they are
   * looked at one by one.
   */
  readonly pending: number;
  readonly searchedAtMs: number;
};

const COMBINING = /\p{M}+/gu;
/** Nothing to fold but case: most names. */
const ASCII = /^[\x20-\x7e]*$/;

/** Text as search compares it: without case and without accents, composed or not. */
export function foldName(text: string): string {
  return ASCII.test(text)
    ? text.toLowerCase()
    : text.normalize('NFD').replace(COMBINING, '').toLowerCase();
}
