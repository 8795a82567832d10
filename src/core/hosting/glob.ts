// Patterns of keys, as hosting settings have them: `*` and `?` stay within a folder, `**` does not,
// `{a,b}` is either. A pattern without a slash means the name of a file in any folder. This reads
// them; compile-globs.ts compares.

/**
 * Longest pattern, characters; and alternatives of one, all combinations of its braces together.
 */
export const GLOB_MAX_LENGTH = 256;
const ALTERNATIVES_MAX = 64;

/** What one place of a pattern takes: a character, or any of a kind. */
export type Token = string | typeof ONE | typeof SOME | typeof ALL | typeof FOLDERS;
/** `?`: one character but a slash. */
export const ONE = 1;
/** `*`: any of these. */
export const SOME = 2;
/** `**`: any characters. */
export const ALL = 3;
/** `**` before a slash, always behind one: nothing, or folders with their slash. */
export const FOLDERS = 4;

/** Whether it is a pattern. */
export function isGlob(pattern: string): boolean {
  return alternativesOf(pattern) !== null;
}

/**
 * The alternatives of a pattern, each for paths that begin with a slash; null for a pattern that is
 * none. Of wildcards that can take nothing only FOLDERS stands right before another, and that once.
 */
export function parseGlob(pattern: string): readonly (readonly Token[])[] | null {
  return alternativesOf(pattern)?.map(tokensOf) ?? null;
}

function alternativesOf(pattern: string): readonly string[] | null {
  return pattern === '' || pattern.length > GLOB_MAX_LENGTH ? null : expandBraces(pattern);
}

/** `a{b,c}` to `ab` and `ac`; null for braces that don't pair, nest, or are too many. */
function expandBraces(pattern: string): readonly string[] | null {
  let made = [''];
  for (const piece of pattern.split(/(\{[^{}]*\})/)) {
    const isChoice = piece.startsWith('{') && piece.endsWith('}');
    if (!isChoice && /[{}]/.test(piece)) return null;
    const choices = isChoice ? piece.slice(1, -1).split(',') : [piece];
    if (made.length * choices.length > ALTERNATIVES_MAX) return null;
    made = made.flatMap((start) => choices.map((choice) => start + choice));
  }
  return made;
}

function tokensOf(alternative: string): readonly Token[] {
  const isName = !alternative.includes('/');
  const text = isName
    ? `/**/${alternative}`
    : /^(?:\/|\*\*(?!\/))/.test(alternative)
      ? alternative
      : `/${alternative}`;
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
