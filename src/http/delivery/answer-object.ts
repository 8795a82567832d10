// Answers a public read once it is known what is meant: conditions and range from the pointer or
// the representation alone, then the body. Called by deliver.ts, which has found the object and
// knows that everyone may read it.

import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
import { isInMemory, openBody } from '../../core/objects/read-object.ts';
import { StorageError } from '../../domain/errors.ts';
import type { Pointer } from '../../domain/nouns.ts';
import type { Found, Staleness } from '../../ports/hot-metadata.ts';
import { countSent } from '../count-sent.ts';
import type { RequestNotes } from '../observe/request-notes.ts';
import { readTiming, SERVER_TIMING } from '../observe/server-timing.ts';
import { makeResponse, type OutgoingBody } from '../outgoing-body.ts';
import type { HttpRequest } from '../request.ts';
import { evaluateRead, isIfRangeSatisfied } from '../semantics/conditional.ts';
import { withCors } from '../semantics/cors.ts';
import { parseHttpDate } from '../semantics/http-date.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { type ByteRange, bytesOf, parseRange } from '../semantics/range.ts';
import type { BodyOrigin, CacheStatus } from './cache-status.ts';
import { noteRead, readerOf, tierOf } from './count-read.ts';
import type { Asked } from './deliver.ts';
import type { PreparedHeaders } from './prepared-headers.ts';
import { withPrivateCaching } from './public-reader.ts';
import { freeReceiptOf, type ReceiptOfRead } from './read-receipt.ts';
import { type Choice, dressed, dressedNotModified, dressedPart } from './representation.ts';
import { requestedHeaders } from './wishes.ts';

/**
 * What was found for a read. `cors`: what the bucket's rules add to the answer; null when it has
 * none.
 */
export type ObjectRead = {
  readonly asked: Asked;
  readonly found: Found;
  readonly pointer: Pointer;
  readonly prepared: PreparedHeaders;
  readonly cors: Readonly<HeaderRecord> | null;
  /** Otherwise no shared cache may keep the answer. */
  readonly isForEveryone: boolean;
};

/** `choice` null: the object as it is. PreconditionFailed, InvalidRange, InvalidArgument. */
export type AnswerObject = (
  read: ObjectRead,
  choice: Choice | null,
) => Response | Promise<Response>;

/** `memoryHit`: the Cache-Status of an answer from memory. */
export function createAnswerObject(
  core: Core,
  options: {
    readonly cacheStatus: CacheStatus;
    readonly memoryHit: string;
    readonly isServerTimingOn: boolean;
    readonly caps: CapGuard | null;
    readonly receiptOf: ReceiptOfRead;
  },
): AnswerObject {
  const { meter } = core.ports;
  const { cacheStatus, memoryHit, isServerTimingOn, caps, receiptOf } = options;

  /**
   * With how long it took, unless it came out of memory: then prepared-headers.ts has said what
   * there is to say.
   */
  function withTiming(headers: Readonly<HeaderRecord>, status: string, notes: RequestNotes) {
    if (!isServerTimingOn || status === memoryHit) return headers;
    return { ...headers, [SERVER_TIMING]: readTiming(notes, performance.now()) };
  }

  return (read, choice) => {
    const { asked, found, pointer, prepared, cors, isForEveryone } = read;
    const { request } = asked;
    const { tier, stale } = found;
    const representation = choice?.representation ?? null;
    const shown = (headers: Readonly<HeaderRecord>) =>
      withAge(isForEveryone ? headers : withPrivateCaching(headers, pointer), stale);
    const { lastModifiedMs } = pointer;
    const validators = choice === null ? pointer : { etag: choice.etag, lastModifiedMs };
    const outcome = evaluateRead(readConditions(request), validators);
    if (outcome === 'not-modified') {
      const status = cacheStatus(tier, 'none', stale);
      const stored = prepared.notModified(pointer, status);
      const own = choice === null ? stored : dressedNotModified(stored, choice);
      const free = freeReceiptOf(found.readPolicy);
      const headers = shown(withTiming(own, status, request.notes));
      return respond(asked, 304, free === null ? headers : { ...headers, ...free }, null, cors);
    }
    if (outcome === 'precondition-failed') throw new StorageError('PreconditionFailed');

    const sizeBytes = representation?.bytes.length ?? pointer.sizeBytes;
    const range = readRange(request, { ...validators, sizeBytes }, prepared.isNegotiated(pointer));
    const isWhole = range === 'whole';
    const { offsetBytes, lengthBytes } = bytesOf(range, sizeBytes);
    const wished = requestedHeaders(request, pointer, {
      representation,
      isWhole,
      wish: asked.wish,
    });

    /** The headers of what is sent, without timing and age. */
    function headersWith(status: string): Readonly<HeaderRecord> {
      if (isWhole) {
        const own = prepared.whole(pointer, status);
        return representation === null ? own : dressed(own, representation);
      }
      const own = prepared.part(pointer, status, range);
      return representation === null ? own : dressedPart(own, representation, range);
    }
    const isHead = request.method === 'HEAD';
    const readPolicy =
      caps !== null && found.readPolicy?.settings.isCapped === true ? found.readPolicy : null;
    const wanted = { operationClass: 'B' as const, bytesOut: isHead ? 0 : lengthBytes };
    const send = (
      body: OutgoingBody,
      origin: BodyOrigin,
      isLate = false,
    ): Response | Promise<Response> => {
      const use = { ...wanted, fromMemory: origin !== 'bucket' };
      const refusal =
        readPolicy === null ? null : (caps?.refusalNow(readerOf(readPolicy), use) ?? null);
      const letGo = (error: unknown): never => {
        if (body instanceof ReadableStream) void body.cancel().catch(() => undefined);
        throw error;
      };
      if (refusal !== null) {
        if (isLate || readPolicy === null || caps === null) return letGo(refusal);
        // While the body was opened another answer used what this one was told of: there may be
        // more.
        return caps.require(readerOf(readPolicy), use).then(() => send(body, origin, true), letGo);
      }
      const status = cacheStatus(tier, origin, stale);
      const stored = headersWith(status);
      const finish = (added: HeaderRecord | null, sent = body): Response => {
        const headers = withTiming(
          added === null ? stored : { ...stored, ...added },
          status,
          request.notes,
        );
        return respond(asked, isWhole ? 200 : 206, shown(headers), sent, cors);
      };
      const bytesOut = body === null ? 0 : lengthBytes;
      const { storageClass } = pointer;
      const receipt = receiptOf(asked, found.readPolicy, {
        operationClass: 'B',
        bytesOut,
        origin,
        storageClass,
      });
      if (receipt !== null) return receipt.then((header) => finish({ ...wished, ...header }));
      noteRead(request.notes, bytesOut, origin);
      // Without a bucket there is nobody to bill.
      if (found.readPolicy === null) return finish(wished);
      const sent = {
        operationClass: 'B' as const,
        bytesOut,
        tier: tierOf(origin, bytesOut),
        storageClass,
      };
      return finish(wished, countSent(meter.ofReadPolicy(found.readPolicy), sent, body));
    };
    const proceed = (): Response | Promise<Response> => {
      if (isHead) return send(null, 'none');
      if (representation !== null) {
        return send(
          representation.bytes.subarray(offsetBytes, offsetBytes + lengthBytes),
          choice?.origin ?? 'memory',
        );
      }
      const opened = openBody(core, pointer, { offsetBytes, lengthBytes });
      return opened instanceof Promise
        ? opened.then((late) => send(late.body, late.tier))
        : send(opened.body, opened.tier);
    };
    if (readPolicy === null || caps === null) return proceed();
    const isAtHand =
      representation === null
        ? isInMemory(core, pointer, { offsetBytes, lengthBytes })
        : choice?.origin !== 'bucket';
    const fromMemory = isHead || isAtHand;
    return caps.require(readerOf(readPolicy), { ...wanted, fromMemory }).then(proceed);
  };
}

/** The request id comes last: the hot lane writes it behind the prepared headers. */
function respond(
  { request, requestId }: Asked,
  status: number,
  headers: Readonly<HeaderRecord>,
  body: OutgoingBody,
  cors: Readonly<HeaderRecord> | null,
): Response {
  const all = cors === null ? headers : withCors(headers, cors);
  return makeResponse(request, status, { ...all, 'x-amz-request-id': requestId }, body);
}

/**
 * A stale answer says how old it is. A fresh one is the origin's own and has no age. Source: RFC
 * 9111 section 5.1.
 */
function withAge(headers: Readonly<HeaderRecord>, stale: Staleness | null): Readonly<HeaderRecord> {
  return stale === null ? headers : { ...headers, age: `${Math.floor(stale.ageSeconds)}` };
}

type RangeTarget = Pick<Pointer, 'etag' | 'lastModifiedMs' | 'sizeBytes'>;

/**
 * What the Range header asks for, if it counts: for GET alone, so HEAD tells of the whole object
 * (S3 itself, and so our signed HEAD, answers 206). A date does not tell which of several
 * representations a reader has, so none may go on by it. InvalidRange. Source: RFC 9110 sections
 * 14.2 and 13.1.5.
 */
function readRange(
  request: HttpRequest,
  target: RangeTarget,
  hasSeveral: boolean,
): ByteRange | 'whole' {
  const header = request.method === 'GET' ? request.header('range') : null;
  if (header === null) return 'whole';
  const ifRange = request.header('if-range');
  if (!isIfRangeSatisfied(ifRange, target)) return 'whole';
  if (hasSeveral && ifRange !== null && parseHttpDate(ifRange) !== null) return 'whole';
  const range = parseRange(header, target.sizeBytes);
  if (range !== 'unsatisfiable') return range;
  throw new StorageError('InvalidRange', {
    fields: { RangeRequested: header, ActualObjectSize: `${target.sizeBytes}` },
  });
}

function readConditions(request: HttpRequest) {
  return {
    ifMatch: request.header('if-match'),
    ifNoneMatch: request.header('if-none-match'),
    ifModifiedSince: request.header('if-modified-since'),
    ifUnmodifiedSince: request.header('if-unmodified-since'),
  };
}
