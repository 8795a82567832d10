// Where the header lines stand of the request that the recogniser is looking at.
// Made once for a recogniser, and used again for each request. Called by
// recognise.ts.

/**
 * recognise.ts refuses longer lists. node:http drops headers beyond its 2,000th;
 * far below it none can hide.
 */
export const HEADERS_MAX = 100;

export type HeaderLines = {
  /** Begins anew with the lines of a request. */
  begin(chunk: Buffer): void;
  /**
   * Notes a line: indexes of its name and of its value, which may end in blanks.
   */
  add(nameAt: number, nameEnd: number, valueAt: number, valueEnd: number): void;
  /**
   * Value of the header of a lower-case name, or null. Throws when there are two:
   * what that means is for node:http to say. Cost: 50 ns and the text.
   */
  valueOf(name: string): string | null;
  /** Names that begin with `x-amz-`, in lower case and as they came. */
  amzNames(): readonly string[];
};

const AMZ = 'x-amz-';
const SPACE = 32;
const TAB = 9;

export function createHeaderLines(): HeaderLines {
  const names = new Int32Array(2 * HEADERS_MAX);
  const values = new Int32Array(2 * HEADERS_MAX);
  let count = 0;
  let chunk: Buffer = Buffer.alloc(0);
  // All of it at once, when something is asked for: a call out of JavaScript for
  // each text costs more than the texts.
  let text: string | null = null;
  let amz: readonly string[] | null = null;

  function findAmzNames(of: string): string[] {
    const found: string[] = [];
    for (let i = 0; i < 2 * count; i += 2) {
      const nameAt = names[i] ?? 0;
      if (isNameAt(chunk, nameAt, AMZ)) found.push(of.slice(nameAt, names[i + 1]).toLowerCase());
    }
    return found;
  }

  return {
    begin(given) {
      chunk = given;
      count = 0;
      text = null;
      amz = null;
    },
    add(nameAt, nameEnd, valueAt, valueEnd) {
      names[2 * count] = nameAt;
      names[2 * count + 1] = nameEnd;
      values[2 * count] = valueAt;
      values[2 * count + 1] = valueEnd;
      count += 1;
    },
    valueOf(name) {
      let found = -1;
      for (let i = 0; i < 2 * count; i += 2) {
        const nameAt = names[i] ?? 0;
        if ((names[i + 1] ?? 0) - nameAt !== name.length || !isNameAt(chunk, nameAt, name))
          continue;
        if (found !== -1) throw new Error(`${name} comes twice`);
        found = i;
      }
      if (found === -1) return null;
      const valueAt = values[found] ?? 0;
      text ??= chunk.toString('latin1');
      return text.slice(valueAt, withoutBlanks(chunk, valueAt, values[found + 1] ?? 0));
    },
    amzNames() {
      text ??= chunk.toString('latin1');
      amz ??= findAmzNames(text);
      return amz;
    },
  };
}

/**
 * Compares without regard to case; `name` is letters, digits and hyphens in lower
 * case, the bytes are of a token.
 */
function isNameAt(chunk: Buffer, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++)
    if (((chunk[at + i] ?? 0) | 0x20) !== name.charCodeAt(i)) return false;
  return true;
}

/**
 * The end of a value without the blanks behind it, which llhttp and Node leave out
 * too.
 */
export function withoutBlanks(chunk: Buffer, start: number, end: number): number {
  let to = end;
  while (to > start && (chunk[to - 1] === SPACE || chunk[to - 1] === TAB)) to--;
  return to;
}
