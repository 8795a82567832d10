// What is selected in a folder, as dialogs that change something take it.

/** An object, or a folder with all below it. */
export type SelectedRow = {
  /** The whole key; of a folder its prefix with the slash. */
  readonly key: string;
  readonly isFolder: boolean;
  /** Bytes of the object, or of all below; null: not known yet. */
  readonly bytes: number | null;
  /** Objects below a folder; 1 of an object; null: not known yet. */
  readonly objects: number | null;
};

export type Selection = {
  readonly bucket: string;
  /** The folder that is shown: `2026/`, or empty. */
  readonly prefix: string;
  readonly rows: readonly SelectedRow[];
  /** Everything below the prefix, loaded or not: rows is then empty. */
  readonly isAll: boolean;
};

/** The keys and prefixes of a selection, as the API's jobs take them. */
export function targetsOf({ rows, isAll, prefix }: Selection): {
  keys: string[];
  prefixes: string[];
} {
  if (isAll) return { keys: [], prefixes: [prefix] };
  const keys = rows.filter(({ isFolder }) => !isFolder).map(({ key }) => key);
  const prefixes = rows.filter(({ isFolder }) => isFolder).map(({ key }) => key);
  return { keys, prefixes };
}

/** The last part of a key: `b.txt` of `a/b.txt`, `a/` of `a/`. */
export function nameOf(key: string): string {
  const end = key.endsWith('/') ? key.length - 1 : key.length;
  return key.slice(key.lastIndexOf('/', end - 1) + 1);
}
