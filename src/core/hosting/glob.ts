// The parser of glob patterns in hosting settings: `*` and `?` stay within a
// folder, `**` does not, `{a,b}` is either. A pattern without a slash means the
// name of a file in any folder. Matching is compile-globs.ts's.

/** Longest pattern, characters. */
export const GLOB_MAX_LENGTH = 256;
/** Alternatives of one pattern: all combinations of its braces together. */
const ALTERNATIVES_MAX = 64;

/** One token of a pattern: a character, or a wildcard. */
export type Token = string | typeof ONE | typeof SOME | typeof ALL | typeof FOLDERS;
/** The token of `?`: one character but a slash. */
export const ONE = 1;
/** The token of `*`: any number of characters but slashes. */
export const SOME = 2;
/** The token of `**`: any number of characters. */
export const ALL = 3;
/** The token of `**` between slashes: nothing, or folders, each with its slash. */
export const FOLDERS = 4;

/** Whether a text is a valid pattern. */
export function isGlob(pattern: string): boolean {
  return alternativesOf(pattern) !== null;
}

/**
 * Parses a pattern to its alternatives, each for paths that begin with a slash;
 * null for an invalid one. Of wildcards that can match nothing only FOLDERS comes
 * right before another, and only once.
 */
export function parseGlob(pattern: string): readonly (readonly Token[])[] | null {
  return alternativesOf(pattern)?.map(tokensOf) ?? null;
}

function alternativesOf(pattern: string): readonly string[] | null {
  return pattern === '' || pattern.length > GLOB_MAX_LENGTH ? null : expandBraces(pattern);
}

/**
 * Expands `a{b,c}` to `ab` and `ac`; null for braces that don't pair, that nest or
 * are too many.
 */
function expandBraces(pattern: string): readonly string[] | null {
  let expanded = [''];
  for (const piece of pattern.split(/(\{[^{}]*\})/)) {
    const isChoice = piece.startsWith('{') && piece.endsWith('}');
    if (!isChoice && /[{}]/.test(piece)) return null;
    const choices = isChoice ? piece.slice(1, -1).split(',') : [piece];
    if (expanded.length * choices.length > ALTERNATIVES_MAX) return null;
    expanded = expanded.flatMap((start) => choices.map((choice) => start + choice));
  }
  return expanded;
}

/** Makes an alternative begin with a slash; a mere name may be in any folder. */
function withFirstSlash(alternative: string): string {
  const isName = !alternative.includes('/');
  if (isName) return `/**/${alternative}`;
  return /^(?:\/|\*\*(?!\/))/.test(alternative) ? alternative : `/${alternative}`;
}

function tokensOf(alternative: string): readonly Token[] {
  const text = withFirstSlash(alternative);
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('**/', at) && text[at - 1] === '/') {
      if (tokens.at(-1) !== FOLDERS) tokens.push(FOLDERS);
      at += 3;
    } else if (text.startsWith('**', at)) {
      tokens.push(ALL);
      while (text[at] === '*') at += 1;
    } else {
      const character = text[at] ?? '';
      tokens.push(character === '*' ? SOME : character === '?' ? ONE : character);
      at += 1;
    }
  }
  return tokens;
}
