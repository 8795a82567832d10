// Compares a text with a pattern of plain texts and wildcards. Owners write the
// patterns and strangers the texts, so no choice of both may make it slow: what
// stands between two `*` is searched for once, by a bit-parallel NFA (Shift-And)
// where it is long.

/** `any`: a run of characters, or none; `one`: a single character. */
export type Wildcard = { readonly kind: 'any' | 'one' };
export type GlobPart = string | Wildcard;

/**
 * How many comparisons of characters may still be made, one for each character of
 * the text and each 32 of the pattern. Below 0: there were too many, and nothing
 * matched from then on. `whole`: what this effort is a part of, and takes its
 * comparisons from.
 */
export type Effort = { left: number; readonly whole?: Effort | undefined };

/**
 * Spends that many comparisons; false: there are not so many left, here or in the
 * whole.
 */
export function spend(effort: Effort, comparisons: number): boolean {
  const isTooMany = comparisons > effort.left;
  const isTaken = !isTooMany && (effort.whole === undefined || spend(effort.whole, comparisons));
  effort.left = isTaken ? effort.left - comparisons : -1;
  return isTaken;
}

/**
 * An effort without a limit, for texts that are short and patterns that are few.
 */
export const unlimited = (): Effort => ({ left: Number.MAX_SAFE_INTEGER });

/** A part of a pattern between two `*`: texts and single characters. */
type Segment = readonly GlobPart[];

/**
 * Whether the text matches. Cost: 0.1 µs for plain beginnings and ends, else 5 ns
 * for each comparison that `effort` counts.
 */
export function matchesGlob(
  parts: readonly GlobPart[],
  text: string,
  effort: Effort = unlimited(),
): boolean {
  const [first = [], ...others] = segmentsOf(parts);
  const last = others.pop();
  let at = takeForwards(first, text);
  if (at === -1 || last === undefined) return at === text.length;
  const end = takeBackwards(last, text);
  for (const segment of others) {
    at = segment.length === 0 || at === -1 ? at : searchFor(segment, text, at, effort);
  }
  return at !== -1 && end !== -1 && at <= end;
}

function segmentsOf(parts: readonly GlobPart[]): Segment[] {
  const segments: GlobPart[][] = [[]];
  for (const part of parts) {
    if (typeof part === 'object' && part.kind === 'any') segments.push([]);
    else if (part !== '') segments.at(-1)?.push(part);
  }
  return segments;
}

/** Where the segment ends that the text begins with; -1: it begins otherwise. */
function takeForwards(segment: Segment, text: string): number {
  let at = 0;
  for (const part of segment) {
    if (typeof part === 'string' ? !text.startsWith(part, at) : at === text.length) return -1;
    at += typeof part === 'string' ? part.length : lengthOf(text.codePointAt(at) ?? 0);
  }
  return at;
}

/** Where the segment begins that the text ends with; -1: it ends otherwise. */
function takeBackwards(segment: Segment, text: string): number {
  let end = text.length;
  for (const part of segment.toReversed()) {
    if (typeof part === 'string' ? !text.endsWith(part, end) : end === 0) return -1;
    end -= typeof part === 'string' ? part.length : isPairBefore(text, end) ? 2 : 1;
  }
  return end;
}

/** UTF-16 units of a character. */
function lengthOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

function isPairBefore(text: string, end: number): boolean {
  return end > 1 && lengthOf(text.codePointAt(end - 2) ?? 0) === 2;
}

/**
 * Product of both lengths up to which trying each position beats the NFA; it then
 * costs at most 0.1 ms.
 */
const SMALL = 1 << 16;

/**
 * Where the first match behind `from` ends; -1: there is none, or the effort is
 * spent.
 */
function searchFor(segment: Segment, text: string, from: number, effort: Effort): number {
  const leftLength = text.length - from;
  const length = segment.reduce(
    (sum, part) => sum + (typeof part === 'string' ? part.length : 1),
    0,
  );
  // A variable may bring any length, again and again.
  if (length > leftLength || !spend(effort, leftLength * Math.ceil(length / 32))) return -1;
  const [only] = segment;
  if (segment.length > 1 || typeof only !== 'string' || only.length * text.length > SMALL) {
    return searchInParallel(segment, text, from);
  }
  const at = text.indexOf(only, from);
  return at === -1 ? -1 : at + only.length;
}

/**
 * Searches with a bit-parallel NFA (Shift-And). Each state is a bit, set while the
 * segment up to that character ends the text so far.
 */
function searchInParallel(segment: Segment, text: string, from: number): number {
  const states = statesOf(segment);
  if (states.words === 1) return searchInOneWord(states, text, from);
  const { words, ones, characters, lastBit } = states;
  const reached = new Int32Array(words);
  for (let at = from; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    const taking = characters.get(codePoint) ?? NO_STATES;
    at += lengthOf(codePoint);
    let pairAt = 0;
    // Any character may be the first.
    let carried = 1;
    for (let word = 0; word < words; word++) {
      const before = reached[word] ?? 0;
      let takes = ones[word] ?? 0;
      if (taking[pairAt] === word) {
        takes |= taking[pairAt + 1] ?? 0;
        pairAt += 2;
      }
      reached[word] = ((before << 1) | carried) & takes;
      carried = before >>> 31;
    }
    if (((reached[words - 1] ?? 0) & lastBit) !== 0) return at;
  }
  return -1;
}

const NO_STATES: readonly number[] = [];

/** Characters of Latin-1: all that a header can hold. */
const LATIN = 256;

/** Searches for a segment of at most 32 characters, all states in one number: a fifth of the time. */
function searchInOneWord(states: States, text: string, from: number): number {
  const { characters, lastBit } = states;
  const always = states.ones[0] ?? 0;
  const latin = new Int32Array(LATIN).fill(always);
  for (const [codePoint, [, bits = 0]] of characters) {
    if (codePoint < LATIN) latin[codePoint] = always | bits;
  }
  let reached = 0;
  for (let at = from; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    const takes = latin[codePoint] ?? always | (characters.get(codePoint)?.[1] ?? 0);
    at += lengthOf(codePoint);
    reached = ((reached << 1) | 1) & takes;
    if ((reached & lastBit) !== 0) return at;
  }
  return -1;
}

/**
 * One state for each character of a segment, 32 in a word. `ones`: those that take any character;
 * `characters`: those that take this one, as pairs of a word and its bits.
 */
type States = {
  readonly words: number;
  readonly ones: Int32Array;
  readonly characters: ReadonlyMap<number, readonly number[]>;
  /** The last state, in the last word. */
  readonly lastBit: number;
};

function statesOf(segment: Segment): States {
  const length = segment.reduce(
    (sum, part) => sum + (typeof part === 'string' ? part.length : 1),
    0,
  );
  const ones = new Int32Array(Math.ceil(length / 32));
  const characters = new Map<number, number[]>();
  let state = 0;
  for (const part of segment) {
    if (typeof part === 'object') {
      ones[state >>> 5] = (ones[state >>> 5] ?? 0) | (1 << (state & 31));
      state++;
      continue;
    }
    for (const character of part) addState(characters, character.codePointAt(0) ?? 0, state++);
  }
  return { words: Math.ceil(state / 32), ones, characters, lastBit: 1 << ((state - 1) & 31) };
}

function addState(characters: Map<number, number[]>, codePoint: number, state: number): void {
  const pairs = characters.get(codePoint) ?? [];
  characters.set(codePoint, pairs);
  const bit = 1 << (state & 31);
  if (pairs.at(-2) === state >>> 5) pairs.push((pairs.pop() ?? 0) | bit);
  else pairs.push(state >>> 5, bit);
}
