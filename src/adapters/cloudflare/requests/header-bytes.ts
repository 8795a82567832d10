// Header texts between two worlds: in an HttpRequest and in what the surfaces
// answer a text has one character per byte, while the Workers runtime reads and
// writes headers as UTF-8 (measured: bytes that are no UTF-8 arrive as U+FFFD).

const NOT_ASCII = /[^\0-\x7f]/;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A header as the runtime gives it, one character per byte. */
export function toHeaderBytes(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  let bytes = '';
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

/**
 * The text that makes the runtime send exactly these bytes; null when the text does
 * so already.
 */
export function fromHeaderBytes(bytes: string): string | null {
  if (!NOT_ASCII.test(bytes)) return null;
  return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
