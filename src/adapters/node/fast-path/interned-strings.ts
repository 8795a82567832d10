// Texts that come in request after request, paths and entity tags, made once. A text that was only
// just made must be hashed and looked for among all texts of V8 when a map is asked for it; one
// that was asked for before need not (measured: bench/README.md, delivery). Not for texts that
// differ each time, as ranges do: those cost half a microsecond more by it.

export type KeptTexts = {
  /** The bytes from `start` up to `end` as latin1 text. Cost: 1 ns a byte for a kept one. */
  of(chunk: Buffer, start: number, end: number): string;
};

/**
 * Places for texts, each of which keeps the last that fell to it; a power of two. With the longest
 * they take 1 MiB.
 */
const PLACES = 4096;
/** Longer ones are seldom hot. Bytes. */
const KEPT_MAX_BYTES = 256;
/**
 * So many bytes, the last ones, choose the place: names of hot objects differ there more than at
 * their beginning.
 */
const CHOOSING_BYTES = 12;

/** One for a recogniser. */
export function createKeptTexts(): KeptTexts {
  const kept: string[] = Array.from({ length: PLACES }, () => '');

  return {
    of(chunk, start, end) {
      if (end - start > KEPT_MAX_BYTES) return chunk.toString('latin1', start, end);
      let place = end - start;
      for (let at = Math.max(start, end - CHOOSING_BYTES); at < end; at++) {
        place = (Math.imul(place, 31) + (chunk[at] ?? 0)) | 0;
      }
      place &= PLACES - 1;
      const known = kept[place] ?? '';
      if (isText(chunk, start, end, known)) return known;
      const text = chunk.toString('latin1', start, end);
      kept[place] = text;
      return text;
    },
  };
}

function isText(chunk: Buffer, start: number, end: number, text: string): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) if (chunk[start + i] !== text.charCodeAt(i)) return false;
  return true;
}
