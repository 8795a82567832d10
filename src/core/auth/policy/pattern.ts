// Patterns of policies: text in which `*` stands for any run of characters, `?` for one, and `${key}` for a value of
// the request. A value that a variable brings is plain text: a wildcard in it stands for itself.
// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html

/** All values of a condition key in a request, null when it has none. Keys are as `conditionKey` makes them. */
export type ConditionValues = (key: string) => readonly string[] | null;

export type PatternPart =
  | string
  | { readonly kind: 'any' | 'one' }
  | { readonly kind: 'variable'; readonly key: string; readonly fallback: string | null };

export type Pattern = {
  /** As it was written. */
  readonly source: string;
  readonly parts: readonly PatternPart[];
  readonly hasWildcard: boolean;
  readonly hasVariable: boolean;
};

const ANY: PatternPart = { kind: 'any' };
const ONE: PatternPart = { kind: 'one' };
const NO_VALUES: ConditionValues = () => null;

/** `${*}`, `${?}` and `${$}` are the characters themselves; `${key, 'fallback'}` has a value for when there is none. */
const TOKEN = /\$\{([^}]*)\}|[*?]/g;
const VARIABLE = /^\s*([A-Za-z0-9:/_.+=@-]+)\s*(?:,\s*'([^']*)'\s*)?$/;

/**
 * Reads a pattern. `hasVariables`: whether `${` begins one, as it does in policies of 2012. Returns null for a
 * variable that is none.
 */
export function parsePattern(
  source: string,
  options: { hasVariables: boolean; hasWildcards: boolean },
): Pattern | null {
  const parts: PatternPart[] = [];
  let text = '';
  let at = 0;
  const flush = () => {
    if (text !== '') parts.push(text);
    text = '';
  };
  for (const match of source.matchAll(TOKEN)) {
    const [token, variable] = match;
    text += source.slice(at, match.index);
    at = match.index + token.length;
    if (variable === undefined ? !options.hasWildcards : !options.hasVariables) {
      text += token;
    } else if (variable === undefined) {
      flush();
      parts.push(token === '*' ? ANY : ONE);
    } else if (variable === '*' || variable === '?' || variable === '$') {
      text += variable;
    } else {
      const [, key, fallback] = VARIABLE.exec(variable) ?? [];
      if (key === undefined) return null;
      flush();
      parts.push({ kind: 'variable', key: conditionKey(key), fallback: fallback ?? null });
    }
  }
  text += source.slice(at);
  flush();
  const has = (...kinds: readonly string[]) =>
    parts.some((part) => typeof part !== 'string' && kinds.includes(part.kind));
  return { source, parts, hasWildcard: has('any', 'one'), hasVariable: has('variable') };
}

/** The one spelling of a condition key: its name counts without regard to case, a tag's key after the slash does not. */
export function conditionKey(text: string): string {
  const slashAt = text.indexOf('/');
  return slashAt === -1 ? text.toLowerCase() : text.slice(0, slashAt).toLowerCase() + text.slice(slashAt);
}

/** The text with which every match begins: all of it where there is neither wildcard nor variable. */
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
 * Whether the text matches. A variable without a value, or with more than one, makes the pattern match nothing.
 * Cost: proportional to the text, times the wildcards in the worst case.
 */
export function matchesPattern(pattern: Pattern, text: string, values: ConditionValues = NO_VALUES): boolean {
  if (!pattern.hasWildcard && !pattern.hasVariable) return literalPrefix(pattern) === text;
  const parts = pattern.hasVariable ? resolve(pattern.parts, values) : (pattern.parts as readonly FixedPart[]);
  return parts !== null && glob(parts, text);
}

type FixedPart = Exclude<PatternPart, { readonly kind: 'variable' }>;

/** With the values of the request in the places of the variables; null when one has none. */
function resolve(parts: readonly PatternPart[], values: ConditionValues): readonly FixedPart[] | null {
  const resolved: FixedPart[] = [];
  for (const part of parts) {
    if (typeof part === 'string' || part.kind !== 'variable') {
      resolved.push(part);
      continue;
    }
    const found = values(part.key);
    const value = found === null || found.length === 0 ? part.fallback : found.length === 1 ? found[0] : null;
    if (value === null || value === undefined) return null;
    resolved.push(value);
  }
  return resolved;
}

/** Goes back to the last `*` only: an earlier one can't do what a later one could not. */
function glob(parts: readonly FixedPart[], text: string): boolean {
  let partAt = 0;
  let textAt = 0;
  let retryPart = -1;
  let retryText = 0;
  for (;;) {
    const part = parts[partAt];
    if (part === undefined) {
      if (textAt === text.length) return true;
    } else if (typeof part !== 'string' && part.kind === 'any') {
      if (partAt === parts.length - 1) return true;
      retryPart = ++partAt;
      retryText = textAt;
      continue;
    } else {
      const lengthOfMatch = typeof part === 'string' ? matchLength(part, text, textAt) : lengthOfOne(text, textAt);
      if (lengthOfMatch >= 0) {
        textAt += lengthOfMatch;
        partAt++;
        continue;
      }
    }
    if (retryPart === -1 || retryText >= text.length) return false;
    partAt = retryPart;
    textAt = ++retryText;
  }
}

function matchLength(part: string, text: string, at: number): number {
  return text.startsWith(part, at) ? part.length : -1;
}

/** UTF-16 units of the character there; -1 at the end. */
function lengthOfOne(text: string, at: number): number {
  const code = text.codePointAt(at);
  return code === undefined ? -1 : code > 0xffff ? 2 : 1;
}
