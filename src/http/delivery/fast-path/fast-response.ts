// A response that stands ready in memory, or all of it but the bytes of a range.
// Made by answer-at-once.ts and s3/fast-read/fast-read.ts, sent by the platforms' fast paths.
// It never waits and is no Response: what the platform makes of its headers may be
// kept with them.
import type { AccessKeyId, BucketName } from '../../../domain/nouns.ts';
import type { BorrowBytes, BorrowedBuffer } from '../../../ports/blob-store.ts';
import type { Surface } from '../../observe/request-notes.ts';
import { contentRange, type HttpRange, lengthOf } from '../../semantics/range.ts';

/** A fast-path response: what every kind of it says, and its body. */
export type FastResponse = ResponseFacts & FastBody;
/** A fast-path response whose body is at hand. */
export type WholeResponse = ResponseFacts & WholeBody;

type ResponseFacts = ResponseOwner & {
  readonly status: number;
  /**
   * The headers, but for x-amz-request-id, which comes last. An empty x-amz-id-2 is
   * to say the same as that, and a 206 has the headers of PART_HEADERS empty. The
   * record is the same object for as long as the stored object has not changed, so
   * a platform may keep what it makes of it. Those of an error document have both
   * ids where they belong, empty. One with a body from the bucket has its
   * Server-Timing empty.
   */
  readonly headers: ResponseHeaders;
};

type ResponseHeaders = Readonly<Record<string, string>>;

export type ResponseOwner = {
  /**
   * Whose object it is, and which part of the service was called. Null: there is no
   * such bucket.
   */
  readonly bucket: BucketName | null;
  readonly surface: Extract<Surface, 'delivery' | 'website' | 's3' | 'links'>;
  /** Who signed; null: nobody. */
  readonly accessKeyId: AccessKeyId | null;
};

/**
 * The body of a fast-path response, by what it is. All kinds have the same
 * properties, so that one hidden class of V8 serves all of them, and the kind costs
 * no object of its own.
 */
export type FastBody = WholeBody | BodyReadLater;

export type WholeBody =
  /** There is none: a 304, a redirect, or the response to a HEAD. */
  | { readonly kind: 'none'; readonly body: null; readonly range: null }
  /** The whole object or variant, in bytes that stay. */
  | { readonly kind: 'bytes'; readonly body: Uint8Array; readonly range: null }
  /** What went wrong; the length stands behind all other headers. */
  | { readonly kind: 'document'; readonly body: ErrorDocument; readonly range: null }
  /** A range, in bytes that stay. */
  | { readonly kind: 'range'; readonly body: Uint8Array; readonly range: RangeFacts }
  /**
   * A range or the whole object in a borrowed buffer, which is released when it was
   * sent or never will be.
   */
  | { readonly kind: 'borrowed'; readonly body: BorrowedBuffer; readonly range: RangeFacts };

/** An error document. `requestId`: the id that it names, so that its head must too. */
export type ErrorDocument = { readonly bytes: Uint8Array; readonly requestId: string };

/** A range or an object that is read, and metered, only when it is sent. */
type BodyReadLater = { readonly kind: 'later'; readonly body: ReadLater; readonly range: null };

/**
 * Reads and meters the bytes, and gives the whole response. To be called once at
 * most, and soon. Null: the bytes are not at hand any more, and the request takes
 * the full path. `canSendDirectly`: `maySend` of BorrowBytes.
 */
export type ReadLater = (canSendDirectly: boolean) => WholeResponse | null;

/**
 * Makes a response without a body, or with one in bytes that stay (null: an empty
 * object's).
 */
export function wholeResponse(
  status: number,
  headers: ResponseHeaders,
  { bucket, surface, accessKeyId }: ResponseOwner,
  body: Uint8Array | null,
): WholeResponse {
  return body === null
    ? { status, headers, bucket, surface, accessKeyId, kind: 'none', body, range: null }
    : { status, headers, bucket, surface, accessKeyId, kind: 'bytes', body, range: null };
}

/** Makes a response that says what went wrong. */
export function documentResponse(
  status: number,
  headers: ResponseHeaders,
  { bucket, surface, accessKeyId }: ResponseOwner,
  body: ErrorDocument,
): WholeResponse {
  return { status, headers, bucket, surface, accessKeyId, kind: 'document', body, range: null };
}

/** Makes a 206 whose bytes stay. */
export function rangeResponse(
  headers: ResponseHeaders,
  { bucket, surface, accessKeyId }: ResponseOwner,
  body: Uint8Array,
  range: RangeFacts,
): WholeResponse {
  return { status: 206, headers, bucket, surface, accessKeyId, kind: 'range', body, range };
}

/** Makes a 200 or 206 whose bytes are borrowed. */
export function borrowedResponse(
  status: 200 | 206,
  headers: ResponseHeaders,
  { bucket, surface, accessKeyId }: ResponseOwner,
  body: BorrowedBuffer,
  range: RangeFacts,
): WholeResponse {
  return { status, headers, bucket, surface, accessKeyId, kind: 'borrowed', body, range };
}

/** Makes a 200 or 206 whose bytes are read when it is sent. */
export function laterResponse(
  status: 200 | 206,
  headers: ResponseHeaders,
  { bucket, surface, accessKeyId }: ResponseOwner,
  body: ReadLater,
): FastResponse {
  return { status, headers, bucket, surface, accessKeyId, kind: 'later', body, range: null };
}

/** Makes the body of kind `later` from what lends the bytes. */
export function readLater(
  lend: BorrowBytes,
  respondWith: (borrowed: BorrowedBuffer) => WholeResponse,
): ReadLater {
  return (canSendDirectly) => {
    const borrowed = lend(canSendDirectly);
    return borrowed === null ? null : respondWith(borrowed);
  };
}

/**
 * The response with its body at hand, or null. What fails here fails once more on
 * the full path, where failures are answered and logged. `canSendDirectly`:
 * `maySend` of BorrowBytes.
 */
export function resolveBody(
  response: FastResponse,
  canSendDirectly: boolean,
): WholeResponse | null {
  if (response.kind !== 'later') return response;
  try {
    return response.body(canSendDirectly);
  } catch {
    return null;
  }
}

/**
 * What differs from range to range. `sizeBytes`: of the whole object.
 * `serverTiming` is empty where the headers say it for every range.
 */
export type RangeFacts = {
  readonly range: HttpRange;
  readonly sizeBytes: number;
  readonly serverTiming: string;
};

/** The headers that differ from range to range. */
export const PART_HEADERS = ['content-length', 'content-range', 'server-timing'] as const;
export type PartHeader = (typeof PART_HEADERS)[number];

/** The value of one of PART_HEADERS. */
export function partValue(
  name: PartHeader,
  { range, sizeBytes, serverTiming }: RangeFacts,
): string {
  if (name === 'server-timing') return serverTiming;
  return name === 'content-length' ? `${lengthOf(range)}` : contentRange(range, sizeBytes);
}
