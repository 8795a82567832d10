// What is said of an object, as the headers of a PUT.
import type { Algorithm, Attributes, Completed, Condition } from './backend.ts';

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

/** Picks what is said of an object out of the options of an upload. */
export function pickAttributes(options: Attributes): Attributes {
  const names = [...Object.keys(NAMES), 'metadata', 'tags'] as (keyof Attributes)[];
  return Object.fromEntries(names.map((name) => [name, options[name]]));
}

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

/** A header holds bytes: those of UTF-8, one character each. */
function inHeader(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** An ETag without its quotes. */
export const unquoted = (etag: string): string => etag.replaceAll('"', '');

/** What the response to a PUT or HEAD says of the object. */
export const completedOf = (headers: Headers): Completed => ({
  etag: unquoted(headers.get('etag') ?? ''),
  versionId: headers.get('x-amz-version-id'),
});
