// Patterns of keys, as hosting settings have them: `*` and `?` stay within a folder, `**` does not, `{a,b}` is either.
// A pattern without a slash means the name of a file in any folder. Matching takes time in proportion to pattern and
// key, whatever they are: strangers choose keys to ask for, and owners patterns.

/** Longest pattern, characters; and alternatives of one, all combinations of its braces together. */
export const GLOB_MAX_LENGTH = 256;
const ALTERNATIVES_MAX = 64;

export type Glob = (path: string) => boolean;

/** What one place of a pattern takes: a character, or any of a kind. */
type Token = string | typeof ONE | typeof SOME | typeof ALL | typeof FOLDERS;
/** `?`: one character but a slash. */
const ONE = 1;
/** `*`: any of these. */
const SOME = 2;
/** `**`: any characters. */
const ALL = 3;
/** `**` before a slash: nothing, or folders with their slash. */
const FOLDERS = 4;

/** Makes a matcher of paths that begin with a slash; null for a pattern that is none. */
export function compileGlob(pattern: string): Glob | null {
  if (pattern === '' || pattern.length > GLOB_MAX_LENGTH) return null;
  const alternatives = expandBraces(pattern);
  if (alternatives === null) return null;
  const lists = alternatives.map(tokensOf);
  return (path) => lists.some((tokens) => matches(tokens, path));
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
  const text = isName ? `/**/${alternative}` : /^(?:\/|\*\*)/.test(alternative) ? alternative : `/${alternative}`;
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('**/', at) && (at === 0 || text[at - 1] === '/')) {
      tokens.push(FOLDERS);
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

/** All places of the pattern that the path can have reached, one character at a time. */
function matches(tokens: readonly Token[], path: string): boolean {
  // A pattern that begins with `**/` matches from the first folder on.
  if (tokens[0] === FOLDERS && path.startsWith('/')) return matches(['/', ...tokens], path);
  let reached = new Uint8Array(tokens.length + 1);
  let next = new Uint8Array(tokens.length + 1);
  const enter = (places: Uint8Array, start: number) => {
    for (let place = start; places[place] === 0; place++) {
      places[place] = 1;
      const token = tokens[place];
      if (token !== SOME && token !== ALL && token !== FOLDERS) return;
    }
  };
  enter(reached, 0);
  for (let at = 0; at < path.length; at++) {
    const character = path[at] ?? '';
    const isSlash = character === '/';
    next.fill(0);
    for (let place = 0; place < tokens.length; place++) {
      if (reached[place] === 0) continue;
      const token = tokens[place];
      if (token === ALL || (token === SOME && !isSlash)) enter(next, place);
      else if (token === FOLDERS) {
        // Out of it again only behind a slash.
        if (isSlash) enter(next, place);
        else next[place] = 1;
      } else if (token === character || (token === ONE && !isSlash)) enter(next, place + 1);
    }
    [reached, next] = [next, reached];
  }
  return reached[tokens.length] === 1;
}
