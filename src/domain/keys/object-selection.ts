// A selection: objects of one bucket that somebody has chosen to download together.
// The JSON API makes it, the index keeps it for minutes, and the ZIP is made of it.

/**
 * Objects by their keys, and all below prefixes; each begins with `base`, behind
 * which names in the archive begin. `base` is '' or ends in a slash.
 */
export type ObjectSelection = {
  readonly base: string;
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
};
