// GetObject and HeadObject: signed reads, and the unsigned ones that delivery does
// not take. Always from the index, so a read sees every finished write. A
// conditional request that ends in 304 or 412 opens no body. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
import type { Core } from '../../../../core/core.ts';
import { type CustomerKey, unwrapWithCustomerKey } from '../../../../core/encryption/envelope.ts';
import { PART_NUMBER_MAX } from '../../../../core/limits.ts';
import { openBody } from '../../../../core/objects/read-object.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { Checksum, ObjectVersion } from '../../../../domain/nouns.ts';
import {
  closeForPreview,
  isolateFromOrigin,
  PREVIEW_PARAMETER,
} from '../../../semantics/active-content.ts';
import {
  evaluateRead,
  isIfRangeSatisfied,
  readConditions,
} from '../../../semantics/conditional.ts';
import { downloadDisposition } from '../../../semantics/content-disposition.ts';
import { S3_UNKNOWN_TYPE } from '../../../semantics/content-type.ts';
import { digestHeaders, isDigestOfBytes } from '../../../semantics/digest-fields.ts';
import {
  applyResponseOverrides,
  type HeaderRecord,
  objectHeaders,
} from '../../../semantics/object-headers.ts';
import { contentRange, type HttpRange, lengthOf, parseRange } from '../../../semantics/range.ts';
import type { Query } from '../../../semantics/raw-path.ts';
import { digestsOfSmallBody } from '../../../small-body-digests.ts';
import type { ObjectCall, S3Response, VersionCall } from '../../call/call.ts';
import { preconditionFailed } from '../../call/find-version.ts';
import { invalidArgument } from '../../formats/invalid-argument.ts';
import { versionHeaders } from '../../formats/version-name.ts';
import { checksumHeaders, readChecksumMode } from '../../headers/checksum-headers.ts';
import {
  encryptionHeaders,
  readCustomerKey,
  refuseEncryptionOfRead,
} from '../../headers/encryption-headers.ts';
import { expirationHeaders } from '../../headers/lifecycle-headers.ts';
import { objectLockHeaders } from '../../headers/object-lock-headers.ts';
import type { ReadFacts } from '../../headers/request-headers.ts';
import { taggingHeaders } from '../../headers/tagging-header.ts';

/**
 * The part of a version that is sent, and the checksum that holds for just that.
 * `range` null: all of it, as a 200.
 */
export type Slice = {
  readonly range: HttpRange | null;
  readonly lengthBytes: number;
  readonly checksum: Pick<Checksum, 'algorithm' | 'value'> | null;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * GetObject and HeadObject. Errors: NoSuchKey, AccessDenied, PreconditionFailed,
 * InvalidRange, InvalidPart, InvalidArgument, InvalidRequest. Cost: one index read;
 * for a GET also what openBody costs.
 */
export async function answerRead(call: VersionCall, core: Core): Promise<S3Response> {
  refuseAnonymousOverrides(call);
  const wantsChecksum = readChecksumMode(call.header('x-amz-checksum-mode'));
  const partNumber = readPartNumber(call.query);
  const rangeHeader = call.header('range');
  if (partNumber !== null && rangeHeader !== null) {
    throw new StorageError('InvalidRequest', {
      detail: 'Cannot specify both Range header and partNumber query parameter',
    });
  }
  refuseEncryptionOfRead(call);
  const customerKey = readCustomerKey(call);
  const { version } = call;
  const part = partNumber === null ? null : sliceOfPart(version, partNumber);
  unwrapWithCustomerKey(version.encryption, customerKey);
  const stored = storedHeaders(call, customerKey);
  const conditions = readConditions(call.header);
  const outcome = evaluateRead(conditions, version);
  if (outcome === 'not-modified') return notModified(stored);
  if (outcome === 'precondition-failed') {
    throw preconditionFailed(conditions.ifMatch === null ? 'If-Unmodified-Since' : 'If-Match');
  }
  const usedRange = isIfRangeSatisfied(call.header('if-range'), version) ? rangeHeader : null;
  const slice = part ?? sliceOfRange(version, usedRange);
  const status = slice.range === null ? 200 : 206;
  const isWhole = slice.range === null && call.operation === 'GetObject';
  const headers = {
    ...headersOfRead(call, core, slice, { customerKey, stored }),
    ...(isDigestOfBytes(call, version)
      ? await digestsOfSmallBody(core, call, version, isWhole)
      : digestHeaders(call, version, isWhole)),
    ...(wantsChecksum ? checksumHeaders(slice.checksum, version.checksum?.type ?? null) : {}),
  };
  if (call.operation === 'HeadObject') return { status, headers, body: null };
  const offsetBytes = slice.range?.startByte ?? 0;
  const { body, tier } = await openBody(
    core,
    version,
    { offsetBytes, lengthBytes: slice.lengthBytes },
    customerKey,
  );
  return { status, headers, body, tier };
}

/**
 * Headers of the object. Strangers get those that delivery gives them, under the
 * same rules. AccessDenied.
 */
function storedHeaders(call: VersionCall, customerKey: CustomerKey | null): Readonly<HeaderRecord> {
  const { bucket, principal, query, request, version, hasOwnOrigin } = call;
  if (principal.kind !== 'anonymous') return signedHeaders(version);
  const isOfCurrent = query.get('versionId') === null && customerKey === null;
  return call.unsignedHeaders({
    request,
    record: bucket.record(),
    version,
    hasOwnOrigin,
    isOfCurrent,
  });
}

/**
 * Headers of the object for whoever signed. The caller of this function owns the
 * record.
 */
export function signedHeaders(version: ObjectVersion): HeaderRecord {
  const stored = objectHeaders(version);
  if (version.headers.contentType === undefined) stored['content-type'] = S3_UNKNOWN_TYPE;
  return stored;
}

/**
 * Headers of a 200 or 206 that depend on version, bucket, caller and query alone.
 * `stored`: headers of the object.
 */
export function headersOfRead(
  call: ReadFacts,
  core: Core,
  slice: Slice,
  {
    customerKey,
    stored,
  }: { readonly customerKey: CustomerKey | null; readonly stored: Readonly<HeaderRecord> },
): Record<string, string> {
  const { version } = call;
  const headers: Record<string, string> = { ...applyResponseOverrides(stored, call.query.get) };
  const download = call.query.get('download');
  if (download !== null && !call.query.get('response-content-disposition')) {
    headers['content-disposition'] = downloadDisposition(
      download,
      version.headers.contentDisposition,
      version.key,
    );
  }
  if (!call.hasOwnOrigin) isolateFromOrigin(headers);
  if (call.query.get(PREVIEW_PARAMETER) === '1') closeForPreview(headers);
  headers['content-length'] = `${slice.lengthBytes}`;
  const isNamed = call.query.get('versionId') !== null;
  const ofVersion = versionHeaders(call.bucket.record(), version, isNamed);
  Object.assign(headers, encryptionHeaders(version.encryption, customerKey));
  Object.assign(headers, slice.headers, ofVersion, taggingHeaders(call), objectLockHeaders(call));
  if (!isNamed) Object.assign(headers, expirationHeaders(call, core, version));
  return headers;
}

/**
 * Refuses overrides of response headers without a signature. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html (Overriding
 * response header values)
 */
function refuseAnonymousOverrides(call: ObjectCall): void {
  if (call.principal.kind !== 'anonymous') return;
  if (call.query.entries.some(([name]) => name.startsWith('response-'))) {
    throw new StorageError('InvalidRequest', {
      detail: 'Request specific response headers cannot be used for anonymous GET requests.',
    });
  }
}

/**
 * The partNumber of the query, null when absent. InvalidArgument outside 1 to
 * 10,000.
 */
export function readPartNumber(query: Query): number | null {
  const text = query.get('partNumber');
  if (text === null) return null;
  const partNumber = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (partNumber >= 1 && partNumber <= PART_NUMBER_MAX) return partNumber;
  throw invalidArgument(
    'partNumber',
    text,
    `Part number must be an integer between 1 and ${PART_NUMBER_MAX}, inclusive`,
  );
}

/** A 304 carries what a cache updates, no more. Source: RFC 9110 section 15.4.5. */
export function notModified(stored: Readonly<HeaderRecord>): S3Response {
  const headers: Record<string, string> = {};
  for (const name of ['etag', 'last-modified', 'cache-control', 'expires', 'vary']) {
    const value = stored[name];
    if (value !== undefined) headers[name] = value;
  }
  return { status: 304, headers, body: null };
}

/** A checksum of the whole object says nothing of a range, so a 206 has none. */
function sliceOfRange(version: ObjectVersion, header: string | null): Slice {
  const { sizeBytes } = version;
  const range = parseRange(header, sizeBytes);
  if (range === 'whole')
    return { range: null, lengthBytes: sizeBytes, checksum: version.checksum, headers: {} };
  if (range === 'unsatisfiable') {
    throw new StorageError('InvalidRange', {
      fields: { RangeRequested: header ?? '', ActualObjectSize: `${sizeBytes}` },
    });
  }
  return sliceOf(range, sizeBytes, null, {});
}

/**
 * One part as it was uploaded; an object that was put in one piece is its own part
 * 1. InvalidPart.
 */
function sliceOfPart(version: ObjectVersion, partNumber: number): Slice {
  const { checksum, parts, sizeBytes } = version;
  const count: Record<string, string> =
    parts === null ? {} : { 'x-amz-mp-parts-count': `${parts.length}` };
  let startByte = 0;
  for (const part of parts ?? [{ partNumber: 1, sizeBytes, checksum: checksum?.value ?? null }]) {
    if (part.partNumber === partNumber) {
      const value = part.checksum;
      const own =
        value === null || checksum === null ? null : { algorithm: checksum.algorithm, value };
      // No Content-Range can say "no bytes": an empty part is a 200.
      if (part.sizeBytes === 0)
        return { range: null, lengthBytes: 0, checksum: own, headers: count };
      return sliceOf(
        { startByte, endByteInclusive: startByte + part.sizeBytes - 1 },
        sizeBytes,
        own,
        count,
      );
    }
    startByte += part.sizeBytes;
  }
  throw new StorageError('InvalidPart', {
    detail: 'The requested partnumber is not satisfiable',
    fields: { PartNumberRequested: `${partNumber}`, ActualPartCount: `${parts?.length ?? 1}` },
  });
}

function sliceOf(
  range: HttpRange,
  sizeBytes: number,
  checksum: Slice['checksum'],
  headers: Readonly<Record<string, string>>,
): Slice {
  return {
    range,
    lengthBytes: lengthOf(range),
    checksum,
    headers: { ...headers, 'content-range': contentRange(range, sizeBytes) },
  };
}
