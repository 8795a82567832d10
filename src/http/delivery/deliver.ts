// Public reads, the whole policy on one page: pointer from the nearest tier, conditions and range from the pointer
// alone, then the body. Called for unsigned GET and HEAD of an object. It never asks the index when a tier knows,
// never opens a body that is not sent, and takes headers from the pointer only, so that no cached body can bring old ones.
// Header names are lower case everywhere (semantics/object-headers.ts), or one would come twice.
import type { Decide } from '../../core/auth/decide.ts';
import type { Core } from '../../core/core.ts';
import { openWithCustomerKey } from '../../core/encryption/key-keeping.ts';
import { parseBucketName, parseObjectKey } from '../../core/names.ts';
import { findCurrent, findCurrentOf } from '../../core/objects/find-current.ts';
import { openBody } from '../../core/objects/read-object.ts';
import type { BucketName, ObjectKey, Pointer } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { Found, Staleness } from '../../ports/hot-metadata.ts';
import type { Domains } from '../address.ts';
import { withFailureHeaders } from '../failure-with-headers.ts';
import type { RequestNotes } from '../observe/request-notes.ts';
import { readTiming, SERVER_TIMING } from '../observe/server-timing.ts';
import { makeResponse, type OutgoingBody } from '../outgoing-body.ts';
import type { AnswerHot, HttpRequest } from '../request.ts';
import { evaluateRead, isIfRangeSatisfied } from '../semantics/conditional.ts';
import { corsHeaders, withCors } from '../semantics/cors.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { type ByteRange, parseRange } from '../semantics/range.ts';
import { decodePathSegment } from '../semantics/raw-path.ts';
import { type BodyOrigin, createCacheStatus } from './cache-status.ts';
import { countRead } from './count-read.ts';
import { createHeaderProfiles, type HeaderProfile } from './header-profile.ts';
import { createHotAnswer, type HotCountsBySurface, newHotCounts } from './hot-answer.ts';
import { createPreparedFor } from './prepared-headers.ts';
import { createPublicReader, withPrivateCaching } from './public-reader.ts';
import { createSiteDelivery, type DeliverSite } from './site/deliver-site.ts';
import { createSiteRulesReader } from './site/site-rules.ts';
import { wishedHeaders } from './wishes.ts';

/** The domains are for the hot answer, which reads its address itself. */
export type DeliverySettings = Domains & {
  /** Cache-Control of public objects that have none of their own, nor an Expires. */
  readonly defaultCacheControl: string;
  /** Whether answers tell where their time went. */
  readonly isServerTimingOn: boolean;
  /** Named to policies that ask for it. */
  readonly region: string;
};

export type Deliver = (
  request: HttpRequest,
  rawBucket: string,
  rawKey: string,
  requestId: string,
  /** Whether the console is at another origin; without it active content is sandboxed. */
  hasOwnOrigin?: boolean,
) => Response | Promise<Response>;

export type Delivery = {
  readonly deliver: Deliver;
  readonly deliverSite: DeliverSite;
  /** The same policy for what can be answered at once: hot-answer.ts. */
  readonly hotAnswer: AnswerHot;
  readonly hotCounts: HotCountsBySurface;
};

/** One read of one key. */
export type Asked = {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly key: ObjectKey;
  readonly hasOwnOrigin: boolean;
  /** What a site does to the headers; null at S3's addresses. */
  readonly profile: HeaderProfile | null;
};

/** Makes both doors. Errors: NoSuchBucket, NoSuchKey, AccessDenied, PreconditionFailed, InvalidRange, InvalidURI. */
export function createDelivery(core: Core, settings: DeliverySettings, decide: Decide): Delivery {
  const { meter, tiers } = core.ports;
  const { defaultCacheControl, isServerTimingOn } = settings;
  const cacheStatus = createCacheStatus(tiers);
  const reader = createPublicReader(core, decide, settings);
  const memoryHit = cacheStatus('memory', 'memory');
  const profiles = createHeaderProfiles();
  const preparedFor = createPreparedFor({ defaultCacheControl, memoryHit, isServerTimingOn });

  /** With how long it took, unless it came out of memory: then prepared-headers.ts has said what there is to say. */
  function withTiming(headers: Readonly<HeaderRecord>, cacheStatus: string, notes: RequestNotes) {
    if (!isServerTimingOn || cacheStatus === memoryHit) return headers;
    return { ...headers, [SERVER_TIMING]: readTiming(notes, performance.now()) };
  }

  function answer(asked: Asked, found: Found): Response | Promise<Response> {
    const cors = found.gate === null ? null : corsHeaders(found.gate.settings.cors, asked.request);
    if (cors === null) return answerPublic(asked, found, null);
    const fail = (error: unknown): never => {
      throw withFailureHeaders(error, cors);
    };
    try {
      const answered = answerPublic(asked, found, cors);
      return answered instanceof Promise ? answered.catch(fail) : answered;
    } catch (error) {
      return fail(error);
    }
  }

  /** `cors`: what the bucket's rules add to the answer; null when it has none. */
  function answerPublic(asked: Asked, found: Found, cors: Readonly<HeaderRecord> | null): Response | Promise<Response> {
    const { request, key, hasOwnOrigin, profile } = asked;
    const { pointer, isForEveryone } = reader.require(request, found, key);
    // Who has the key to what a client encrypted sends it, and does not come here.
    if (pointer.encryption !== null) openWithCustomerKey(pointer.encryption, null);
    const used = profile ?? profiles.plain(found.gate?.settings.hosting ?? null, hasOwnOrigin);
    const prepared = preparedFor(used);
    if (prepared.isGuarded(pointer)) requireReferer(used, request, cors);
    const { whole, notModified, part } = prepared;
    const { tier, stale } = found;
    const shown = (headers: Readonly<HeaderRecord>) =>
      withAge(isForEveryone ? headers : withPrivateCaching(headers, pointer), stale);
    const outcome = evaluateRead(readConditions(request), pointer);
    if (outcome === 'not-modified') {
      const status = cacheStatus(tier, 'none', stale);
      const headers = withTiming(notModified(pointer, status), status, request.notes);
      return respond(asked, 304, shown(headers), null, cors);
    }
    if (outcome === 'precondition-failed') throw new StorageError('PreconditionFailed');

    const range = readRange(request, pointer);
    const isWhole = range === 'whole';
    const offsetBytes = isWhole ? 0 : range.startByte;
    const lengthBytes = isWhole ? pointer.sizeBytes : range.endByteInclusive - range.startByte + 1;
    const wished = wishedHeaders(request, pointer, isWhole);
    const send = (body: OutgoingBody, origin: BodyOrigin): Response => {
      const status = cacheStatus(tier, origin, stale);
      const stored = isWhole ? whole(pointer, status) : part(pointer, status, range);
      countRead(meter, found.gate, body === null ? 0 : lengthBytes, origin, request.notes);
      const headers = withTiming(wished === null ? stored : { ...stored, ...wished }, status, request.notes);
      return respond(asked, isWhole ? 200 : 206, shown(headers), body, cors);
    };
    if (request.method === 'HEAD') return send(null, 'none');
    const opened = openBody(core, pointer, { offsetBytes, lengthBytes });
    return opened instanceof Promise
      ? opened.then(({ body, tier }) => send(body, tier))
      : send(opened.body, opened.tier);
  }

  const find = (bucket: BucketName, key: ObjectKey): Found | Promise<Found> => findCurrent(core, bucket, key);

  const findAll = (bucket: BucketName, keys: readonly ObjectKey[]) => findCurrentOf(core, bucket, keys);

  const deliver: Deliver = (request, rawBucket, rawKey, requestId, hasOwnOrigin = false) => {
    const { notes } = request;
    notes.surface = 'delivery';
    notes.operation = request.method === 'HEAD' ? 'HeadObject' : 'GetObject';
    const bucket = parseBucketName(decodePathSegment(rawBucket));
    const key = parseObjectKey(decodePathSegment(rawKey));
    const asked: Asked = { request, requestId, key, hasOwnOrigin, profile: null };
    const proceed = (found: Found) => {
      if (found.gate !== null) {
        notes.bucket = bucket;
        notes.isLogged = found.gate.settings.logging != null;
        notes.key = key;
      }
      notes.metadataTier = found.tier;
      if (found.tier !== 'memory') notes.foundMs = performance.now();
      return answer(asked, found);
    };
    const found = find(bucket, key);
    return found instanceof Promise ? found.then(proceed) : proceed(found);
  };

  const hotCounts = newHotCounts();
  const rules = createSiteRulesReader(core);
  const shared = { preparedFor, profiles, rules };
  const hotAnswer = createHotAnswer(core, { domains: settings, memoryHit, counts: hotCounts, ...shared });
  return {
    deliver,
    deliverSite: createSiteDelivery(core, { find, findAll, answer, mayRead: reader.mayRead, profiles, rules }),
    hotAnswer,
    hotCounts,
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

/** A stale answer says how old it is. A fresh one is the origin's own and has no age. Source: RFC 9111 section 5.1. */
function withAge(headers: Readonly<HeaderRecord>, stale: Staleness | null): Readonly<HeaderRecord> {
  return stale === null ? headers : { ...headers, age: `${Math.floor(stale.ageSeconds)}` };
}

/**
 * What the Range header asks for, if it counts: for GET alone, so HEAD tells of the whole object (S3 itself, and so our
 * signed HEAD, answers 206). InvalidRange. Source: RFC 9110 section 14.2.
 */
function readRange(request: HttpRequest, pointer: Pointer): ByteRange | 'whole' {
  const header = request.method === 'GET' ? request.header('range') : null;
  if (header === null || !isIfRangeSatisfied(request.header('if-range'), pointer)) return 'whole';
  const range = parseRange(header, pointer.sizeBytes);
  if (range !== 'unsatisfiable') return range;
  throw new StorageError('InvalidRange', {
    fields: { RangeRequested: header, ActualObjectSize: `${pointer.sizeBytes}` },
  });
}

/** Refuses an object to a page that may not show it. AccessDenied. */
function requireReferer({ rules }: HeaderProfile, request: HttpRequest, cors: Readonly<HeaderRecord> | null): void {
  if (rules === null || rules.allowsReferer(request.header('referer'), request.host)) return;
  const failure = new StorageError('AccessDenied', { detail: 'The owner lets other sites not show this.' });
  const vary = { vary: 'Referer' };
  throw withFailureHeaders(failure, cors === null ? vary : withCors(vary, cors));
}

function readConditions(request: HttpRequest) {
  return {
    ifMatch: request.header('if-match'),
    ifNoneMatch: request.header('if-none-match'),
    ifModifiedSince: request.header('if-modified-since'),
    ifUnmodifiedSince: request.header('if-unmodified-since'),
  };
}
