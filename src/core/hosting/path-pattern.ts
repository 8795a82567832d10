// Patterns of paths in `_redirects` and `_headers`: `*` matches any run of
// characters, once in a pattern, and `:name` matches (part of) one folder's name. A
// path is read folder by folder, from its start to the star and from its end back
// to it. So matching never backtracks, and takes linear time. It gives the captures,
// which the globs of glob.ts have none of. Called by the parsers of rule files.

/** The captured texts of a match, by name; the star's is `splat`. */
export type Captures = Readonly<Record<string, string>>;

/** A parsed pattern. */
export type PathPattern = {
  /**
   * The one path of a pattern without star and placeholder, without a slash at its
   * end.
   */
  readonly literal: string | null;
  readonly hasStar: boolean;
  /**
   * Matches a path, decoded and with its first slash; null when it does not match.
   */
  match(path: string): Captures | null;
};

/** Placeholders of one pattern. */
const PLACEHOLDERS_MAX = 10;
const PLACEHOLDER = /:([A-Za-z]\w*)/g;
const SPLAT = 'splat';
const NOTHING: Captures = {};

/**
 * A folder of a pattern: `before`, then the placeholder called `name` if any, then
 * `after`.
 */
type Folder = { readonly before: string; readonly name: string | null; readonly after: string };

/**
 * The star's part of a pattern: the texts around it in its folder, and the folders
 * behind.
 */
type Rest = {
  readonly before: string;
  readonly after: string;
  readonly folders: readonly Folder[];
};

type MutableCaptures = Record<string, string>;

/** Parses a pattern; a text says why it is none. */
export function parsePathPattern(text: string): PathPattern | string {
  if (!text.startsWith('/')) return 'a path must begin with a slash';
  const decoded = decodeLeniently(text);
  const stars = decoded.split('*').length - 1;
  if (stars > 1) return 'a path can have one * only';
  const perFolder = decoded
    .split('/')
    .map((folder) => [folder.includes('*'), namesIn(folder).length] as const);
  if (perFolder.some(([, names]) => names > 1))
    return 'a folder of a path can have one placeholder only';
  if (perFolder.some(([hasStar, names]) => hasStar && names > 0)) {
    return 'a folder of a path can have a * or a placeholder, not both';
  }

  const names = namesIn(decoded);
  if (names.length > PLACEHOLDERS_MAX)
    return `a path can have ${PLACEHOLDERS_MAX} placeholders only`;
  if (new Set(names).size < names.length || names.includes(SPLAT))
    return 'each placeholder needs a name of its own';
  if (stars === 0 && names.length === 0) {
    const literal = withoutLastSlash(decoded);
    const match = (path: string) => (withoutLastSlash(path) === literal ? NOTHING : null);
    return { literal, hasStar: false, match };
  }

  // A quick check: most paths belong to another pattern, and differ at the start.
  const start = /^[^*:]*/.exec(withoutLastStar(decoded))?.[0] ?? '';
  const match = matcherOf(decoded);
  return {
    literal: null,
    hasStar: stars === 1,
    match: (path: string) => (path.startsWith(start) ? match(path) : null),
  };
}

/** Lists the names of the placeholders in a text. */
function namesIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '');
}

/**
 * Removes the slash at the end of a path, which means the same without; the root
 * stays.
 */
export function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Removes a star that is the last folder: `/blog/*` matches `/blog` too. */
function withoutLastStar(pattern: string): string {
  return pattern.endsWith('/*') ? pattern.slice(0, -2) : withoutLastSlash(pattern);
}

/** Makes the matcher of a pattern with a star or placeholders. */
function matcherOf(pattern: string): (path: string) => Captures | null {
  const [left = '', right] = withoutLastStar(pattern).split('*');
  const folders = left.split('/').slice(1);
  if (pattern.endsWith('/*')) {
    const whole = folders.map(folderOf);
    return (path) => {
      const captures: MutableCaptures = {};
      const at = takeFolders(whole, path, captures);
      return at === -1 ? null : { ...captures, [SPLAT]: path.slice(at + 1) };
    };
  }

  const before = right === undefined ? '' : (folders.pop() ?? '');
  const whole = folders.map(folderOf);
  const [after = '', ...behind] = right === undefined ? [] : right.split('/');
  const rest = right === undefined ? null : { before, after, folders: behind.map(folderOf) };
  const match = (path: string): Captures | null => {
    const captures: MutableCaptures = {};
    const at = takeFolders(whole, path, captures);
    if (at === -1) return null;
    const isMatch = rest === null ? at === path.length : takeRest(rest, path, at, captures);
    return isMatch ? captures : null;
  };
  return (path) =>
    match(path) ?? (path.endsWith('/') && path.length > 1 ? match(path.slice(0, -1)) : null);
}

function folderOf(text: string): Folder {
  const [whole, name = null] = /:([A-Za-z]\w*)/.exec(text) ?? [];
  if (whole === undefined) return { before: text, name: null, after: '' };
  const at = text.indexOf(whole);
  return { before: text.slice(0, at), name, after: text.slice(at + whole.length) };
}

/** Matches the folders at the start of a path; the offset where they end, or -1. */
function takeFolders(folders: readonly Folder[], path: string, captures: MutableCaptures): number {
  let at = 0;
  for (const folder of folders) {
    if (path[at] !== '/') return -1;
    const slashAt = path.indexOf('/', at + 1);
    const end = slashAt === -1 ? path.length : slashAt;
    if (!takeFolder(folder, path.slice(at + 1, end), captures)) return -1;
    at = end;
  }
  return at;
}

/** Matches one folder's name, and captures what its placeholder matches. */
function takeFolder(
  { before, name, after }: Folder,
  text: string,
  captures: MutableCaptures,
): boolean {
  if (name === null) return text === before;
  const isMatch =
    text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after);
  if (!isMatch) return false;
  captures[name] = text.slice(before.length, text.length - after.length);
  return true;
}

/**
 * Matches the path behind `at`: whole folders from its end, and the star with what
 * is left.
 */
function takeRest(
  { before, after, folders }: Rest,
  path: string,
  at: number,
  captures: MutableCaptures,
): boolean {
  if (!path.startsWith(`/${before}`, at)) return false;
  const start = at + 1 + before.length;
  let end = path.length;
  for (const folder of folders.toReversed()) {
    const slashAt = path.lastIndexOf('/', end - 1);
    if (slashAt < start) return false;
    if (!takeFolder(folder, path.slice(slashAt + 1, end), captures)) return false;
    end = slashAt;
  }
  const splatEnd = end - after.length;
  if (splatEnd < start || !path.startsWith(after, splatEnd)) return false;
  captures[SPLAT] = path.slice(start, splatEnd);
  return true;
}

/**
 * Decodes a path that an owner wrote, percent-encoded as in a browser or plain;
 * what is no valid encoding stays as it is.
 */
export function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Fills the captured texts into a template in place of `:name`; a name that was not
 * captured stays as it is.
 */
export function fillTemplate(
  template: string,
  captures: Captures,
  encode: (text: string) => string,
): string {
  return template.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(captures, name) ? encode(captures[name] ?? '') : whole,
  );
}
