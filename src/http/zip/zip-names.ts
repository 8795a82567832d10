// Names inside an archive. A key may be any text; a name must be a path below the
// folder it is unpacked in, on every system, and no two entries may have one name.
// Pure.

/**
 * What some system takes for something else than a part of a name: controls, the
 * separator of the other kind, a drive or a stream, wildcards. Source:
 * https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
 */
const UNSAFE = /[\p{Cc}\\:"<>|?*]/gu;
/** Devices, whatever ending they have. Source: as above. */
const DEVICE =
  /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?= *(?:\.|$))/i;
const DEVICE_MIN_LENGTH = 3;
const encoder = new TextEncoder();

/**
 * One part of a path; an empty one is none. Windows cuts off dots and blanks at the
 * end, so that `.. ` is `..` there; alone, dots lead elsewhere on every system.
 */
function safePart(part: string): string {
  if (part === '') return '_';
  let end = part.length;
  // No expression for it: one would look at each run of dots again from each of its
  // dots.
  while (end > 0 && (part[end - 1] === '.' || part[end - 1] === ' ')) end -= 1;
  const safe = end === part.length ? part : part.slice(0, end) + '_'.repeat(part.length - end);
  return safe.length >= DEVICE_MIN_LENGTH && DEVICE.test(safe) ? `_${safe}` : safe;
}

/**
 * A name for each key, relative to `prefix`, in the same order; null for the marker
 * of the folder itself. A key that ends in a slash and has no bytes is a folder.
 * Where a key is both object and folder (`a` and `a/b`), or two keys end up with
 * one name, the later one gets a number. Cost: 10 µs a key.
 */
export function zipNames(
  objects: readonly { readonly key: string; readonly sizeBytes: number }[],
  prefix: string,
): (Uint8Array | null)[] {
  const paths = objects.map(({ key, sizeBytes }) =>
    relativePath(key.slice(prefix.length), sizeBytes),
  );
  const isFolder = createFolderFinder(paths.filter((path) => path !== null));
  const files = new Set<string>();
  /**
   * The next number to try of each name that is taken: it never begins anew, or
   * many equal names would take for ever.
   */
  const nexts = new Map<string, number>();
  const isFree = (name: string) => !files.has(name) && !isFolder(name);
  return paths.map((path) => {
    if (path === null) return null;
    if (path.endsWith('/')) return encoder.encode(path);
    const free = isFree(path) ? path : numberedName(path, nexts, isFree);
    files.add(free);
    return encoder.encode(free);
  });
}

/**
 * Tells whether something is below a name. Not by a set of all folders: one key may
 * be in 500 of its own.
 */
function createFolderFinder(paths: readonly string[]): (name: string) => boolean {
  const sorted = paths.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return (name) => {
    const folder = `${name}/`;
    let from = 0;
    let to = sorted.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((sorted[middle] ?? '') < folder) from = middle + 1;
      else to = middle;
    }
    return sorted[from]?.startsWith(folder) ?? false;
  };
}

function relativePath(rest: string, sizeBytes: number): string | null {
  const isMarker = (rest === '' || rest.endsWith('/')) && sizeBytes === 0;
  if (rest === '' && isMarker) return null;
  const parts = (isMarker ? rest.slice(0, -1) : rest)
    .toWellFormed()
    .replace(UNSAFE, '_')
    .split('/')
    .map(safePart);
  return parts.join('/') + (isMarker ? '/' : '');
}

/** `a (2).txt` for `a.txt`, and so on. */
function numberedName(
  path: string,
  nexts: Map<string, number>,
  isFree: (name: string) => boolean,
): string {
  const dotAt = path.lastIndexOf('.');
  const end = dotAt > path.lastIndexOf('/') + 1 ? dotAt : path.length;
  for (let number = nexts.get(path) ?? 2; ; number++) {
    const name = `${path.slice(0, end)} (${number})${path.slice(end)}`;
    if (!isFree(name)) continue;
    nexts.set(path, number + 1);
    return name;
  }
}
