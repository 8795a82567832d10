// Public reads, the whole policy on one page: pointer from the nearest tier, then who may read it,
// then which of its representations; answer-object.ts decides conditions and range, and opens the
// body. Called for unsigned GET and HEAD of an object. It never asks the index when a tier knows,
// never opens a body that is not sent, and takes headers from the pointer only, so that no cached
// body can bring old ones. Header names are lower case everywhere (semantics/object-headers.ts), or
// one would come twice.
import type { Decide } from '../../core/auth/decide.ts';
import type { TakeReceipt } from '../../core/billing/receipts/take-receipt.ts';
import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
import { openWithCustomerKey } from '../../core/encryption/envelope.ts';
import { findCurrent, findCurrentOf } from '../../core/objects/find-current.ts';
import { parseBucketName, parseObjectKey } from '../../core/parse-names.ts';
import { hasCode } from '../../domain/errors.ts';
import type { BucketName, ObjectKey } from '../../domain/nouns.ts';
import type { Found } from '../../ports/hot-metadata.ts';
import type { Domains } from '../address.ts';
import { withFailureHeaders } from '../failure-with-headers.ts';
import type { AnswerHot, HttpRequest } from '../request.ts';
import { requireExpectedOwner } from '../s3/headers/expected-owner.ts';
import { corsHeaders } from '../semantics/cors.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { decodePathSegment } from '../semantics/raw-path.ts';
import { createAnswerObject } from './answer-object.ts';
import { createCacheStatus } from './cache-status.ts';
import { readerOf } from './count-read.ts';
import { createHeaderProfiles, type HeaderProfile } from './header-profile.ts';
import { createHotAnswer } from './hot-answer.ts';
import { type HotCountsBySurface, newHotCounts } from './hot-counts.ts';
import { createImages } from './images.ts';
import { createPreparedFor } from './prepared-headers.ts';
import { createPublicReader } from './public-reader.ts';
import { createReadReceipts, freeReceiptOf } from './read-receipt.ts';
import { type Making, requesterOf } from './requester.ts';
import { requireReferer } from './require-referer.ts';
import { requireWorkFor } from './require-work.ts';
import { createSiteDelivery, type DeliverSite } from './site/deliver-site.ts';
import { createSiteRulesReader } from './site/site-rules.ts';
import { createUnsignedHeaders, type UnsignedHeaders } from './unsigned-headers.ts';
import { createVariants } from './variants.ts';
import type { RequestedOptions } from './wishes.ts';

/** The domains are for the hot answer, which reads its address itself. */
export type DeliverySettings = Domains & {
  /** Cache-Control of public objects that have none of their own, nor an Expires. */
  readonly defaultCacheControl: string;
  /** Largest object that goes out compressed, bytes; 0 for none. */
  readonly compressionMaxBytes: number;
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
  wish?: RequestedOptions | null,
) => Response | Promise<Response>;

export type Delivery = {
  readonly deliver: Deliver;
  readonly deliverSite: DeliverSite;
  /** For unsigned reads of what delivery has not. */
  readonly unsignedHeaders: UnsignedHeaders;
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
  /** What only a call of S3 says; null for all others. */
  readonly wish: RequestedOptions | null;
};

/**
 * Makes both doors. `caps`, `takeReceipt` null: there are none. Errors: those of caps,
 * NoSuchBucket, NoSuchKey, AccessDenied, PreconditionFailed, InvalidRange, InvalidURI.
 */
export function createDelivery(
  core: Core,
  settings: DeliverySettings,
  decide: Decide,
  caps: CapGuard | null = null,
  takeReceipt: TakeReceipt | null = null,
): Delivery {
  const { isServerTimingOn } = settings;
  const { tier: derivedTier } = core.ports.derived;
  const cacheStatus = createCacheStatus(core.ports.tiers);
  const reader = createPublicReader(core, decide, settings);
  const memoryHit = cacheStatus('memory', 'memory');
  const profiles = createHeaderProfiles();
  const memoryMiss = cacheStatus('memory', 'bucket');
  const preparedFor = createPreparedFor({ ...settings, memoryHit, memoryMiss });
  const variants = createVariants(core);
  const images = createImages(core);
  const receiptOf = createReadReceipts(takeReceipt);
  const answerObject = createAnswerObject(core, {
    cacheStatus,
    memoryHit,
    isServerTimingOn,
    caps,
    receiptOf,
  });

  function answer(asked: Asked, found: Found): Response | Promise<Response> {
    const cors =
      found.readPolicy === null ? null : corsHeaders(found.readPolicy.settings.cors, asked.request);
    const free = freeReceiptOf(found.readPolicy);
    const fail = (error: unknown): never => {
      // Of what the reader may not have it tells nothing, not even whether somebody asked before.
      const isMissing = hasCode(error, 'NoSuchKey');
      const status = isMissing
        ? { 'cache-status': cacheStatus(found.tier, 'none', found.stale) }
        : null;
      const added = { ...status, ...cors, ...free };
      throw Object.keys(added).length === 0 ? error : withFailureHeaders(error, added);
    };
    try {
      const answered = answerPublic(asked, found, cors);
      return answered instanceof Promise ? answered.catch(fail) : answered;
    } catch (error) {
      return fail(error);
    }
  }

  /** `cors`: what the bucket's rules add to the answer; null when it has none. */
  function answerPublic(
    asked: Asked,
    found: Found,
    cors: Readonly<HeaderRecord> | null,
  ): Response | Promise<Response> {
    const { request, key, hasOwnOrigin, profile, wish } = asked;
    // A bucket that was made anew since, under another owner, is not the one that was decided on.
    const isOwners =
      wish !== null &&
      wish.ownersBucket !== null &&
      wish.ownersBucket === found.readPolicy?.bucketId;
    const { pointer, isForEveryone } = isOwners
      ? reader.requireFound(found, key)
      : reader.require(request, found, key);
    if (wish !== null && found.readPolicy !== null)
      requireExpectedOwner(wish.expectedOwner, found.readPolicy);
    // Who has the key to what a client encrypted sends it, and does not come here.
    if (pointer.encryption !== null) openWithCustomerKey(pointer.encryption, null);
    const used =
      profile ?? profiles.plain(found.readPolicy?.settings.hosting ?? null, hasOwnOrigin);
    const prepared = preparedFor(used);
    if (prepared.isGuarded(pointer)) requireReferer(used, request, cors);
    const read = { asked, found, pointer, prepared, cors, isForEveryone };
    const imageSettings =
      request.rawQuery === '' ? null : (found.readPolicy?.settings.hosting?.images ?? null);
    const work = requireWorkFor(caps, found.readPolicy, {
      isHead: request.method === 'HEAD',
      tier: derivedTier,
    });
    const findRequester = () => requesterOf(found.readPolicy, request);
    const making: Making = { work, findRequester, isOwners };
    const image =
      imageSettings === null ? null : images.choose(pointer, request, imageSettings, making);
    const choice =
      image === null && prepared.isNegotiated(pointer)
        ? variants.choose(pointer, request, making)
        : image;
    return choice instanceof Promise
      ? choice.then((late) => answerObject(read, late))
      : answerObject(read, choice);
  }

  const find = (bucket: BucketName, key: ObjectKey): Found | Promise<Found> =>
    findCurrent(core, bucket, key);

  const findAll = (bucket: BucketName, keys: readonly ObjectKey[]) =>
    findCurrentOf(core, bucket, keys);

  const deliver: Deliver = (
    request,
    rawBucket,
    rawKey,
    requestId,
    hasOwnOrigin = false,
    wish = null,
  ) => {
    const { notes } = request;
    notes.surface = 'delivery';
    notes.operation = request.method === 'HEAD' ? 'HeadObject' : 'GetObject';
    const bucket = parseBucketName(decodePathSegment(rawBucket));
    const key = parseObjectKey(decodePathSegment(rawKey));
    const asked: Asked = { request, requestId, key, hasOwnOrigin, profile: null, wish };
    const proceed = (found: Found) => {
      if (found.readPolicy !== null) {
        notes.bucket = bucket;
        notes.payer = readerOf(found.readPolicy);
        notes.isLogged = found.readPolicy.settings.logging != null;
        notes.key = key;
        notes.objectBytes = found.pointer?.sizeBytes ?? null;
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
  const shared = { preparedFor, profiles, rules, variants, caps };
  const hotAnswer = createHotAnswer(core, {
    domains: settings,
    memoryHit,
    isServerTimingOn,
    counts: hotCounts,
    ...shared,
  });
  return {
    deliver,
    unsignedHeaders: createUnsignedHeaders(profiles, preparedFor),
    deliverSite: createSiteDelivery(core, {
      find,
      findAll,
      answer,
      mayRead: reader.mayRead,
      profiles,
      rules,
      caps,
      receiptOf,
    }),
    hotAnswer,
    hotCounts,
  };
}
