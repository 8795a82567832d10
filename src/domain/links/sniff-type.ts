// What the first bytes of a file say of its type, for senders who declare another.
// Pure. It knows what browsers show or run, and what hides in a container. Source:
// https://mimesniff.spec.whatwg.org/ and the formats' own documents

/** The first bytes that are looked at. */
export const SNIFFED_BYTES = 64;

type Signature = { readonly type: string; readonly at: number; readonly bytes: readonly number[] };

const ascii = (text: string): readonly number[] => [...text].map((sign) => sign.charCodeAt(0));

const SIGNATURES: readonly Signature[] = [
  { type: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', at: 0, bytes: ascii('GIF8') },
  { type: 'image/webp', at: 8, bytes: ascii('WEBP') },
  { type: 'image/bmp', at: 0, bytes: ascii('BM') },
  { type: 'image/tiff', at: 0, bytes: [0x49, 0x49, 0x2a, 0x00] },
  { type: 'image/tiff', at: 0, bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { type: 'image/avif', at: 4, bytes: ascii('ftypavif') },
  { type: 'image/heic', at: 4, bytes: ascii('ftypheic') },
  { type: 'application/pdf', at: 0, bytes: ascii('%PDF-') },
  { type: 'application/zip', at: 0, bytes: [0x50, 0x4b, 0x03, 0x04] },
  { type: 'application/x-msdownload', at: 0, bytes: ascii('MZ') },
  { type: 'application/x-elf', at: 0, bytes: [0x7f, 0x45, 0x4c, 0x46] },
  { type: 'application/x-mach-binary', at: 0, bytes: [0xcf, 0xfa, 0xed, 0xfe] },
  { type: 'text/x-shellscript', at: 0, bytes: ascii('#!') },
];

/** What a browser takes for HTML, whatever stands before in blanks. */
const HTML_STARTS = ['<!doctype html', '<html', '<head', '<script', '<iframe', '<body', '<svg'];

/** Images whose first bytes must be theirs. */
const PROVEN: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/tiff',
  'application/pdf',
]);
/** Types whose files are ZIP files, or may begin as one. */
const IN_ZIP = /^application\/(?:vnd\.|epub\+zip|java-archive|x-zip|octet-stream)/;
/** Two bytes alone mean little: the start of a text may be these. */
const WEAK: ReadonlySet<string> = new Set(['image/bmp', 'text/x-shellscript']);

/** The type that the bytes show; null: none that is known here. */
export function sniffType(head: Uint8Array): string | null {
  const found = SIGNATURES.find(({ at, bytes }) =>
    bytes.every((byte, index) => head[at + index] === byte),
  );
  if (found !== undefined) return found.type;
  const start = new TextDecoder('latin1').decode(head.subarray(0, SNIFFED_BYTES));
  const text = start.trimStart().toLowerCase();
  const html = HTML_STARTS.find((tag) => text.startsWith(tag));
  if (html === undefined) return null;
  return html === '<svg' ? 'image/svg+xml' : 'text/html';
}

/**
 * Whether the bytes show that a declared type is not theirs. `isAllowed`: whether a
 * link takes a type: what it takes anyway may be called otherwise.
 */
export function isTypeLie(
  declared: string,
  head: Uint8Array,
  isAllowed: (type: string) => boolean,
): boolean {
  const sniffed = sniffType(head);
  if (PROVEN.has(declared)) return sniffed !== declared;
  if (sniffed === null || sniffed === declared || WEAK.has(sniffed)) return false;
  if (sniffed === 'application/zip' && IN_ZIP.test(declared)) return false;
  return !isAllowed(sniffed);
}
