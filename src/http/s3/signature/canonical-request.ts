// The canonical form of a request, byte for byte what the client signed.
// authenticate.ts calls it. S3 encodes the path once and keeps dots and double
// slashes; nothing here decides whether a signature is right. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
import type { HttpRequest } from '../../request.ts';
import type { Claims } from './credential.ts';

/** One query parameter with name and value in canonical encoding. */
export type QueryParameter = { readonly name: string; readonly value: string };

const PERCENT = 0x25;
const PLUS = 0x2b;
const UNRESERVED = /^[A-Za-z0-9._~-]*$/;
const UNRESERVED_PATH = /^[A-Za-z0-9._~/-]*$/;
/**
 * Text that is canonical already, as nearly all is: unreserved characters, and
 * upper-case escapes of the others.
 */
const CANONICAL_TEXT =
  /^(?:[\w.~-]|%(?:[01][0-9A-F]|2[0-9ABCF]|3[A-F]|40|5[B-E]|60|7[BCDF]|[89A-F][0-9A-F]))*$/;
/**
 * A whole query that is canonical already, names and values. A `=` in a value
 * passes too, and must be looked for apart.
 */
const CANONICAL_QUERY =
  /^(?:[\w.~&=-]|%(?:[01][0-9A-F]|2[0-9ABCF]|3[A-F]|40|5[B-E]|60|7[BCDF]|[89A-F][0-9A-F]))*$/;
/**
 * A path that is canonical already: slashes stand as they are, and `%2F` is not
 * canonical.
 */
const CANONICAL_PATH =
  /^(?:[\w.~/-]|%(?:[01][0-9A-F]|2[0-9ABC]|3[A-F]|40|5[B-E]|60|7[BCDF]|[89A-F][0-9A-F]))*$/;

const upperHex = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/**
 * Canonical text of each byte: unreserved characters as they are, all else `%XX`.
 * Source: RFC 3986 section 2.3.
 */
const ENCODED: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return UNRESERVED.test(character) ? character : upperHex(byte);
});

const encoder = new TextEncoder();

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/**
 * The byte that two hex digits at `index` name, or -1. Beyond the end charCodeAt
 * gives NaN, which is no digit.
 */
function hexByte(text: string, index: number): number {
  const high = hexDigit(text.charCodeAt(index));
  const low = hexDigit(text.charCodeAt(index + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/**
 * Decodes and encodes again, so that every way to write a byte becomes one. A `%`
 * that starts no escape stands for itself; whether such a path is served at all is
 * decided elsewhere.
 */
function recode(text: string, keep: '/' | '+as-space'): string {
  let result = '';
  for (let index = 0; index < text.length; index += 1) {
    let code = text.charCodeAt(index);
    if (code === PERCENT) {
      const byte = hexByte(text, index + 1);
      if (byte >= 0) {
        code = byte;
        index += 2;
      }
    } else if (code === PLUS && keep === '+as-space') {
      code = 0x20;
    } else if (code > 0xff) {
      const character = String.fromCodePoint(text.codePointAt(index) ?? code);
      for (const byte of encoder.encode(character)) result += upperHex(byte);
      index += character.length - 1;
      continue;
    }
    result += code === 0x2f && keep === '/' ? '/' : ENCODED[code];
  }
  return result;
}

/**
 * Canonical path: `/` stays, `%2F` becomes `/`, `+` is itself (`%2B`), hex digits
 * become upper case.
 */
export function canonicalPath(rawPath: string): string {
  if (rawPath === '') return '/';
  return UNRESERVED_PATH.test(rawPath) || CANONICAL_PATH.test(rawPath)
    ? rawPath
    : recode(rawPath, '/');
}

/**
 * Canonical encoding of one name or value of a query. A `+` is a space: S3 verifies
 * it as `%20`, and aws4fetch sends it so. Source:
 * https://github.com/mhart/aws4fetch/issues/83
 */
function canonicalQueryText(text: string): string {
  return UNRESERVED.test(text) || CANONICAL_TEXT.test(text) ? text : recode(text, '+as-space');
}

/**
 * Splits a query into its parameters, in the order sent, and encodes names and values as signatures
 * have them; `semantics/raw-path.ts` parses what they mean. A name without `=` has an empty value.
 */
export function parseCanonicalQuery(rawQuery: string): readonly QueryParameter[] {
  if (rawQuery === '') return [];
  const parameters: QueryParameter[] = [];
  const isCanonical = CANONICAL_QUERY.test(rawQuery);
  const encode = (text: string): string =>
    isCanonical && !text.includes('=') ? text : canonicalQueryText(text);
  for (const piece of rawQuery.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    parameters.push(
      equals < 0
        ? { name: encode(piece), value: '' }
        : { name: encode(piece.slice(0, equals)), value: encode(piece.slice(equals + 1)) },
    );
  }
  return parameters;
}

const SIGNATURE = 'X-Amz-Signature';
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const order = (a: QueryParameter, b: QueryParameter): number =>
  compare(a.name, b.name) || compare(a.value, b.value);

/**
 * Most clients send their parameters in this order, but for the signature, which
 * does not count.
 */
function isSorted(parameters: readonly QueryParameter[]): boolean {
  let last: QueryParameter | null = null;
  for (const parameter of parameters) {
    if (parameter.name === SIGNATURE) continue;
    if (
      last !== null &&
      (last.name > parameter.name || (last.name === parameter.name && last.value > parameter.value))
    ) {
      return false;
    }
    last = parameter;
  }
  return true;
}

/**
 * Canonical query: sorted by encoded name, then value; the signature itself is left
 * out.
 */
export function canonicalQuery(parameters: readonly QueryParameter[]): string {
  if (parameters.length === 0) return '';
  let text = '';
  for (const { name, value } of isSorted(parameters) ? parameters : parameters.toSorted(order)) {
    if (name !== SIGNATURE) text += `${text === '' ? '' : '&'}${name}=${value}`;
  }
  return text;
}

const NEEDS_TRIMMING = /^[ \t]|[ \t]$|\t|[ ]{2}/;

/**
 * A header value as it is signed: no space at the ends, one space for a run of
 * them. Other bytes stay.
 */
export function canonicalHeaderValue(value: string): string {
  if (!NEEDS_TRIMMING.test(value)) return value;
  return value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '');
}

/**
 * Headers whose values are lists, which clients may send in several lines. Such
 * lines are signed joined by `,`, but reach us joined by `, `. Spaces mean nothing
 * in these lists, so both spellings are the same request.
 */
const LIST_HEADERS: readonly string[] = [
  'x-amz-object-attributes',
  'x-amz-optional-object-attributes',
  'x-amz-trailer',
];

/** Claims that stand in the canonical form of a request. */
export type CanonicalInput = Pick<
  Claims,
  'query' | 'signedHeaders' | 'signedHeadersText' | 'payloadHash' | 'signedPath'
>;

/** Parts of a request that are signed. */
export type SignedParts = Pick<HttpRequest, 'method' | 'rawPath' | 'host' | 'header'>;

/**
 * Builds the canonical request. With `joinsLists`, list headers are read as if
 * their lines had come joined by `,`.
 */
export function canonicalRequest(
  request: SignedParts,
  input: CanonicalInput,
  joinsLists: boolean,
): string {
  const { signedHeaders } = input;
  let headers = '';
  for (const name of signedHeaders) {
    let value = canonicalHeaderValue(name === 'host' ? request.host : (request.header(name) ?? ''));
    if (joinsLists && LIST_HEADERS.includes(name)) value = value.replaceAll(', ', ',');
    headers += `${name}:${value}\n`;
  }
  const path = canonicalPath(input.signedPath ?? request.rawPath);
  const query = canonicalQuery(input.query);
  const target = `${request.method}\n${path}\n${query}\n`;
  return `${target}${headers}\n${input.signedHeadersText}\n${input.payloadHash}`;
}

/**
 * Names among `host` and the `x-amz-…` headers sent that are not signed; S3 refuses
 * a request that has any.
 */
export function unsignedHeaders(
  request: Pick<HttpRequest, 'headerNames'>,
  signedHeaders: ReadonlySet<string>,
): readonly string[] {
  const missing = signedHeaders.has('host') ? [] : ['host'];
  for (const name of request.headerNames()) {
    if (name.startsWith('x-amz-') && !signedHeaders.has(name)) missing.push(name);
  }
  return missing;
}
