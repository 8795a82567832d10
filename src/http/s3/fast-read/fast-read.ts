// The fast path of signed reads: GetObject and HeadObject in one synchronous call,
// where memory has the access key, the bucket, the object and its bytes. Everything
// else, and every error, is left to the full path (operations/object/get-head.ts),
// whose code for signatures, decisions and headers it shares. It must never answer
// otherwise, and never decides what depends on the request (a condition, an
// address).
import type { Decide } from '../../../core/auth/decide.ts';
import type { Core } from '../../../core/core.ts';
import { bodyNow } from '../../../core/objects/read-object.ts';
import type { ObjectVersion } from '../../../domain/nouns.ts';
import type { BorrowedBuffer } from '../../../ports/blob-store.ts';
import type { OperationClass, UsageTier } from '../../../ports/metering.ts';
import type { Domains } from '../../address.ts';
import type { BodyOrigin } from '../../delivery/cache-status.ts';
import type { AnswerSignedAtOnce, SignedRead } from '../../delivery/fast-path/fast-path.ts';
import type { FastPathCounts } from '../../delivery/fast-path/fast-path-counts.ts';
import {
  borrowedResponse,
  type FastResponse,
  laterResponse,
  type ResponseOwner,
  rangeResponse,
  readLater,
  type WholeResponse,
  wholeResponse,
} from '../../delivery/fast-path/fast-response.ts';
import { createTargetReader } from '../../delivery/fast-path/read-target.ts';
import { fastPathOperationTiming } from '../../observe/server-timing.ts';
import { RECEIPT } from '../../receipt-header.ts';
import { evaluateRead, type ReadConditions } from '../../semantics/conditional.ts';
import { RESPONSE_OVERRIDES } from '../../semantics/object-headers.ts';
import { bytesOf, type HttpRange, parseRange } from '../../semantics/range.ts';
import type { Authenticator } from '../signature/authenticate.ts';
import type { Signer } from '../signature/authenticated.ts';
import {
  createFastReadHeaders,
  type RequestedReadOptions,
  type SignedHeaders,
} from './fast-read-headers.ts';

export type FastReadDependencies = {
  readonly signerOf: Authenticator['signerOf'];
  readonly decide: Decide;
  readonly domains: Domains;
  readonly counts: FastPathCounts;
  readonly isServerTimingOn: boolean;
};

/**
 * Headers beginning with `x-amz-` that this path knows: any other may request
 * something that it does not do.
 */
const KNOWN_HEADERS: ReadonlySet<string> = new Set([
  'x-amz-checksum-mode',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-user-agent',
]);

/**
 * Parameters of a signature, which do not change the response. Any other but those
 * below makes another request.
 */
const SIGNATURE_PARAMETERS: ReadonlySet<string> = new Set([
  'AWSAccessKeyId',
  'Expires',
  'Signature',
  'X-Amz-Algorithm',
  'X-Amz-Content-Sha256',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-Signature',
  'X-Amz-SignedHeaders',
]);
/** Parameters that override headers. */
const OVERRIDES: ReadonlySet<string> = new Set(['download', ...RESPONSE_OVERRIDES]);
const DIGIT_0 = 0x30;
const DIGIT_7 = 0x37;

/** A read that is allowed, and the headers of its response. */
type AllowedRead = ResponseOwner & {
  readonly read: SignedRead;
  readonly object: ObjectVersion;
  readonly headers: SignedHeaders;
};

/**
 * Makes the fast path of signed reads. Cost: that of the signature, and 1 µs.
 * Throws the error of a wrong request; then, as with null, nothing was done.
 */
export function createFastRead(core: Core, dependencies: FastReadDependencies): AnswerSignedAtOnce {
  const { directory, meter, metadataIndex } = core.ports;
  const { counts, isServerTimingOn, signerOf } = dependencies;
  const targetOf = createTargetReader(dependencies.domains, directory.peekHost);
  const headersOf = createFastReadHeaders(core, dependencies);

  return (read) => {
    const target = targetOf(read);
    if (target === null || target.site !== null || target.link !== null) return null;
    const current = metadataIndex.peekCurrent?.(target.bucket, target.key) ?? null;
    if (current === null || !hasKnownHeaders(read)) return null;
    const signed = signerOf(
      read,
      target.isOwnHost ? `/${target.bucket}${read.rawPath}` : read.rawPath,
    );
    const options = signed === null ? null : readOptions(read, signed, target.isOwnHost);
    if (signed === null || options === null) return null;
    const { accessKey: caller } = signed;
    const headers = headersOf(current, caller, options);
    return headers === null
      ? null
      : answer({
          read,
          object: current.object,
          headers,
          bucket: target.bucket,
          surface: 's3',
          accessKeyId: caller.id,
        });
  };

  function answer(allowed: AllowedRead): FastResponse | null {
    const { read, object, headers } = allowed;
    const outcome = evaluateRead(readConditions(read), object);
    if (outcome === 'precondition-failed') return null;
    if (outcome === 'not-modified') {
      if (read.isHead) counts.headNotModified += 1;
      else counts.getNotModified += 1;
      count(allowed, 'free', 0, 'none', 'STANDARD');
      return wholeResponse(304, headers.notModified('none'), allowed, null);
    }
    if (read.isHead) {
      if (read.range !== null) return null;
      counts.headWhole += 1;
      count(allowed, 'B', 0, 'none', object.storageClass);
      return wholeResponse(200, headers.whole('none'), allowed, null);
    }
    const range = parseRange(read.range, object.sizeBytes);
    return range === 'unsatisfiable' ? null : answerBody(allowed, range);
  }

  function answerBody(allowed: AllowedRead, range: HttpRange | 'whole'): FastResponse | null {
    const { object, headers } = allowed;
    const slice = bytesOf(range, object.sizeBytes);
    const opened = bodyNow(core, object, slice, true);
    if (opened === null) return null;
    const { body, tier, lend } = opened;
    const counted = (): void => {
      const from = tier === 'index' ? 'memory' : tier;
      count(allowed, 'B', slice.lengthBytes, from, object.storageClass);
      countBody(counts, tier, range === 'whole');
    };
    const isWhole = range === 'whole';
    const ownHeaders = isWhole ? headers.whole(tier) : headers.part(tier);
    const { sizeBytes } = object;
    if (lend === null) {
      if (isWhole) {
        counted();
        return wholeResponse(200, ownHeaders, allowed, body);
      }
      if (body === null) return null;
      counted();
      const facts = { range, sizeBytes, serverTiming: timingOf(tier, 0) };
      return rangeResponse(ownHeaders, allowed, body, facts);
    }
    const status = isWhole ? 200 : 206;
    const sentRange = isWhole ? { startByte: 0, endByteInclusive: sizeBytes - 1 } : range;
    const respondWith = (borrowed: BorrowedBuffer): WholeResponse => {
      counted();
      const serverTiming = timingOf(tier, borrowed.tookMs);
      const facts = { range: sentRange, sizeBytes, serverTiming };
      return borrowedResponse(status, ownHeaders, allowed, borrowed, facts);
    };
    return laterResponse(status, ownHeaders, allowed, readLater(lend, respondWith));
  }

  function timingOf(tier: BodyOrigin, tookMs: number): string {
    return tier === 'bucket' && isServerTimingOn ? fastPathOperationTiming(tier, tookMs) : '';
  }

  function count(
    { headers }: AllowedRead,
    operationClass: OperationClass,
    bytesOut: number,
    tier: UsageTier,
    storageClass: string,
  ): void {
    meter.of(headers.payer).count(operationClass, bytesOut, tier, storageClass);
  }
}

function countBody(counts: FastPathCounts, tier: BodyOrigin, isWhole: boolean): void {
  if (tier === 'index') counts.getInRow += 1;
  else if (isWhole && tier === 'bucket') counts.getWholeRead += 1;
  else if (isWhole) counts.getWhole += 1;
  else if (tier === 'bucket') counts.getPartRead += 1;
  else counts.getPart += 1;
}

function readConditions(read: SignedRead): ReadConditions {
  return {
    ifMatch: read.header('if-match'),
    ifNoneMatch: read.ifNoneMatch,
    ifModifiedSince: read.header('if-modified-since'),
    ifUnmodifiedSince: read.header('if-unmodified-since'),
  };
}

/** Whether this path knows all headers that may matter. */
function hasKnownHeaders(read: SignedRead): boolean {
  for (const name of read.headerNames())
    if (name.startsWith('x-amz-') && !KNOWN_HEADERS.has(name)) return false;
  return read.header(RECEIPT) === null;
}

/**
 * Options of the request for the headers of its response; null when it has a
 * parameter or a value that this path does not know.
 */
function readOptions(
  read: SignedRead,
  { query, isPresigned }: Signer,
  isOwnHost: boolean,
): RequestedReadOptions | null {
  const mode = read.header('x-amz-checksum-mode');
  if (mode !== null && mode !== 'ENABLED') return null;
  let hasChecksum = mode !== null;
  let overrides = '';
  if (!hasPlainEscapes(read.rawQuery)) return null;
  for (const { name, value } of query) {
    if (SIGNATURE_PARAMETERS.has(name)) continue;
    if (OVERRIDES.has(name)) overrides += `&${name}=${value}`;
    // In the query it counts where the signature stands there too.
    else if (name === 'X-Amz-Checksum-Mode' && value === 'ENABLED' && isPresigned)
      hasChecksum = true;
    else if (name !== 'x-id' || value !== 'GetObject') return null;
  }
  return { isOwnHost, hasChecksum, overrides };
}

/**
 * Whether every `%` begins an escape of an ASCII character: then the query is sure
 * to be decoded everywhere.
 */
function hasPlainEscapes(text: string): boolean {
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', at + 1)) {
    const high = text.charCodeAt(at + 1);
    if (high < DIGIT_0 || high > DIGIT_7 || !isHexDigit(text.charCodeAt(at + 2))) return false;
  }
  return true;
}

/** False for NaN, which stands behind the end of a text. */
function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return (code >= DIGIT_0 && code <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
