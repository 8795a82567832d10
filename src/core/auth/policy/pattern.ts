// Patterns of policies: text in which `*` stands for any run of characters, `?` for one, and
// `${key}` for a value of the request. A value that a variable brings is plain text: a wildcard in
// it stands for itself. Source:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
import { type Effort, type GlobPart, matchesGlob, unlimited, type Wildcard } from './match-glob.ts';

/**
 * All values of a condition key in a request, null when it has none. Keys are as `conditionKey`
 * makes them.
 */
export type ConditionValues = (key: string) => readonly string[] | null;

export type PatternPart =
  | GlobPart
  | { readonly kind: 'variable'; readonly key: string; readonly fallback: string | null };

export type Pattern = {
  /** As it was written. */
  readonly source: string;
  readonly parts: readonly PatternPart[];
  readonly hasWildcard: boolean;
  readonly hasVariable: boolean;
};

const ANY: Wildcard = { kind: 'any' };
const ONE: Wildcard = { kind: 'one' };
const NO_VALUES: ConditionValues = () => null;

/** What stands in the braces of `${key}` or `${key, 'fallback'}`. */
const VARIABLE = /^\s*([A-Za-z0-9:/_.+=@-]+)\s*(?:,\s*'([^']*)'\s*)?$/;

/**
 * Reads a pattern. `hasVariables`: whether `${` begins one, as it does in policies of 2012. Returns
 * null for a variable that is none.
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

/** Looks at each character once. A `${` that nothing closes is plain text. */
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
    // Without variables, what looks like one is plain text all the same: wildcards in it are none.
    at = end;
  }
  yield source.slice(plainFrom);
}

/** `${*}`, `${?}` and `${$}` are the characters themselves. Null for a variable that is none. */
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
 * The one spelling of a condition key: its name counts without regard to case, a tag's key after
 * the slash does not.
 */
export function conditionKey(text: string): string {
  const slashAt = text.indexOf('/');
  return slashAt === -1
    ? text.toLowerCase()
    : text.slice(0, slashAt).toLowerCase() + text.slice(slashAt);
}

/**
 * The text with which every match begins: all of it where there is neither wildcard nor variable.
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
 * Whether the text matches. A variable without a value, or with more than one, makes the pattern
 * match nothing.
 */
export function matchesPattern(
  pattern: Pattern,
  text: string,
  values: ConditionValues = NO_VALUES,
  effort: Effort = unlimited(),
): boolean {
  if (!pattern.hasWildcard && !pattern.hasVariable) return literalPrefix(pattern) === text;
  // Most of all: the keys below a prefix.
  if (isPrefixPattern(pattern)) return text.startsWith(literalPrefix(pattern));
  const parts = pattern.hasVariable
    ? resolve(pattern.parts, values)
    : (pattern.parts as readonly GlobPart[]);
  return parts !== null && matchesGlob(parts, text, effort);
}

/** With the values of the request in the places of the variables; null when one has none. */
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
    const found = values(part.key);
    const value =
      found === null || found.length === 0 ? part.fallback : found.length === 1 ? found[0] : null;
    if (value === null || value === undefined) return null;
    resolved.push(value);
  }
  return resolved;
}
