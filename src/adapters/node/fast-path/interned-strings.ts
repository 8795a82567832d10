// Interned strings: texts that come in request after request, paths and entity
// tags, made once. Called by recognise.ts. A text that was only just made is hashed
// and looked for among all texts of V8 when a map is asked for it; an interned one
// is not (measured: bench/README.md, delivery). Not for texts that differ each
// time, as ranges do: those cost half a microsecond more by it.

export type InternedStrings = {
  /**
   * The bytes from `start` up to `end` as latin1 text. Cost: 1 ns a byte for a
   * known one.
   */
  of(chunk: Buffer, start: number, end: number): string;
};

/**
 * Slots for texts, each of which keeps the last that fell to it; a power of two.
 * With the longest they take 1 MiB.
 */
const SLOTS = 4096;
/** Longer ones are seldom hot. Bytes. */
const INTERNED_MAX_BYTES = 256;
/**
 * The last bytes choose the slot: names of hot objects differ there more than at
 * their beginning.
 */
const CHOOSING_BYTES = 12;

/** Makes the table of a recogniser. */
export function createInternedStrings(): InternedStrings {
  const texts: string[] = Array.from({ length: SLOTS }, () => '');

  return {
    of(chunk, start, end) {
      if (end - start > INTERNED_MAX_BYTES) return chunk.toString('latin1', start, end);
      let slot = end - start;
      for (let at = Math.max(start, end - CHOOSING_BYTES); at < end; at++) {
        slot = (Math.imul(slot, 31) + (chunk[at] ?? 0)) | 0;
      }
      slot &= SLOTS - 1;
      const known = texts[slot] ?? '';
      if (isText(chunk, start, end, known)) return known;
      const text = chunk.toString('latin1', start, end);
      texts[slot] = text;
      return text;
    },
  };
}

function isText(chunk: Buffer, start: number, end: number, text: string): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) if (chunk[start + i] !== text.charCodeAt(i)) return false;
  return true;
}
