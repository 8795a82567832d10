// User metadata as the headers of a response have it.

/** User metadata of a response, as texts. */
export function metadataOf(headers: Headers): Record<string, string> {
  const prefix = 'x-amz-meta-';
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), fromHeader(value)]),
  );
}

/**
 * An encoded word of UTF-8, as S3 answers what is no ASCII. Source: RFC 2047
 * section 2.
 */
const WORD = /^=\?UTF-8\?([QB])\?([^?]*)\?=$/;

/**
 * The text that a header means: encoded words, UTF-8, or its characters as they
 * are.
 */
function fromHeader(header: string): string {
  const words = header.split(' ').map((word) => WORD.exec(word));
  try {
    // What stands in a word may be no base64: whoever stored it wrote it.
    const bytes = words.every((word) => word !== null)
      ? words.map(([, code, text = '']) => (code === 'B' ? atob(text) : fromQ(text))).join('')
      : header;
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  } catch {
    return header;
  }
}

const fromQ = (text: string): string =>
  text
    .replaceAll('_', ' ')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
