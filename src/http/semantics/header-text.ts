// What can stand in an HTTP header. Used by object-headers.ts on the way in and on
// the way out, and by every other way on which a text comes that will be a header
// one day.

/**
 * Tab, printable ASCII and the bytes 80 to FF as characters. Source: RFC 9110
 * section 5.5
 */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Source: RFC 9110 section 5.6.2 */
const TOKEN = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/**
 * Whether a text can stand in a header as it is: no CR, LF, NUL or other control
 * that would break HTTP, and nothing above U+00FF, because a header holds bytes. A
 * header's text here is its bytes, one character each.
 */
export function isHeaderText(text: string): boolean {
  return HEADER_TEXT.test(text);
}

/** Whether a text can be the name of a header. */
export function isHeaderName(text: string): boolean {
  return TOKEN.test(text);
}

const NOT_ASCII = /[^\0-\x7f]/;

/** A text as a header keeps it: its UTF-8, one character a byte. */
export function textToHeader(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/**
 * The text that a header means: its bytes as UTF-8, or as they are where they are
 * none.
 */
export function headerToText(bytes: string): string {
  if (!NOT_ASCII.test(bytes)) return bytes;
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
  } catch {
    return bytes;
  }
}

/**
 * The bytes of a header's text, one for each character; null when one is above 255.
 */
export function latin1Bytes(text: string): Uint8Array | null {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0xff) return null;
    bytes[index] = code;
  }
  return bytes;
}
