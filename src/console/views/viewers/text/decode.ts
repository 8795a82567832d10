// Text out of bytes that say nothing of their encoding: UTF-8, UTF-16, what Chinese
// Windows wrote (GB 18030, which has GBK in it), else what Western Windows wrote.

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | 'windows-1252';

/** Bytes at the front by which the encoding is guessed. */
const GUESSED_BYTES = 64 * 1024;

/** Guesses the encoding by the first bytes, which may be cut in a character. */
export function guessEncoding(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const head = bytes.subarray(0, GUESSED_BYTES);
  if (decodes(head, 'utf-8')) return 'utf-8';
  return decodes(head, 'gb18030') ? 'gb18030' : 'windows-1252';
}

function decodes(head: Uint8Array, encoding: Encoding): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Decodes page after page; a character that is cut between two is put together. */
export function createDecoder(): {
  decode(page: Uint8Array, isLast: boolean): string;
  encoding(): Encoding;
} {
  let encoding: Encoding = 'utf-8';
  let decoder: TextDecoder | null = null;
  return {
    decode(page, isLast) {
      if (decoder === null) {
        encoding = guessEncoding(page);
        decoder = new TextDecoder(encoding);
      }
      return decoder.decode(page, { stream: !isLast });
    },
    encoding: () => encoding,
  };
}
