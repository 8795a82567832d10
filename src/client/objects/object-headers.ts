// What is said of an object, as the headers of a PUT.
import type { Algorithm, Attributes, Condition } from './door.ts';

const NAMES = {
  contentType: 'content-type',
  cacheControl: 'cache-control',
  contentDisposition: 'content-disposition',
  contentEncoding: 'content-encoding',
  contentLanguage: 'content-language',
  expires: 'expires',
  storageClass: 'x-amz-storage-class',
} as const satisfies Partial<Record<keyof Attributes, string>>;

export const NO_CONDITION: Condition = { ifNone: false, ifMatch: null };

/** `x-amz-checksum-sha256` and so on. */
export const checksumHeader = (algorithm: Algorithm): string =>
  `x-amz-checksum-${algorithm.toLowerCase()}`;

export function attributeHeaders(attributes: Attributes): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [property, name] of Object.entries(NAMES)) {
    const value = attributes[property as keyof typeof NAMES];
    if (value !== undefined) headers[name] = inHeader(value);
  }
  for (const [name, value] of Object.entries(attributes.metadata ?? {})) {
    headers[`x-amz-meta-${name.toLowerCase()}`] = inHeader(value);
  }
  if (attributes.tags !== undefined) {
    headers['x-amz-tagging'] = `${new URLSearchParams(attributes.tags)}`;
  }
  return headers;
}

export function conditionHeaders({ ifNone, ifMatch }: Condition): Record<string, string> {
  if (ifNone) return { 'if-none-match': '*' };
  return ifMatch === null ? {} : { 'if-match': ifMatch };
}

/** User metadata of a response, as texts. */
export function metadataOf(headers: Headers): Record<string, string> {
  const prefix = 'x-amz-meta-';
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), fromHeader(value)]),
  );
}

/** A header holds bytes: those of UTF-8, one character each. */
function inHeader(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** The text that a header means: UTF-8, or what S3 makes of it (RFC 2047, quoted printable). */
export function fromHeader(header: string): string {
  const [, coded] = /^=\?UTF-8\?Q\?([^?]*)\?=$/.exec(header) ?? [];
  const text = coded
    ?.replace(/_/g, ' ')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  try {
    const bytes = Uint8Array.from(text ?? header, (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return header;
  }
}

/** An ETag without its quotes. */
export const unquoted = (etag: string): string => etag.replaceAll('"', '');
