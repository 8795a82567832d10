// Patterns of paths as `_redirects` and `_headers` have them: `*` takes any run of characters, once in a pattern, and
// `:name` takes (part of) one folder's name. Every match takes time in proportion to the path, or its square at worst.

/** What a pattern took, by name; the star's is `splat`. */
export type Captures = Readonly<Record<string, string>>;

export type PathPattern = {
  /** Without a star or a placeholder: it means this one path, with or without a slash at its end. */
  readonly literal: string | null;
  readonly hasStar: boolean;
  readonly names: readonly string[];
  /** Null when the path, decoded and with its first slash, is another. */
  match(path: string): Captures | null;
};

/** Placeholders of one pattern. */
const PLACEHOLDERS_MAX = 10;
const PLACEHOLDER = /:([A-Za-z]\w*)/g;
const SPLAT = 'splat';
const NOTHING: Captures = {};

/** The pattern, or why it is none. */
export function parsePathPattern(text: string): PathPattern | string {
  if (!text.startsWith('/')) return 'a path must begin with a slash';
  const decoded = decodeLeniently(text);
  const stars = decoded.split('*').length - 1;
  if (stars > 1) return 'a path can have one * only';
  if (decoded.split('/').some((folder) => (folder.match(PLACEHOLDER) ?? []).length > 1)) {
    return 'a folder of a path can have one placeholder only';
  }
  const found = [...decoded.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '');
  if (found.length > PLACEHOLDERS_MAX) return `a path can have ${PLACEHOLDERS_MAX} placeholders only`;
  if (new Set(found).size < found.length || found.includes(SPLAT)) return 'each placeholder needs a name of its own';
  if (stars === 0 && found.length === 0) {
    const literal = withoutLastSlash(decoded);
    const match = (path: string) => (withoutLastSlash(path) === literal ? NOTHING : null);
    return { literal, hasStar: false, names: [], match };
  }
  const names: string[] = [];
  const expression = new RegExp(`^${sourceOf(decoded, names)}$`, 's');
  return {
    literal: null,
    hasStar: stars === 1,
    names,
    match(path: string) {
      const groups = expression.exec(path);
      return groups === null ? null : Object.fromEntries(names.map((name, i) => [name, groups[i + 1] ?? '']));
    },
  };
}

/** `/a/` means what `/a` means, but the root is the root. */
export function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function sourceOf(pattern: string, names: string[]): string {
  // `/blog/*` means `/blog` too.
  const isFolder = pattern.endsWith('/*');
  const body = isFolder ? pattern.slice(0, -2) : withoutLastSlash(pattern);
  let source = '';
  let at = 0;
  for (const { 0: sign, 1: name, index } of body.matchAll(/\*|:([A-Za-z]\w*)/g)) {
    source += literally(body.slice(at, index));
    names.push(name ?? SPLAT);
    source += name === undefined ? '(.*)' : '([^/]+)';
    at = index + sign.length;
  }
  source += literally(body.slice(at));
  if (!isFolder) return `${source}/?`;
  names.push(SPLAT);
  return `${source}(?:/(.*))?`;
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Owners write paths as they stand in a browser or as they are; what is no percent-encoding means itself. */
export function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A text with what was captured in the place of `:name`; a name that the pattern has not stays as it stands. */
export function fillTemplate(template: string, captures: Captures, encode: (text: string) => string): string {
  return template.replace(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(captures, name) ? encode(captures[name] ?? '') : whole,
  );
}
