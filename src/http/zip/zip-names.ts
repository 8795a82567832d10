// Names inside an archive. A key may be any text; a name must be a path below the folder it is unpacked in, on every
// system, and no two entries may be in each other's way. Pure.

/** What no file system or reader takes as a part of a name: controls, and the separator of the other kind. */
const UNSAFE = /[\p{Cc}\\]/gu;
const encoder = new TextEncoder();

/** One part of a path: `.` and `..` would lead elsewhere, an empty one is none. */
function safePart(part: string): string {
  if (part === '') return '_';
  return /^\.+$/.test(part) ? part.replaceAll('.', '_') : part.replace(UNSAFE, '_');
}

/**
 * A name for each key, relative to `prefix`, in the same order; null for the marker of the folder itself. A key that
 * ends in a slash and has no bytes is a folder. Where a key is both object and folder (`a` and `a/b`), or two keys end
 * up with one name, the later one gets a number.
 */
export function zipNames(
  objects: readonly { readonly key: string; readonly sizeBytes: number }[],
  prefix: string,
): (Uint8Array | null)[] {
  const paths = objects.map(({ key, sizeBytes }) => relativePath(key.slice(prefix.length), sizeBytes));
  const folders = new Set<string>();
  for (const path of paths) {
    if (path === null) continue;
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  }
  const files = new Set<string>();
  return paths.map((path) => {
    if (path === null) return null;
    if (path.endsWith('/')) return encoder.encode(path);
    const free = freeName(path, (name) => !files.has(name) && !folders.has(name));
    files.add(free);
    return encoder.encode(free);
  });
}

function relativePath(rest: string, sizeBytes: number): string | null {
  const isMarker = (rest === '' || rest.endsWith('/')) && sizeBytes === 0;
  if (rest === '' && isMarker) return null;
  const parts = (isMarker ? rest.slice(0, -1) : rest).toWellFormed().split('/').map(safePart);
  return parts.join('/') + (isMarker ? '/' : '');
}

/** `a.txt`, else `a (2).txt` and so on. */
function freeName(path: string, isFree: (name: string) => boolean): string {
  if (isFree(path)) return path;
  const dotAt = path.lastIndexOf('.');
  const end = dotAt > path.lastIndexOf('/') + 1 ? dotAt : path.length;
  for (let number = 2; ; number++) {
    const name = `${path.slice(0, end)} (${number})${path.slice(end)}`;
    if (isFree(name)) return name;
  }
}
