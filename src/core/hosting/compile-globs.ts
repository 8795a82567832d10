// Compares a key with all patterns of a list at once: a machine that takes the key character by
// character and knows all places of all patterns that can be reached, 32 of them in one step.
// Strangers choose the keys to ask for, and owners the patterns, so the time must depend on the
// lengths of both and on nothing else. hosting-rules.ts asks.
import { ALL, FOLDERS, ONE, parseGlob, SOME, type Token } from './glob.ts';

/**
 * Places of all patterns of a list together: one for each character or wildcard and one for the
 * end, for every combination of braces. The longest key then takes 4 ms at most, an ordinary one
 * with an ordinary list 2 µs (measured 2026-11).
 */
export const GLOB_STATES_MAX = 8192;

export type Globs = {
  /**
   * The first pattern that takes the path, which begins with a slash; -1: none. Cost: see
   * GLOB_STATES_MAX.
   */
  firstMatch(path: string): number;
  /**
   * Patterns that are none, and all from the first on for which there was no room: they take no
   * path.
   */
  readonly leftOut: number;
};

const SLASH = 47;
const STATES_OF_WORD = 32;
const NO_STATES: readonly number[] = [];

/**
 * Sets of places, one bit each. A place is reached when what stands before it in its pattern has
 * been taken.
 */
type Machine = {
  readonly start: Int32Array;
  /** Places of characters, as pairs of a word and its bits, by code unit. */
  readonly characters: ReadonlyMap<number, readonly number[]>;
  readonly one: Int32Array;
  /** Places that take any characters and are not left by it; the second without a slash only. */
  readonly staying: Int32Array;
  readonly stayingInFolder: Int32Array;
  /** Places that can take nothing; the second only before a name, so behind a slash. */
  readonly skippable: Int32Array;
  readonly skippableAtName: Int32Array;
  readonly end: Int32Array;
  /** Of each end, from the lowest place on, its pattern. */
  readonly patternAt: ReadonlyMap<number, number>;
};

/** Never throws. */
export function compileGlobs(patterns: readonly string[]): Globs {
  const kept: (readonly [pattern: number, tokens: readonly Token[]])[] = [];
  let places = 0;
  let leftOut = 0;
  for (const [i, pattern] of patterns.entries()) {
    const alternatives = parseGlob(pattern) ?? [];
    if (alternatives.length === 0) leftOut += 1;
    const more = alternatives.reduce((sum, { length }) => sum + length + 1, 0);
    if (places + more > GLOB_STATES_MAX) {
      leftOut += patterns.length - i;
      break;
    }
    places += more;
    for (const tokens of alternatives) kept.push([i, tokens]);
  }
  const machine = build(kept, Math.ceil(places / STATES_OF_WORD));
  // Used again: a comparison ends before the next begins.
  const reached = new Int32Array(machine.start.length);
  return { leftOut, firstMatch: (path) => run(machine, reached, path) };
}

function build(
  kept: readonly (readonly [pattern: number, tokens: readonly Token[]])[],
  words: number,
): Machine {
  const [start, one, staying, stayingInFolder, skippable, skippableAtName, end] = Array.from(
    { length: 7 },
    () => new Int32Array(words),
  ) as [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
  const characters = new Map<number, number[]>();
  const patternAt = new Map<number, number>();
  const set = (places: Int32Array, place: number) => {
    places[place >>> 5] = (places[place >>> 5] ?? 0) | (1 << (place & 31));
  };
  let place = 0;
  for (const [pattern, tokens] of kept) {
    set(start, place);
    // A pattern that begins with `**` may go on at once.
    if (tokens[0] === ALL) set(start, place + 1);
    for (const token of tokens) {
      if (token === ONE) set(one, place);
      else if (typeof token === 'string') addCharacter(characters, token.charCodeAt(0), place);
      else {
        set(token === SOME ? stayingInFolder : staying, place);
        set(token === FOLDERS ? skippableAtName : skippable, place);
      }
      place += 1;
    }
    set(end, place);
    patternAt.set(place, pattern);
    place += 1;
  }
  for (let word = 0; word < words; word++) {
    stayingInFolder[word] = (stayingInFolder[word] ?? 0) | (staying[word] ?? 0);
    skippableAtName[word] = (skippableAtName[word] ?? 0) | (skippable[word] ?? 0);
  }
  return {
    start,
    characters,
    one,
    staying,
    stayingInFolder,
    skippable,
    skippableAtName,
    end,
    patternAt,
  };
}

function addCharacter(characters: Map<number, number[]>, code: number, place: number): void {
  const word = place >>> 5;
  const bit = 1 << (place & 31);
  const pairs = characters.get(code) ?? [];
  characters.set(code, pairs);
  if (pairs.at(-2) === word) pairs[pairs.length - 1] = (pairs.at(-1) ?? 0) | bit;
  else pairs.push(word, bit);
}

function run(machine: Machine, reached: Int32Array, path: string): number {
  const { start, end, patternAt } = machine;
  reached.set(start);
  for (let at = 0; at < path.length; at++) {
    if (!step(machine, reached, path.charCodeAt(at))) return -1;
  }
  for (let word = 0; word < reached.length; word++) {
    const ended = (reached[word] ?? 0) & (end[word] ?? 0);
    // The lowest bit: patterns stand in their order.
    if (ended !== 0)
      return patternAt.get(word * STATES_OF_WORD + 31 - Math.clz32(ended & -ended)) ?? -1;
  }
  return -1;
}

/** Takes a character; false when no place is left. */
function step(machine: Machine, reached: Int32Array, code: number): boolean {
  const isSlash = code === SLASH;
  const taking = machine.characters.get(code) ?? NO_STATES;
  const { one } = machine;
  const staying = isSlash ? machine.staying : machine.stayingInFolder;
  const skippable = isSlash ? machine.skippableAtName : machine.skippable;
  let pairAt = 0;
  let takenBefore = 0;
  let skippedBefore = 0;
  let any = 0;
  for (let word = 0; word < reached.length; word++) {
    const before = reached[word] ?? 0;
    let takes = isSlash ? 0 : (one[word] ?? 0);
    if (taking[pairAt] === word) {
      takes |= taking[pairAt + 1] ?? 0;
      pairAt += 2;
    }
    const taken = before & takes;
    const skips = skippable[word] ?? 0;
    let next = (taken << 1) | takenBefore | (before & (staying[word] ?? 0)) | skippedBefore;
    // Twice: two wildcards that can take nothing may stand side by side.
    next |= (next & skips) << 1;
    next |= (next & skips) << 1;
    takenBefore = taken >>> 31;
    skippedBefore = (next & skips) >>> 31;
    reached[word] = next;
    any |= next;
  }
  return any !== 0;
}
