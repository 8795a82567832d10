// Patterns that give many objects other file names: find and replace, case, what
// stands before and after, a counter. Pure, and linear in the length of a name: a
// pattern has plain text and at most nine `*`, no regular expression.

export type NameCase = 'lower' | 'upper' | 'title';

/** Numbers names in the order of the job. */
export type NameCounter = {
  readonly start: number;
  readonly step: number;
  /** Digits at least: zeros stand before. */
  readonly width: number;
  readonly at: 'start' | 'end';
  /** What stands between number and name. */
  readonly separator: string;
};

/** The steps of a pattern, done in this order; null or '': that one is not. */
export type NamePattern = {
  /**
   * Plain text is replaced wherever it stands. With a `*` it must fit the whole name;
   * each `*` is any text, which `$1` to `$9` of `replace` stand for.
   */
  readonly find: string | null;
  readonly replace: string;
  readonly case: NameCase | null;
  readonly prefix: string;
  /** Stands before the extension. */
  readonly suffix: string;
  readonly counter: NameCounter | null;
};

/** Longest name, UTF-16 units: a key has 1,024 bytes. */
const NAME_MAX_LENGTH = 1024;
/** Wildcards of a pattern: `$1` to `$9`. */
export const WILDCARDS_MAX = 9;

/**
 * Renames a key: its file name, which is what stands behind the last slash. A key
 * that ends with a slash has none, and stays. `position` counts from 0. Null: the new
 * name is longer than a key can be.
 */
export function renameKey(pattern: NamePattern, key: string, position: number): string | null {
  const nameAt = key.lastIndexOf('/') + 1;
  const name = key.slice(nameAt);
  if (name === '') return key;

  const replaced = replaceIn(pattern, name);
  if (replaced === null) return null;
  const dotAt = replaced.lastIndexOf('.');
  // A dot that begins the name begins no extension.
  const stemEnd = dotAt > 0 ? dotAt : replaced.length;
  const stem = inCase(pattern.case, replaced.slice(0, stemEnd));
  const whole = `${pattern.prefix}${stem}${pattern.suffix}`;
  const numbered = withNumber(pattern.counter, whole, position);
  return key.slice(0, nameAt) + numbered + replaced.slice(stemEnd);
}

function replaceIn({ find, replace }: NamePattern, name: string): string | null {
  if (find === null || find === '') return name;
  if (!find.includes('*')) return joinShort(name.split(find), replace);

  const captures = captureWildcards(find, name);
  if (captures === null) return name;
  const texts = replace.split('$').map((text, i) => {
    const capture = i === 0 ? undefined : captures[Number(text.charAt(0)) - 1];
    if (i === 0) return text;
    return capture === undefined ? `$${text}` : capture + text.slice(1);
  });
  return joinShort(texts, '');
}

/** Joins texts; null, before anything is joined, when that is longer than a name. */
function joinShort(texts: readonly string[], separator: string): string | null {
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
  return length - separator.length > NAME_MAX_LENGTH ? null : texts.join(separator);
}

/**
 * What each `*` of a pattern stands for in a name; null: it does not fit. Each takes
 * as little as it can, the last one the rest: if any way fits, this one does.
 */
function captureWildcards(find: string, name: string): readonly string[] | null {
  const [first = '', ...others] = find.split('*');
  const last = others.pop() ?? '';
  const end = name.length - last.length;
  if (!name.startsWith(first) || !name.endsWith(last) || end < first.length) return null;

  const captures: string[] = [];
  let at = first.length;
  for (const text of others) {
    const textAt = name.indexOf(text, at);
    if (textAt === -1 || textAt + text.length > end) return null;
    captures.push(name.slice(at, textAt));
    at = textAt + text.length;
  }
  return [...captures, name.slice(at, end)];
}

function inCase(to: NameCase | null, text: string): string {
  if (to === 'lower') return text.toLowerCase();
  if (to === 'upper') return text.toUpperCase();
  return to === 'title' ? toTitle(text) : text;
}

/** Begins each word with a capital; words end at anything but letters and digits. */
function toTitle(text: string): string {
  let isInside = false;
  return [...text.toLowerCase()]
    .map((character) => {
      const isWord = character.toUpperCase() !== character || isDigit(character);
      const shown = isWord && !isInside ? character.toUpperCase() : character;
      isInside = isWord || (isInside && character === "'");
      return shown;
    })
    .join('');
}

const isDigit = (character: string): boolean => character >= '0' && character <= '9';

function withNumber(counter: NameCounter | null, name: string, position: number): string {
  if (counter === null) return name;
  const { start, step, width, at, separator } = counter;
  const number = `${start + step * position}`.padStart(width, '0');
  return at === 'start' ? `${number}${separator}${name}` : `${name}${separator}${number}`;
}
