// Parts that all of S3's listings share: their parameters, page sizes, the encoding
// of names, opaque tokens. Pure.

import { LIST_MAX_KEYS } from '../../../core/limits.ts';
import { encodeForXmlUrl, type Query } from '../../semantics/raw-path.ts';
import { invalidArgument } from './invalid-argument.ts';
import { element, textElement } from './xml-write.ts';

/**
 * Largest page size that S3 reads as a number. Source: the message of S3's own
 * error.
 */
const COUNT_MAX = 2_147_483_647;

/**
 * A whole number of the query, or `absent` when it is missing or empty.
 * InvalidArgument outside `min` to `max`.
 */
export function readCount(
  query: Query,
  name: string,
  absent: number,
  min = 0,
  max = COUNT_MAX,
): number {
  const text = query.get(name);
  if (text === null || text === '') return absent;
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  throw invalidArgument(
    name,
    text,
    `Argument ${name} must be an integer between ${min} and ${max}`,
  );
}

/**
 * Rows of a page: those that the request wants, at most as many as S3 gives.
 * InvalidArgument.
 */
export function readPageSize(query: Query, name: string): number {
  return Math.min(readCount(query, name, LIST_MAX_KEYS), LIST_MAX_KEYS);
}

/** How names are written in a listing. */
export type NameEncoding = { readonly isUrl: boolean; encode(name: string): string };

/**
 * Names as they are, or URL-encoded. InvalidArgument for any encoding-type but
 * `url`.
 */
export function readNameEncoding(query: Query): NameEncoding {
  const text = query.get('encoding-type');
  if (text === null || text === '') return { isUrl: false, encode: (name) => name };
  if (text !== 'url')
    throw invalidArgument('encoding-type', text, 'Invalid Encoding Method specified in Request');
  return { isUrl: true, encode: encodeForXmlUrl };
}

/** Parameters of every listing of keys, which its document repeats. */
export type Listing = {
  readonly prefix: string;
  readonly delimiter: string;
  readonly names: NameEncoding;
};

/**
 * Reads the parameters of a listing. InvalidArgument for an unknown encoding of
 * names.
 */
export function readListing(query: Query): Listing {
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    names: readNameEncoding(query),
  };
}

/** Elements of the keys that a delimiter rolled up. */
export function commonPrefixElements(prefixes: readonly string[], names: NameEncoding): string {
  let elements = '';
  for (const prefix of prefixes)
    elements += element('CommonPrefixes', textElement('Prefix', names.encode(prefix)));
  return elements;
}

/**
 * Marks a token's kind, so that one listing refuses another's, and its form, so
 * that it can change.
 */
export type TokenKind = 'o1' | 'b1' | 'l1';

/**
 * Where a listing goes on, as a text that means nothing to clients: kind and name,
 * base64url.
 */
export function encodeToken(kind: TokenKind, name: string): string {
  return new TextEncoder()
    .encode(`${kind}:${name}`)
    .toBase64({ alphabet: 'base64url', omitPadding: true });
}

/** The name in a token that `encodeToken` made. InvalidArgument. */
export function decodeToken(kind: TokenKind, token: string): string {
  const refused = () =>
    invalidArgument('continuation-token', token, 'The continuation token provided is incorrect');
  let text: string;
  try {
    const bytes = Uint8Array.fromBase64(token, { alphabet: 'base64url' });
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused();
  }
  if (!text.startsWith(`${kind}:`)) throw refused();
  const name = text.slice(kind.length + 1);
  // Only what we wrote ourselves: base64 has more than one spelling of the same
  // bytes.
  if (encodeToken(kind, name) !== token) throw refused();
  return name;
}
