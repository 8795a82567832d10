// The fast path of delivery: answers a plain public read in one synchronous call,
// from memory or not at all. Small ranges that the bucket has at hand take two, so
// that the platform may read them when it sends them. It takes the steps of
// deliver.ts with the same pieces and must never answer otherwise; what it leaves is
// the full path's.
import type { Core } from '../../../core/core.ts';
import { bodyNow } from '../../../core/objects/read-object.ts';
import type { BucketReadPolicy, Pointer } from '../../../domain/nouns.ts';
import { everyoneMayRead } from '../../../domain/pointer.ts';
import type { BorrowedBuffer } from '../../../ports/blob-store.ts';
import type { Domains } from '../../address.ts';
import { atHandTiming } from '../../observe/server-timing.ts';
import { evaluateRead, NO_CONDITIONS } from '../../semantics/conditional.ts';
import { NO_GRANT, withCors } from '../../semantics/cors.ts';
import { bytesOf, type HttpRange, parseRange } from '../../semantics/range.ts';
import { countRead } from '../count-read.ts';
import type { BucketFeaturesAtOnce, FeaturesOf } from '../features/read-feature.ts';
import type { HeaderProfile, HeaderProfiles } from '../header-profile.ts';
import type { PreparedFor, PreparedHeaders } from '../prepared-headers.ts';
import type { Representation } from '../representation.ts';
import type { SiteRulesReader } from '../site/site-rules.ts';
import type { AnswerAtOnce, PlainRead } from './fast-path.ts';
import type { FastPathCountsBySurface } from './fast-path-counts.ts';
import {
  borrowedResponse,
  type FastResponse,
  laterResponse,
  type ResponseOwner,
  rangeResponse,
  readLater,
  type WholeResponse,
  wholeResponse,
} from './fast-response.ts';
import { createTargetReader } from './read-target.ts';
import { createRedirectAtOnce } from './redirect-at-once.ts';
import { createRefuseAtOnce } from './refuse-at-once.ts';
import { createLinkVisit, type LinkPath, type LinkVisitParts } from './visit-link.ts';
import { createSiteVisit } from './visit-site.ts';

/**
 * What it shares with the full path. `memoryHit`: the Cache-Status of a response
 * from memory.
 */
export type AnswerAtOnceOptions = {
  readonly counts: FastPathCountsBySurface;
  readonly domains: Domains;
  readonly preparedFor: PreparedFor;
  readonly profiles: HeaderProfiles;
  readonly featuresOf: FeaturesOf;
  readonly rules: SiteRulesReader;
  readonly memoryHit: string;
  readonly isServerTimingOn: boolean;
  readonly links: LinkVisitParts;
};

type Headers = FastResponse['headers'];

const NO_FIELDS: Readonly<Record<string, string>> = {};

/**
 * A read that features did not leave to the full path: one object for all steps
 * behind them.
 */
type FastRead = {
  readonly owner: ResponseOwner;
  readonly readPolicy: BucketReadPolicy;
  readonly pointer: Pointer;
  readonly prepared: PreparedHeaders;
  readonly features: BucketFeaturesAtOnce;
  /** The representation that is sent; null: the object itself. */
  readonly variant: Representation | null;
};

/** Cost: 0.1 µs; no waiting, no promise. Never throws. */
export function createAnswerAtOnce(core: Core, options: AnswerAtOnceOptions): AnswerAtOnce {
  const { directory, hotMetadata } = core.ports;
  const { domains, preparedFor, profiles, featuresOf, rules } = options;
  const readTarget = createTargetReader(domains, directory.peekHost);
  const visitSite = createSiteVisit({ hotMetadata, profiles, rules });
  const visitLink = createLinkVisit(core, options.links);
  const respond = createFastResponder(core, options);
  const refuse = createRefuseAtOnce(core, options);
  const redirect = createRedirectAtOnce(core, options);

  return (read, readProtocol) => {
    // 1. Bucket read policy and pointer, out of memory.
    const target = readTarget(read);
    if (target === null) return null;
    const { bucket, owner } = target;
    if (target.link !== null) return answerLink(read, target.link);
    if (target.site !== null) {
      const visit = visitSite(target.site, read, readProtocol);
      if (visit === null) return null;
      if (visit.kind === 'redirect') return redirect(read, visit.readPolicy, visit.redirect, owner);
      return answer(read, visit.readPolicy, visit.pointer, visit.profile, owner);
    }
    const known = hotMetadata.peek(bucket, target.key);
    if (known === null) return null;

    // 2. Everyone may have the object. A policy that looks at the request is the
    //    full path's.
    const { readPolicy, pointer } = known;
    const refused = { owner, readPolicy, pointer };
    if (readPolicy === null) return refuse(read, 'NoSuchBucket', NO_FIELDS, refused);
    const access = everyoneMayRead(readPolicy.access, target.key, pointer);
    if (access === 'ask') return null;
    if (access === 'no') return refuse(read, 'AccessDenied', NO_FIELDS, refused);
    if (pointer === null) return refuse(read, 'NoSuchKey', { Key: target.key }, refused);
    const profile = profiles.plain(readPolicy.settings.hosting, target.isOwnHost);
    return answer(read, readPolicy, pointer, profile, owner);
  };

  function answerLink(read: PlainRead, path: LinkPath): FastResponse | null {
    const visit = visitLink(path, read);
    if (visit === null) return null;
    const { readPolicy, pointer, profile, owner } = visit;
    const response = answer(read, readPolicy, pointer, profile, owner);
    if (response !== null) visit.count(response);
    return response;
  }

  function answer(
    read: PlainRead,
    readPolicy: BucketReadPolicy,
    pointer: Pointer,
    profile: HeaderProfile,
    owner: ResponseOwner,
  ): FastResponse | null {
    // 3. Features of the bucket leave the read to the full path, which refuses it
    //    or waits for it.
    const features = featuresOf(readPolicy).atOnce;
    if (features.leavesAll) return null;
    const prepared = preparedFor(profile);
    for (const leaves of features.leaves) {
      if (leaves(read, pointer, profile, prepared)) return null;
    }

    // 4. The representation that memory has. A range is one of the stored bytes;
    //    see variants.ts.
    const variants = prepared.isNegotiated(pointer) ? features.variants : null;
    const acceptEncoding = variants === null ? null : read.header('accept-encoding');
    const variant =
      variants === null || read.range !== null ? null : variants.peek(pointer, acceptEncoding);
    if (variant === 'unknown') return null;
    const fastRead = { owner, readPolicy, pointer, prepared, features, variant };

    // 5. Conditions.
    const ifMatch = read.header('if-match');
    // The tag may be of a variant that must be made first.
    if (ifMatch !== null && variants !== null) return null;
    const outcome = evaluateDates(read, ifMatch, pointer);
    if (outcome === 'precondition-failed')
      return refuse(read, 'PreconditionFailed', NO_FIELDS, fastRead);
    if (outcome === 'not-modified')
      return respond.notModified(fastRead, (variant ?? pointer).etag, read.isHead);
    if (read.ifNoneMatch !== null) {
      const tag =
        variants?.knownTag(pointer, read.ifNoneMatch, acceptEncoding) ??
        matchingTag(variant ?? pointer, pointer, read.ifNoneMatch);
      // Headers stand ready for the tag of the object and of what would be sent.
      if (tag !== null && tag !== pointer.etag && tag !== variant?.etag) return null;
      if (tag !== null) return respond.notModified(fastRead, tag, read.isHead);
    }
    if (read.isHead) return respond.head(fastRead);
    if (variant !== null) return respond.variant(fastRead, variant);

    // 6. The range.
    const { sizeBytes } = pointer;
    const range = parseRange(read.range, sizeBytes);
    if (range !== 'unsatisfiable') return respond.stored(fastRead, range);
    const fields = { RangeRequested: read.range ?? '', ActualObjectSize: `${sizeBytes}` };
    return refuse(read, 'InvalidRange', fields, fastRead);
  }
}

/**
 * Steps 7 to 9: each makes a response and counts it, or gives null and does
 * nothing.
 */
type FastResponder = {
  notModified(fastRead: FastRead, tag: string, isHead: boolean): FastResponse;
  head(fastRead: FastRead): FastResponse | null;
  variant(fastRead: FastRead, variant: Representation): FastResponse | null;
  stored(fastRead: FastRead, range: HttpRange | 'whole'): FastResponse | null;
};

function createFastResponder(core: Core, options: AnswerAtOnceOptions): FastResponder {
  const { meter } = core.ports;
  const { memoryHit, isServerTimingOn, counts } = options;
  const withVary = createVaryingHeaders();

  /**
   * Whether features admit so many bytes; the full path waits where they don't now.
   */
  const isAdmitted = ({ features, readPolicy }: FastRead, bytesOut: number): boolean =>
    features.admits === null || features.admits(readPolicy, bytesOut);

  return {
    notModified(fastRead, tag, isHead) {
      const { owner, pointer, prepared, features, variant } = fastRead;
      const { surface } = owner;
      if (isHead) counts[surface].headNotModified += 1;
      else counts[surface].getNotModified += 1;
      const own = prepared.notModified(pointer, memoryHit);
      const isOfVariant = variant !== null && tag !== pointer.etag && features.variants !== null;
      const headers = isOfVariant ? features.variants.notModifiedOf(own, variant) : own;
      return wholeResponse(304, withVary(fastRead, headers), owner, null);
    },

    head(fastRead) {
      if (!isAdmitted(fastRead, 0)) return null;
      const { owner, readPolicy, pointer, prepared, features, variant } = fastRead;
      const own = prepared.whole(pointer, memoryHit);
      const isOfVariant = variant !== null && features.variants !== null;
      const headers = isOfVariant ? features.variants.headersOf(own, variant) : own;
      counts[owner.surface].headWhole += 1;
      countRead(meter, readPolicy, 0, 'none', pointer.storageClass);
      return wholeResponse(200, withVary(fastRead, headers), owner, null);
    },

    variant(fastRead, variant) {
      const { owner, readPolicy, pointer, prepared, features } = fastRead;
      const { bytes } = variant;
      if (features.variants === null || !isAdmitted(fastRead, bytes.length)) return null;
      const headers = features.variants.headersOf(prepared.whole(pointer, memoryHit), variant);
      counts[owner.surface].getWhole += 1;
      countRead(meter, readPolicy, bytes.length, 'memory', pointer.storageClass);
      return wholeResponse(200, withVary(fastRead, headers), owner, bytes);
    },

    stored(fastRead, range) {
      const { owner, readPolicy, pointer, prepared, features } = fastRead;
      const { sizeBytes, storageClass } = pointer;
      const slice = bytesOf(range, sizeBytes);
      const { lengthBytes } = slice;
      // Where features admit, nothing is read later: they must be asked before.
      const mayReadLater = features.admits === null;
      const found = bodyNow(core, pointer, slice, mayReadLater);
      if (found === null || !isAdmitted(fastRead, lengthBytes)) return null;
      const { body, tier, lend } = found;

      const isRead = tier === 'bucket';
      const isWhole = range === 'whole';
      const part = isWhole ? null : prepared.partOfAny(pointer, isRead ? 'bucket' : 'memory');
      const whole = isRead ? prepared.wholeRead : prepared.whole;
      const headers = withVary(fastRead, part ?? whole(pointer, memoryHit));
      if (lend === null) {
        if (isWhole) {
          counts[owner.surface].getWhole += 1;
          countRead(meter, readPolicy, lengthBytes, tier, storageClass);
          return wholeResponse(200, headers, owner, body);
        }
        if (body === null) return null;
        counts[owner.surface].getPart += 1;
        countRead(meter, readPolicy, lengthBytes, tier, storageClass);
        return rangeResponse(headers, owner, body, { range, sizeBytes, serverTiming: '' });
      }

      const status = isWhole ? 200 : 206;
      const sentRange = isWhole ? { startByte: 0, endByteInclusive: sizeBytes - 1 } : range;
      const respondWith = (borrowed: BorrowedBuffer): WholeResponse => {
        counts[owner.surface][countOf(isWhole, isRead)] += 1;
        countRead(meter, readPolicy, lengthBytes, tier, storageClass);
        const serverTiming = isRead && isServerTimingOn ? atHandTiming(borrowed.tookMs) : '';
        const sent = { range: sentRange, sizeBytes, serverTiming };
        return borrowedResponse(status, headers, owner, borrowed, sent);
      };
      return laterResponse(status, headers, owner, readLater(lend, respondWith));
    },
  };
}

/** Which count is of a body that was read when it was sent. */
function countOf(isWhole: boolean, isRead: boolean) {
  if (isWhole) return isRead ? 'getWholeRead' : 'getWhole';
  return isRead ? 'getPartRead' : 'getPart';
}

/**
 * Makes the memo of headers with Vary, for buckets that have CORS rules: a record
 * of its own, kept with the one that it is made of.
 */
function createVaryingHeaders(): (fastRead: FastRead, headers: Headers) => Headers {
  const varying = new WeakMap<Headers, Headers>();

  return ({ readPolicy }, headers) => {
    if (readPolicy.settings.cors === null) return headers;
    let made = varying.get(headers);
    if (made === undefined) {
      made = withCors(headers, NO_GRANT);
      varying.set(headers, made);
    }
    return made;
  };
}

/** What the conditions decide besides If-None-Match, which goes before a date. */
function evaluateDates(
  { ifNoneMatch, header }: PlainRead,
  ifMatch: string | null,
  pointer: Pointer,
): ReturnType<typeof evaluateRead> {
  const ifUnmodifiedSince = header('if-unmodified-since');
  const ifModifiedSince = ifNoneMatch === null ? header('if-modified-since') : null;
  if (ifMatch === null && ifUnmodifiedSince === null && ifModifiedSince === null) return 'proceed';
  const conditions = { ifMatch, ifNoneMatch: null, ifModifiedSince, ifUnmodifiedSince };
  return evaluateRead(conditions, pointer);
}

/** The tag of what would be sent, if the condition names it. */
function matchingTag(
  sent: { readonly etag: string },
  { lastModifiedMs }: Pointer,
  ifNoneMatch: string,
): string | null {
  const validators = { etag: sent.etag, lastModifiedMs };
  const outcome = evaluateRead({ ...NO_CONDITIONS, ifNoneMatch }, validators);
  return outcome === 'not-modified' ? sent.etag : null;
}
