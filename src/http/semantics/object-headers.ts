// The one place that turns an object into response headers and the one that reads
// an object's attributes from request headers, on every surface. Quotes around an
// etag are put on here. Header texts are bytes, one character each, as Node gives
// and takes them; a platform whose server decodes them otherwise must turn them
// back before they come here.
import { USER_METADATA_MAX_BYTES } from '../../core/limits.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ObjectAttributes, ObjectHeaders, Pointer } from '../../domain/nouns.ts';
import type { HttpRequest } from '../request.ts';
import { atRestHeaders } from './at-rest-headers.ts';
import { contentTypeOf } from './content-type.ts';
import { toEncodedWords } from './encoded-words.ts';
import { isHeaderName, isHeaderText } from './header-text.ts';
import { formatHttpDate } from './http-date.ts';

/**
 * Response headers as a plain object, the fastest thing to build and to send. All
 * names are in lower case: whoever adds to a record must do the same, or the response
 * has a header twice.
 */
export type HeaderRecord = Record<string, string>;

/** Headers that are kept as they came, Content-Type apart, which has a default. */
const STORED_HEADERS = [
  ['cacheControl', 'cache-control'],
  ['contentDisposition', 'content-disposition'],
  ['contentEncoding', 'content-encoding'],
  ['contentLanguage', 'content-language'],
  ['expires', 'expires'],
  ['websiteRedirectLocation', 'x-amz-website-redirect-location'],
] as const satisfies readonly (readonly [keyof ObjectHeaders, string])[];

const METADATA_PREFIX = 'x-amz-meta-';

/**
 * Everything that headers say of an object, whichever part of it is sent;
 * Content-Length and Content-Range are the caller's. A stored value that no header
 * can carry is left out, and left-out metadata is counted in x-amz-missing-meta, as
 * S3 does; metadata that is no ASCII goes out as encoded words. The caller owns the
 * record. Cost: 0.3 µs, 0.1 more for each metadata entry.
 */
export function objectHeaders(
  object: Pick<
    Pointer,
    'key' | 'etag' | 'lastModifiedMs' | 'headers' | 'userMetadata' | 'storageClass' | 'encryption'
  >,
): HeaderRecord {
  const { contentType } = object.headers;
  const record: HeaderRecord = {
    etag: `"${object.etag}"`,
    'last-modified': formatHttpDate(object.lastModifiedMs),
    'content-type':
      contentType !== undefined && isHeaderText(contentType)
        ? contentType
        : contentTypeOf(object.key),
    'accept-ranges': 'bytes',
  };
  for (const [property, name] of STORED_HEADERS) {
    const value = object.headers[property];
    if (value !== undefined && isHeaderText(value)) record[name] = value;
  }
  let missing = 0;
  for (const name in object.userMetadata) {
    const value = object.userMetadata[name] ?? '';
    const header = METADATA_PREFIX + name;
    if (isHeaderText(value) && isHeaderName(header)) record[header] = toEncodedWords(value);
    else missing++;
  }
  if (missing > 0) record['x-amz-missing-meta'] = `${missing}`;
  if (object.storageClass !== 'STANDARD') record['x-amz-storage-class'] = object.storageClass;
  if (object.encryption !== null) Object.assign(record, atRestHeaders(object.encryption));
  return record;
}

const OVERRIDES = [
  ['response-content-type', 'content-type'],
  ['response-content-language', 'content-language'],
  ['response-expires', 'expires'],
  ['response-cache-control', 'cache-control'],
  ['response-content-disposition', 'content-disposition'],
  ['response-content-encoding', 'content-encoding'],
] as const;
/** Parameters of a read that override a header of its response. */
export const RESPONSE_OVERRIDES: readonly string[] = OVERRIDES.map(([parameter]) => parameter);

/**
 * The headers with what a signed request wants in their place
 * (`?response-content-type=…`); `get` gives decoded query values. The record itself
 * comes back when nothing is overridden, else a copy. InvalidArgument for a value
 * that no header can carry, as S3 answers. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 */
export function applyResponseOverrides(
  headers: Readonly<HeaderRecord>,
  get: (name: string) => string | null,
): Readonly<HeaderRecord> {
  let overridden: HeaderRecord | null = null;
  for (const [parameter, name] of OVERRIDES) {
    const value = get(parameter);
    if (value === null || value === '') continue;
    requireHeaderText(parameter, value);
    overridden ??= { ...headers };
    overridden[name] = value;
  }
  return overridden ?? headers;
}

/**
 * All kept headers together, names apart; S3 gives a request 8 KiB of headers in
 * all.
 */
const STORED_HEADERS_MAX_BYTES = 8 * 1024;
/**
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 * (x-amz-website-redirect-location)
 */
const REDIRECT_MAX_BYTES = 2048;
const REDIRECT_START = /^(?:\/|https?:\/\/)/;
/**
 * Kept and given back; what becomes of the bytes is the store's. Archive classes
 * are refused: nothing here is ever archived.
 */
const STORAGE_CLASSES: ReadonlySet<string> = new Set([
  'STANDARD',
  'STANDARD_IA',
  'REDUCED_REDUNDANCY',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER_IR',
]);

/**
 * What a PUT, a copy with REPLACE or the start of a multipart upload says about the
 * object. A kept header without a value is as if it had not been sent.
 * MetadataTooLarge, InvalidStorageClass, InvalidArgument (a text that is not bytes;
 * a redirect that leads nowhere).
 */
export function readObjectAttributes(
  request: Pick<HttpRequest, 'header' | 'headerNames'>,
): ObjectAttributes {
  const storageClass = request.header('x-amz-storage-class') ?? 'STANDARD';
  if (!STORAGE_CLASSES.has(storageClass)) {
    throw new StorageError('InvalidStorageClass', {
      fields: { StorageClassRequested: storageClass },
    });
  }
  return { headers: readHeaders(request), userMetadata: readUserMetadata(request), storageClass };
}

function readHeaders(request: Pick<HttpRequest, 'header'>): ObjectHeaders {
  const headers: { -readonly [Property in keyof ObjectHeaders]: ObjectHeaders[Property] } = {};
  let sizeBytes = 0;
  for (const [property, name] of [['contentType', 'content-type'] as const, ...STORED_HEADERS]) {
    let value = request.header(name) ?? '';
    if (property === 'contentEncoding') value = withoutAwsChunked(value);
    if (value === '') continue;
    requireHeaderText(name, value);
    headers[property] = value;
    sizeBytes += value.length;
  }
  if (sizeBytes > STORED_HEADERS_MAX_BYTES) throw tooLarge(sizeBytes, STORED_HEADERS_MAX_BYTES);
  const redirect = headers.websiteRedirectLocation;
  if (
    redirect !== undefined &&
    (redirect.length > REDIRECT_MAX_BYTES || !REDIRECT_START.test(redirect))
  ) {
    throw new StorageError('InvalidArgument', {
      detail: "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.",
      fields: { ArgumentName: 'x-amz-website-redirect-location' },
    });
  }
  return headers;
}

function readUserMetadata(
  request: Pick<HttpRequest, 'header' | 'headerNames'>,
): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  let sizeBytes = 0;
  for (const rawName of request.headerNames()) {
    const header = rawName.toLowerCase();
    if (!header.startsWith(METADATA_PREFIX)) continue;
    const name = header.slice(METADATA_PREFIX.length);
    const value = request.header(header) ?? '';
    requireHeaderText(header, value);
    entries.push([name, value]);
    sizeBytes += name.length + value.length;
  }
  if (sizeBytes > USER_METADATA_MAX_BYTES) throw tooLarge(sizeBytes, USER_METADATA_MAX_BYTES);
  // fromEntries makes own properties of all names, `__proto__` too.
  return Object.fromEntries(entries);
}

/**
 * aws-chunked is the framing of the upload, not of the object; it may stand
 * anywhere in the list, more than once.
 */
function withoutAwsChunked(contentEncoding: string): string {
  if (!/aws-chunked/i.test(contentEncoding)) return contentEncoding;
  return contentEncoding
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked')
    .join(',');
}

function requireHeaderText(argument: string, value: string): void {
  if (isHeaderText(value)) return;
  throw new StorageError('InvalidArgument', {
    detail: 'Header value cannot be represented using ISO-8859-1.',
    fields: { ArgumentName: argument },
  });
}

function tooLarge(sizeBytes: number, maxBytes: number): StorageError {
  return new StorageError('MetadataTooLarge', {
    fields: { Size: `${sizeBytes}`, MaxSizeAllowed: `${maxBytes}` },
  });
}
