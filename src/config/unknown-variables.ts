// Finds misspelt settings: variables that begin like ours and mean nothing. The
// roots log them at the start, by `warnOfUnknown`. No value is looked at, because
// it may be a secret.
import { VARIABLES } from './settings.ts';

/** Start of the variables that are looked at. */
const PREFIX = 'QUAYSIDE_';
/** Starts of variables that tests and scripts read. */
const FOREIGN_PREFIXES = ['WIRE_', 'FUZZ_', 'TEST_', 'BENCH_', 'CRASH_'].map(
  (word) => `${PREFIX}${word}`,
);
/** Longest name that is compared, characters; ours have up to 41. */
const NAME_MAX_LENGTH = 64;
/**
 * Most unknown variables that are named; the rest is noise of a strange
 * environment.
 */
const NAMED_MAX = 20;
/**
 * Most edits between a name and the setting that it may mean: a slip, an ending or
 * a word.
 */
const EDITS_MAX = 6;

/** Settings under their former names, and what they are called now. */
const RENAMED: ReadonlyMap<string, string> = new Map([['QUAYSIDE_HOT_LANE', 'QUAYSIDE_FAST_PATH']]);

type Environment = Readonly<Record<string, unknown>>;

export type UnknownVariable = {
  readonly variable: string;
  /** The setting that had this name, or has the nearest; null when none is near. */
  readonly nearest: string | null;
};

/**
 * Variables of the environment that begin like settings and are none, in
 * alphabetical order.
 */
export function findUnknownVariables(env: Environment): readonly UnknownVariable[] {
  const known = new Set(VARIABLES);
  const unknown = Object.keys(env).filter((name) => {
    const upper = name.slice(0, NAME_MAX_LENGTH).toUpperCase();
    const isForeign = FOREIGN_PREFIXES.some((prefix) => upper.startsWith(prefix));
    return upper.startsWith(PREFIX) && !isForeign && !known.has(name);
  });
  return unknown
    .sort()
    .slice(0, NAMED_MAX)
    .map((name) => ({ variable: name.slice(0, NAME_MAX_LENGTH), nearest: nearestTo(name) }));
}

type Log = { readonly error: (event: string, fields: Readonly<Record<string, unknown>>) => void };

/** Logs each unknown variable, with the setting that was perhaps meant. */
export function warnOfUnknown(env: Environment, log: Log): void {
  for (const { variable, nearest } of findUnknownVariables(env)) {
    log.error('unknown-setting', {
      variable,
      ...(nearest === null ? {} : { nearest }),
      advice: 'docs/configuration.md has all settings',
    });
  }
}

function nearestTo(name: string): string | null {
  if (name.length > NAME_MAX_LENGTH) return null;
  const upper = name.toUpperCase();
  const renamed = RENAMED.get(upper);
  if (renamed !== undefined) return renamed;

  let nearest: string | null = null;
  let least = EDITS_MAX + 1;
  for (const variable of VARIABLES) {
    const edits = editDistance(upper, variable);
    if (edits < least) {
      nearest = variable;
      least = edits;
    }
  }
  return nearest;
}

/**
 * Levenshtein distance of two short texts. Cost: the product of their lengths.
 * Source:
 * https://en.wikipedia.org/wiki/Levenshtein_distance#Iterative_with_two_matrix_rows
 */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const removed = (previous[column] ?? 0) + 1;
      const added = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, removed, added));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
