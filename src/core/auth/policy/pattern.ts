// Patterns of policies: text in which `*` stands for any run of characters, `?` for
// one, and `${key}` for a value of the request. The value of a variable is plain
// text: a wildcard in it stands for itself. Source:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
import { type Effort, type GlobPart, matchesGlob, unlimited, type Wildcard } from './match-glob.ts';

/**
 * Returns all values of a condition key in a request, null when it has none. Keys
 * are spelt as `conditionKey` does.
 */
export type ConditionValues = (key: string) => readonly string[] | null;

export type PatternPart =
  | GlobPart
  | { readonly kind: 'variable'; readonly key: string; readonly fallback: string | null };

export type Pattern = {
  /** The pattern as it was written. */
  readonly source: string;
  readonly parts: readonly PatternPart[];
  readonly hasWildcard: boolean;
  readonly hasVariable: boolean;
};

const ANY: Wildcard = { kind: 'any' };
const ONE: Wildcard = { kind: 'one' };
const NO_VALUES: ConditionValues = () => null;

/** The inside of the braces of `${key}` or `${key, 'fallback'}`. */
const VARIABLE = /^\s*([A-Za-z0-9:/_.+=@-]+)\s*(?:,\s*'([^']*)'\s*)?$/;

/**
 * Parses a pattern; null for a malformed variable. `hasVariables`: whether `${`
 * begins one, as it does in policies of version 2012-10-17.
 */
export function parsePattern(
  source: string,
  options: { hasVariables: boolean; hasWildcards: boolean },
): Pattern | null {
  const parts: PatternPart[] = [];
  let text = '';
  for (const token of tokensOf(source, options)) {
    const part = typeof token === 'string' ? token : partOf(token);
    if (part === null) return null;
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    if (text !== '') parts.push(text);
    text = '';
    parts.push(part);
  }
  if (text !== '') parts.push(text);
  const has = (...kinds: readonly string[]) =>
    parts.some((part) => typeof part !== 'string' && kinds.includes(part.kind));
  return { source, parts, hasWildcard: has('any', 'one'), hasVariable: has('variable') };
}

/** A run of plain text, a wildcard, or what stands in the braces of a variable. */
type PatternToken = GlobPart | { readonly inside: string };

/**
 * Cuts a pattern into tokens in one pass. A `${` that nothing closes is plain text.
 */
function* tokensOf(
  source: string,
  {
    hasVariables,
    hasWildcards,
  }: { readonly hasVariables: boolean; readonly hasWildcards: boolean },
): Generator<PatternToken> {
  const lastBraceAt = source.lastIndexOf('}');
  let plainFrom = 0;
  for (let at = 0; at < source.length; at++) {
    const isVariable = source.startsWith('${', at) && at < lastBraceAt;
    const isWildcard = hasWildcards && (source[at] === '*' || source[at] === '?');
    if (!isVariable && !isWildcard) continue;
    const end = isVariable ? source.indexOf('}', at) : at;
    if (isWildcard || hasVariables) {
      yield source.slice(plainFrom, at);
      yield isVariable ? { inside: source.slice(at + 2, end) } : source[at] === '*' ? ANY : ONE;
      plainFrom = end + 1;
    }
    // Without variables, what looks like one is plain text: wildcards in it are
    // none.
    at = end;
  }
  yield source.slice(plainFrom);
}

/**
 * The part of a token: `${*}`, `${?}` and `${$}` are plain characters. Null:
 * malformed.
 */
function partOf(token: Exclude<PatternToken, string>): PatternPart | null {
  if ('kind' in token) return token;
  const { inside } = token;
  if (inside === '*' || inside === '?' || inside === '$') return inside;
  const [, key, fallback] = VARIABLE.exec(inside) ?? [];
  return key === undefined
    ? null
    : { kind: 'variable', key: conditionKey(key), fallback: fallback ?? null };
}

/**
 * Normalizes a condition key: its name is case-insensitive, a tag's key after the
 * slash is not.
 */
export function conditionKey(text: string): string {
  const slashAt = text.indexOf('/');
  return slashAt === -1
    ? text.toLowerCase()
    : text.slice(0, slashAt).toLowerCase() + text.slice(slashAt);
}

/**
 * The literal prefix of every match: all of it where there is no wildcard or
 * variable.
 */
export function literalPrefix({ parts }: Pattern): string {
  const [first] = parts;
  return typeof first === 'string' ? first : '';
}

/** Whether the pattern is a plain text and then one `*`, or only the `*`. */
export function isPrefixPattern({ parts }: Pattern): boolean {
  const last = parts.at(-1);
  const isOpen = typeof last === 'object' && last.kind === 'any';
  return isOpen && (parts.length === 1 || (parts.length === 2 && typeof parts[0] === 'string'));
}

/**
 * Whether the text matches. A pattern with a variable that has no value, or more
 * than one, matches nothing.
 */
export function matchesPattern(
  pattern: Pattern,
  text: string,
  values: ConditionValues = NO_VALUES,
  effort: Effort = unlimited(),
): boolean {
  if (!pattern.hasWildcard && !pattern.hasVariable) return literalPrefix(pattern) === text;
  // The most frequent pattern: the keys below a prefix.
  if (isPrefixPattern(pattern)) return text.startsWith(literalPrefix(pattern));
  const parts = pattern.hasVariable
    ? resolve(pattern.parts, values)
    : (pattern.parts as readonly GlobPart[]);
  return parts !== null && matchesGlob(parts, text, effort);
}

/** Replaces variables by the values of the request; null when one has none. */
function resolve(
  parts: readonly PatternPart[],
  values: ConditionValues,
): readonly GlobPart[] | null {
  const resolved: GlobPart[] = [];
  for (const part of parts) {
    if (typeof part === 'string' || part.kind !== 'variable') {
      resolved.push(part);
      continue;
    }
    const actual = values(part.key) ?? [];
    if (actual.length > 1) return null;
    const value = actual[0] ?? part.fallback;
    if (value === null) return null;
    resolved.push(value);
  }
  return resolved;
}
