// Patterns of paths as `_redirects` and `_headers` have them: `*` takes any run of characters, once
// in a pattern, and `:name` takes (part of) one folder's name. A path is read folder by folder,
// from its start to the star and from its end back to it, so nothing is ever tried twice: a match
// takes time in proportion to the path.

/** What a pattern took, by name; the star's is `splat`. */
export type Captures = Readonly<Record<string, string>>;

export type PathPattern = {
  /**
   * Without a star or a placeholder: it means this one path, with or without a slash at its end.
   */
  readonly literal: string | null;
  readonly hasStar: boolean;
  /** Null when the path, decoded and with its first slash, is another. */
  match(path: string): Captures | null;
};

/** Placeholders of one pattern. */
const PLACEHOLDERS_MAX = 10;
const PLACEHOLDER = /:([A-Za-z]\w*)/g;
const SPLAT = 'splat';
const NOTHING: Captures = {};

/**
 * The name of one folder: `before`, and where there is a placeholder what it takes, and `after`.
 */
type Folder = { readonly before: string; readonly name: string | null; readonly after: string };

/**
 * The star's part of a pattern: from a slash on, what stands around it in its folder, and whole
 * folders behind.
 */
type Rest = {
  readonly before: string;
  readonly after: string;
  readonly folders: readonly Folder[];
};

type Taken = Record<string, string>;

/** The pattern, or why it is none. */
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
  const found = namesIn(decoded);
  if (found.length > PLACEHOLDERS_MAX)
    return `a path can have ${PLACEHOLDERS_MAX} placeholders only`;
  if (new Set(found).size < found.length || found.includes(SPLAT))
    return 'each placeholder needs a name of its own';
  if (stars === 0 && found.length === 0) {
    const literal = withoutLastSlash(decoded);
    const match = (path: string) => (withoutLastSlash(path) === literal ? NOTHING : null);
    return { literal, hasStar: false, match };
  }
  // Most paths are another pattern's, and differ at once.
  const start = /^[^*:]*/.exec(withoutLastStar(decoded))?.[0] ?? '';
  const take = matcherOf(decoded);
  return {
    literal: null,
    hasStar: stars === 1,
    match: (path: string) => (path.startsWith(start) ? take(path) : null),
  };
}

function namesIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '');
}

/** `/a/` means what `/a` means, but the root is the root. */
export function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** `/blog/*` means `/blog` too. */
function withoutLastStar(pattern: string): string {
  return pattern.endsWith('/*') ? pattern.slice(0, -2) : withoutLastSlash(pattern);
}

function matcherOf(pattern: string): (path: string) => Captures | null {
  const [left = '', right] = withoutLastStar(pattern).split('*');
  const folders = left.split('/').slice(1);
  if (pattern.endsWith('/*')) {
    const whole = folders.map(folderOf);
    return (path) => {
      const taken: Taken = {};
      const at = takeFolders(whole, path, taken);
      return at === -1 ? null : { ...taken, [SPLAT]: path.slice(at + 1) };
    };
  }
  const before = right === undefined ? '' : (folders.pop() ?? '');
  const whole = folders.map(folderOf);
  const [after = '', ...behind] = right === undefined ? [] : right.split('/');
  const rest = right === undefined ? null : { before, after, folders: behind.map(folderOf) };
  const take = (path: string): Captures | null => {
    const taken: Taken = {};
    const at = takeFolders(whole, path, taken);
    if (at === -1) return null;
    return (rest === null ? at === path.length : takeRest(rest, path, at, taken)) ? taken : null;
  };
  return (path) =>
    take(path) ?? (path.endsWith('/') && path.length > 1 ? take(path.slice(0, -1)) : null);
}

function folderOf(text: string): Folder {
  const [whole, name = null] = /:([A-Za-z]\w*)/.exec(text) ?? [];
  if (whole === undefined) return { before: text, name: null, after: '' };
  const at = text.indexOf(whole);
  return { before: text.slice(0, at), name, after: text.slice(at + whole.length) };
}

/** Where the folders end that the path begins with; -1: it begins with others. */
function takeFolders(folders: readonly Folder[], path: string, taken: Taken): number {
  let at = 0;
  for (const folder of folders) {
    if (path[at] !== '/') return -1;
    const slashAt = path.indexOf('/', at + 1);
    const end = slashAt === -1 ? path.length : slashAt;
    if (!takeFolder(folder, path.slice(at + 1, end), taken)) return -1;
    at = end;
  }
  return at;
}

function takeFolder({ before, name, after }: Folder, text: string, taken: Taken): boolean {
  if (name === null) return text === before;
  if (
    text.length <= before.length + after.length ||
    !text.startsWith(before) ||
    !text.endsWith(after)
  )
    return false;
  taken[name] = text.slice(before.length, text.length - after.length);
  return true;
}

/** Takes what is behind `at`: whole folders from the end, and the star what is left. */
function takeRest(
  { before, after, folders }: Rest,
  path: string,
  at: number,
  taken: Taken,
): boolean {
  if (!path.startsWith(`/${before}`, at)) return false;
  const start = at + 1 + before.length;
  let end = path.length;
  for (const folder of folders.toReversed()) {
    const slashAt = path.lastIndexOf('/', end - 1);
    if (slashAt < start || !takeFolder(folder, path.slice(slashAt + 1, end), taken)) return false;
    end = slashAt;
  }
  const splatEnd = end - after.length;
  if (splatEnd < start || !path.startsWith(after, splatEnd)) return false;
  taken[SPLAT] = path.slice(start, splatEnd);
  return true;
}

/**
 * Owners write paths as they stand in a browser or as they are; what is no percent-encoding means
 * itself.
 */
export function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A text with what was captured in the place of `:name`; a name that the pattern has not stays as
 * it stands.
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
