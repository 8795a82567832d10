// Makes and counts the responses of a read whose policy is decided: 304, 200 and
// 206, and what is added to a failure. Called by deliver.ts alone. Headers come
// from the pointer, by prepared-headers.ts, and from the representation that was
// chosen.
import type { Core } from '../../core/core.ts';
import { hasCode } from '../../domain/errors.ts';
import type { MetadataLookup, Staleness } from '../../ports/caches/hot-metadata.ts';
import { withFailureHeaders } from '../failure-with-headers.ts';
import type { RequestNotes } from '../observe/request-notes.ts';
import { readTiming, SERVER_TIMING } from '../observe/server-timing.ts';
import { countSent, makeResponse, type OutgoingBody } from '../outgoing-body.ts';
import { withCors } from '../semantics/cors.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import type { CacheStatus } from './cache-status.ts';
import { noteRead, tierOf } from './count-read.ts';
import type { FeaturesOf } from './features/read-feature.ts';
import type { ObjectRead, SentBody, SentRange } from './object-read.ts';
import { withPrivateCaching } from './public-reader.ts';
import {
  type Choice,
  notModifiedWithRepresentation,
  partWithRepresentation,
  withRepresentation,
} from './representation.ts';

export type ObjectResponses = {
  notModified(read: ObjectRead, choice: Choice | null): Response;
  /** Counts a 200 or 206 and makes it; waits only where a feature counts. */
  withBody(read: ObjectRead, sent: SentRange, opened: SentBody): Response | Promise<Response>;
  /** Throws the failure of a read, with the headers that its response must have. */
  fail(error: unknown, found: MetadataLookup, cors: Readonly<HeaderRecord> | null): never;
};

/** `memoryHit`: the Cache-Status of a response from memory. */
export type ObjectResponsesOptions = {
  readonly cacheStatus: CacheStatus;
  readonly memoryHit: string;
  readonly isServerTimingOn: boolean;
  readonly featuresOf: FeaturesOf;
};

export function createObjectResponses(
  core: Core,
  { cacheStatus, memoryHit, isServerTimingOn, featuresOf }: ObjectResponsesOptions,
): ObjectResponses {
  const { meter } = core.ports;

  /**
   * Adds how long it took, unless all came out of memory: then prepared-headers.ts
   * has said what there is to say.
   */
  function withTiming(headers: Readonly<HeaderRecord>, status: string, notes: RequestNotes) {
    if (!isServerTimingOn || status === memoryHit) return headers;
    return { ...headers, [SERVER_TIMING]: readTiming(notes, performance.now()) };
  }

  return {
    notModified(read, choice) {
      const { readRequest, found, pointer, prepared, features } = read;
      const status = cacheStatus(found.tier, 'none', found.stale);
      const stored = prepared.notModified(pointer, status);
      const own = choice === null ? stored : notModifiedWithRepresentation(stored, choice);
      const headers = asShown(read, withTiming(own, status, readRequest.request.notes));
      const { freeHeaders } = features;
      const all = freeHeaders === null ? headers : { ...headers, ...freeHeaders };
      return respond(read, 304, all, null);
    },

    withBody(read, sent, { body, tier: origin }) {
      const { readRequest, found, readPolicy, pointer, features } = read;
      const { notes } = readRequest.request;
      const status = cacheStatus(found.tier, origin, found.stale);
      const own = headersOf(read, sent, status);

      const finish = (added: HeaderRecord | null, counted: OutgoingBody): Response => {
        const all = added === null ? own : { ...own, ...added };
        const headers = asShown(read, withTiming(all, status, notes));
        return respond(read, sent.range === 'whole' ? 200 : 206, headers, counted);
      };

      const bytesOut = body === null ? 0 : sent.lengthBytes;
      const { storageClass } = pointer;
      const operationClass = 'B' as const;
      if (features.count !== null) {
        const use = { operationClass, bytesOut, origin, storageClass };
        const counting = features.count(readRequest, readPolicy, use);
        return counting.then((added) => finish({ ...sent.added, ...added }, body));
      }
      noteRead(notes, bytesOut, origin);
      const use = { operationClass, bytesOut, tier: tierOf(origin, bytesOut), storageClass };
      return finish(sent.added, countSent(meter.ofReadPolicy(readPolicy), use, body));
    },

    fail(error, { readPolicy, tier, stale }, cors) {
      // A refusal says nothing of the object, not even whether it was read before.
      const isMissing = hasCode(error, 'NoSuchKey');
      const status = isMissing ? { 'cache-status': cacheStatus(tier, 'none', stale) } : null;
      const free = readPolicy === null ? null : featuresOf(readPolicy).freeHeaders;
      const added = { ...status, ...cors, ...free };
      throw Object.keys(added).length === 0 ? error : withFailureHeaders(error, added);
    },
  };
}

/** The headers of what is sent, without timing, age and what was requested. */
function headersOf(
  { pointer, prepared }: ObjectRead,
  { representation, range }: SentRange,
  status: string,
): Readonly<HeaderRecord> {
  if (range === 'whole') {
    const own = prepared.whole(pointer, status);
    return representation === null ? own : withRepresentation(own, representation);
  }
  const own = prepared.part(pointer, status, range);
  return representation === null ? own : partWithRepresentation(own, representation, range);
}

function asShown(
  { found, pointer, isForEveryone }: ObjectRead,
  headers: Readonly<HeaderRecord>,
): Readonly<HeaderRecord> {
  return withAge(isForEveryone ? headers : withPrivateCaching(headers, pointer), found.stale);
}

/**
 * Makes the response. The request id comes last: the fast path writes it behind the
 * others.
 */
function respond(
  { readRequest: { request, requestId }, cors }: ObjectRead,
  status: number,
  headers: Readonly<HeaderRecord>,
  body: OutgoingBody,
): Response {
  const all = cors === null ? headers : withCors(headers, cors);
  return makeResponse(request, status, { ...all, 'x-amz-request-id': requestId }, body);
}

/**
 * Adds the age of a stale response. A fresh one is the origin's own and has no age.
 * Source: RFC 9111 section 5.1.
 */
function withAge(headers: Readonly<HeaderRecord>, stale: Staleness | null): Readonly<HeaderRecord> {
  return stale === null ? headers : { ...headers, age: `${Math.floor(stale.ageSeconds)}` };
}
