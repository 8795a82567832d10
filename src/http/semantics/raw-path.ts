// Percent-encoding of request targets, done exactly once: keys hold `//`, `..`,
// `+`, `%` and anything else, so no URL parser may touch them. Called by the
// address readers of every surface and by the XML of listings.
import { StorageError } from '../../domain/errors.ts';

/** Printable ASCII without percent: already what it means. */
const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;
/**
 * What a server may give us as raw bytes of the request line, one character each.
 */
const HIGH_BYTE = /[\x80-\xff]/g;

/**
 * Decodes a bucket or a key, slashes included: %XX to bytes, bytes to UTF-8, `+`
 * stays `+`. A byte above 7F that a client sent bare counts as if it had been
 * encoded. InvalidURI for a bad percent sequence or bytes that aren't UTF-8.
 */
export function decodePathSegment(rawPercentEncoded: string): string {
  if (PLAIN.test(rawPercentEncoded)) return rawPercentEncoded;
  try {
    // decodeURIComponent refuses what it should: overlong forms, encoded
    // surrogates, lone continuation bytes.
    return decodeURIComponent(rawPercentEncoded.replace(HIGH_BYTE, percentEncode));
  } catch (cause) {
    throw new StorageError('InvalidURI', { cause });
  }
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * The parameters of a query, decoded. A name may come more than once; one without
 * `=` has the value ''.
 */
export type Query = {
  /** In the order in which they came. */
  readonly entries: readonly (readonly [name: string, value: string])[];
  /** First value of that name, or null. Names are case-sensitive, as in S3. */
  get(name: string): string | null;
  has(name: string): boolean;
};

const EMPTY_QUERY: Query = { entries: [], get: () => null, has: () => false };

/**
 * Splits and decodes a query (without its `?`). `+` means a space and `%2B` a plus:
 * SDKs never send a bare plus, HTML forms and URLSearchParams send it for a space,
 * and S3 takes it so (seen with aws4fetch's presigned URLs, whose signature counts
 * %20). So SigV4 must be computed over these decoded values. InvalidURI as in
 * `decodePathSegment`.
 */
export function parseQuery(rawQuery: string): Query {
  if (rawQuery === '') return EMPTY_QUERY;
  const entries: (readonly [string, string])[] = [];
  for (const parameter of rawQuery.split('&')) {
    if (parameter === '') continue;
    const equalsAt = parameter.indexOf('=');
    if (equalsAt === -1) entries.push([decodeFormText(parameter), '']);
    else
      entries.push([
        decodeFormText(parameter.slice(0, equalsAt)),
        decodeFormText(parameter.slice(equalsAt + 1)),
      ]);
  }
  const find = (name: string) => entries.find((entry) => entry[0] === name);
  return {
    entries,
    get: (name) => find(name)?.[1] ?? null,
    has: (name) => find(name) !== undefined,
  };
}

/**
 * Decodes as `decodePathSegment` does, but for `+`, which means a space as in HTML
 * forms.
 */
export function decodeFormText(raw: string): string {
  return decodePathSegment(raw.includes('+') ? raw.replaceAll('+', ' ') : raw);
}

const NEEDS_NO_ENCODING = /^[A-Za-z0-9\-._~/]*$/;
/** What encodeURIComponent leaves alone although RFC 3986 reserves it. */
const RESERVED_LEFTOVER = /[!'()*]/g;

/**
 * Encodes a key, prefix or marker for a listing with encoding-type=url: all but
 * unreserved characters and `/`. A space becomes %20, which every decoder
 * understands and ceph/s3-tests wants; S3 itself sends `+` (measured by others
 * against AWS, https://github.com/brekkylab/backlot/issues/178), which only form
 * decoders read back as a space.
 */
export function encodeForXmlUrl(text: string): string {
  if (NEEDS_NO_ENCODING.test(text)) return text;
  return encodeURIComponent(text).replace(RESERVED_LEFTOVER, percentEncode).replaceAll('%2F', '/');
}
