// A bit-parallel NFA (Shift-And) that matches a key with all patterns of a list at
// once. It reads the key character by character and keeps a set of reachable
// states, 32 of them in a word. Strangers choose the keys and owners the patterns,
// so its time depends on the lengths of both and on nothing else. Called by
// hosting-rules.ts.
import { ALL, FOLDERS, ONE, parseGlob, SOME, type Token } from './glob.ts';

/**
 * States of all patterns of a list together: one for each character or wildcard and
 * one for the end, for every combination of braces. The longest key then takes 4 ms
 * at most, an ordinary one with an ordinary list 2 µs (measured 2026-11).
 */
export const GLOB_STATES_MAX = 8192;

/** A compiled list of patterns. */
export type Globs = {
  /**
   * Finds the first pattern that matches the path, which begins with a slash; -1:
   * none. Cost: see GLOB_STATES_MAX.
   */
  firstMatch(path: string): number;
  /**
   * The number of patterns that match no path: invalid ones, and all from the first
   * on for which there was no room.
   */
  readonly leftOut: number;
};

const SLASH = 47;
const STATES_OF_WORD = 32;
const NO_STATES: readonly number[] = [];

/**
 * The automaton: sets of states, one bit each. A state is reached when all tokens
 * before it in its pattern have been matched.
 */
type Automaton = {
  readonly start: Int32Array;
  /**
   * States that take a character, as pairs of a word and its bits, by code unit.
   */
  readonly characters: ReadonlyMap<number, readonly number[]>;
  readonly one: Int32Array;
  /**
   * States that take any characters and stay reached; the second takes no slash.
   */
  readonly staying: Int32Array;
  readonly stayingInFolder: Int32Array;
  /**
   * States that can be skipped; the second only before a name, so behind a slash.
   */
  readonly skippable: Int32Array;
  readonly skippableAtName: Int32Array;
  readonly end: Int32Array;
  /** The pattern of each end state, from the lowest state on. */
  readonly patternAt: ReadonlyMap<number, number>;
};

/** Compiles patterns. Never throws. */
export function compileGlobs(patterns: readonly string[]): Globs {
  const compiled: (readonly [pattern: number, tokens: readonly Token[]])[] = [];
  let states = 0;
  let leftOut = 0;
  for (const [i, pattern] of patterns.entries()) {
    const alternatives = parseGlob(pattern) ?? [];
    if (alternatives.length === 0) leftOut += 1;
    const needed = alternatives.reduce((sum, { length }) => sum + length + 1, 0);
    if (states + needed > GLOB_STATES_MAX) {
      leftOut += patterns.length - i;
      break;
    }
    states += needed;
    for (const tokens of alternatives) compiled.push([i, tokens]);
  }

  const automaton = build(compiled, Math.ceil(states / STATES_OF_WORD));
  // One buffer for all calls: a match ends before the next begins.
  const reached = new Int32Array(automaton.start.length);
  return { leftOut, firstMatch: (path) => run(automaton, reached, path) };
}

function build(
  compiled: readonly (readonly [pattern: number, tokens: readonly Token[]])[],
  words: number,
): Automaton {
  const [start, one, staying, stayingInFolder, skippable, skippableAtName, end] = Array.from(
    { length: 7 },
    () => new Int32Array(words),
  ) as [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
  const characters = new Map<number, number[]>();
  const patternAt = new Map<number, number>();
  const set = (states: Int32Array, state: number) => {
    states[state >>> 5] = (states[state >>> 5] ?? 0) | (1 << (state & 31));
  };
  let state = 0;
  for (const [pattern, tokens] of compiled) {
    set(start, state);
    // A leading `**` can be skipped at once.
    if (tokens[0] === ALL) set(start, state + 1);
    for (const token of tokens) {
      if (token === ONE) set(one, state);
      else if (typeof token === 'string') addCharacter(characters, token.charCodeAt(0), state);
      else {
        set(token === SOME ? stayingInFolder : staying, state);
        set(token === FOLDERS ? skippableAtName : skippable, state);
      }
      state += 1;
    }
    set(end, state);
    patternAt.set(state, pattern);
    state += 1;
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

function addCharacter(characters: Map<number, number[]>, code: number, state: number): void {
  const word = state >>> 5;
  const bit = 1 << (state & 31);
  const pairs = characters.get(code) ?? [];
  characters.set(code, pairs);
  if (pairs.at(-2) === word) pairs[pairs.length - 1] = (pairs.at(-1) ?? 0) | bit;
  else pairs.push(word, bit);
}

function run(automaton: Automaton, reached: Int32Array, path: string): number {
  const { start, end, patternAt } = automaton;
  reached.set(start);
  for (let at = 0; at < path.length; at++) {
    if (!step(automaton, reached, path.charCodeAt(at))) return -1;
  }
  for (let word = 0; word < reached.length; word++) {
    const ended = (reached[word] ?? 0) & (end[word] ?? 0);
    // The lowest bit is the first pattern.
    if (ended !== 0)
      return patternAt.get(word * STATES_OF_WORD + 31 - Math.clz32(ended & -ended)) ?? -1;
  }
  return -1;
}

/** Takes one step: reads a character; false when no state is reached any more. */
function step(automaton: Automaton, reached: Int32Array, code: number): boolean {
  const isSlash = code === SLASH;
  const taking = automaton.characters.get(code) ?? NO_STATES;
  const { one } = automaton;
  const staying = isSlash ? automaton.staying : automaton.stayingInFolder;
  const skippable = isSlash ? automaton.skippableAtName : automaton.skippable;
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
    // Twice: two wildcards that can be skipped may stand side by side.
    next |= (next & skips) << 1;
    next |= (next & skips) << 1;
    takenBefore = taken >>> 31;
    skippedBefore = (next & skips) >>> 31;
    reached[word] = next;
    any |= next;
  }
  return any !== 0;
}
