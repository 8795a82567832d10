// Witnesses: a few keys that stand for all keys below a prefix. A policy tells keys apart
// by its patterns alone. So one key for each pattern, and one that matches none of the
// narrow ones, show whether a decision is the same for all. Pure; check-access.ts
// decides on each.
import type { ReadPolicy } from '../decide.ts';
import { type Effort, spend } from '../policy/match-glob.ts';
import type { Pattern, PatternPart } from '../policy/pattern.ts';
import type { Policy } from '../policy/policy.ts';

/** Witnesses of one question. Ours: a policy has room for a thousand patterns. */
export const WITNESSES_MAX = 50;

/**
 * Characters for the plainest key: the first that no pattern has. The last ones are
 * for private use, so that a policy would have to name all of them.
 */
const PLAIN_CHARACTERS = [...'~_0q', ...'\u{f0000}\u{f0001}\u{f0002}\u{f0003}'];
/** Length of the plainest name: patterns of as many `?` are not expected. */
const PLAIN_LENGTH = 40;

/** The text that stands for a wildcard in a witness. */
const WILDCARD_TEXT = 'x';
/** Effort of one state of a pattern at one character, in comparisons: 0.1 µs. */
const STATE_EFFORT = 20;
/** Longest pattern that is completed, characters; longer ones have no witness. */
const PATTERN_MAX_LENGTH = 2048;

/**
 * Witnesses, and whether every pattern that matters has one. `plainEnd`: the end of
 * those that stand for keys in general.
 */
export type Witnesses = {
  readonly names: readonly string[];
  readonly plainEnd: string;
  readonly isComplete: boolean;
};

/** Gives the witnesses of a question about a key's scope, which has further prefixes. */
export type FindWitnesses = (furtherPrefixes: readonly string[]) => Witnesses;

/**
 * The keys that stand for all below a prefix, the plainest first. Cost: the lengths
 * of all patterns times that of the prefix, once. That is spent of the effort; once
 * there is none left, patterns have no witness.
 */
export function witnessKeys(
  { patterns, plainEnd }: PolicyPatterns,
  bucket: string,
  prefix: string,
  effort: Effort,
): FindWitnesses {
  const start = `${bucket}/${prefix}`;
  const completed = patterns
    .flatMap((pattern) => completions(pattern, start, effort))
    .map((name) => name.slice(bucket.length + 1));
  return (furtherPrefixes) => {
    const plain = [prefix, ...below(prefix, furtherPrefixes)].map((from) => `${from}${plainEnd}`);
    return witnessesOf([...plain, ...completed], plainEnd);
  };
}

/** What witnesses are made of: the patterns of a policy, read once for many questions. */
export type PolicyPatterns = {
  readonly patterns: readonly TokenizedPattern[];
  readonly plainEnd: string;
};
type TokenizedPattern = { readonly length: number; readonly tokens: readonly Token[] };

/** Reads the patterns of a policy; null and one that can't be read have none. */
export function readPatterns(policy: ReadPolicy): PolicyPatterns {
  const statements = policy === null || policy === 'unreadable' ? [] : policy.statements;
  const patterns = statements.flatMap(({ resources }) => resources.patterns);
  const tokenized = patterns.map((pattern) => ({
    length: pattern.source.length,
    tokens: tokensOf(pattern),
  }));
  return { patterns: tokenized, plainEnd: plainName(patterns) };
}

/** A name that no narrow pattern matches. */
function plainName(patterns: readonly Pattern[]): string {
  const used = new Set(patterns.flatMap(({ source }) => [...source]));
  const character = PLAIN_CHARACTERS.find((one) => !used.has(one)) ?? PLAIN_CHARACTERS.at(-1);
  return (character ?? '~').repeat(PLAIN_LENGTH);
}

/**
 * The prefixes that stand for all that a listing below a prefix may name: itself,
 * and those that conditions on `s3:prefix` name.
 */
export function witnessPrefixes(policy: Policy | null, prefix: string): FindWitnesses {
  const named = (policy?.statements ?? [])
    .flatMap(({ conditions }) => conditions.filter(({ key }) => key === 's3:prefix'))
    .flatMap(({ expected }) => expected)
    .map((text) => text.replaceAll(/[*?]/g, ''));
  return (furtherPrefixes) =>
    witnessesOf([prefix, ...below(prefix, [...furtherPrefixes, ...named])], '');
}

const below = (prefix: string, prefixes: readonly string[]): readonly string[] =>
  prefixes.filter((other) => other.startsWith(prefix));

function witnessesOf(names: readonly string[], plainEnd: string): Witnesses {
  const unique = [...new Set(names)];
  const isComplete = unique.length <= WITNESSES_MAX;
  return { names: unique.slice(0, WITNESSES_MAX), plainEnd, isComplete };
}

/** Characters of a pattern, and its wildcards; a variable may be any text. */
type Token = string | { readonly kind: 'any' | 'one' };

function tokensOf({ parts }: Pattern): Token[] {
  const toToken = (part: PatternPart): Token[] => {
    if (typeof part === 'string') return [...part];
    return [{ kind: part.kind === 'one' ? 'one' : 'any' }];
  };
  return parts.flatMap(toToken);
}

const isAny = (token: Token | undefined): boolean =>
  typeof token === 'object' && token.kind === 'any';

/**
 * Texts that begin with `start` and match the pattern: at most two, the rest of the
 * pattern being taken up as early and as late as it can be. None: nothing that
 * begins so matches.
 */
function completions(
  { length, tokens }: TokenizedPattern,
  start: string,
  effort: Effort,
): string[] {
  if (length > PATTERN_MAX_LENGTH) return [];
  let states = closure(tokens, new Set([0]));
  for (const character of start) {
    if (!spend(effort, states.size * STATE_EFFORT)) return [];
    const next = new Set<number>();
    for (const at of states) {
      const token = tokens[at];
      if (isAny(token)) next.add(at);
      else if (token === character || typeof token === 'object') next.add(at + 1);
    }
    states = closure(tokens, next);
    if (states.size === 0) return [];
  }

  const rest = (at: number) =>
    tokens
      .slice(at)
      .map((token) => (typeof token === 'string' ? token : WILDCARD_TEXT))
      .join('');
  const ends = [Math.min(...states), Math.max(...states)];
  return [...new Set(ends)].map((at) => `${start}${rest(at)}`);
}

/** Adds the states that are reached when a `*` stands for nothing. */
function closure(tokens: readonly Token[], states: Set<number>): Set<number> {
  for (const at of states) if (isAny(tokens[at])) states.add(at + 1);
  return states;
}
