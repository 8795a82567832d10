// The responses of a site that are no plain read of an object: error documents,
// redirects, lists, small files that the owner did not think of, and pages for
// failures. Called by follow-plan.ts and deliver-site.ts, which decide which.
import type { Core } from '../../../core/core.ts';
import { isInMemory, openBody } from '../../../core/objects/read-object.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketReadPolicy } from '../../../domain/nouns.ts';
import { FailureWithHeaders } from '../../failure-with-headers.ts';
import { makeResponse, type OutgoingBody } from '../../outgoing-body.ts';
import type { HttpRequest } from '../../request.ts';
import type { S3Response } from '../../s3/call/call.ts';
import { withCharset } from '../../semantics/content-type.ts';
import { corsHeaders, withCors } from '../../semantics/cors.ts';
import { isFault } from '../../semantics/error-status.ts';
import { failureHeaders } from '../../semantics/failure-headers.ts';
import { type HeaderRecord, objectHeaders } from '../../semantics/object-headers.ts';
import type { FeaturesOf, MadeUse } from '../features/read-feature.ts';
import {
  addVary,
  applyPassingProfile,
  applyProfile,
  type HeaderProfile,
} from '../header-profile.ts';
import { createCountVisit } from './count-visit.ts';
import { errorPage } from './error-page.ts';
import type { Listing, ListingQuery } from './listing.ts';
import { sorted } from './listing.ts';
import { listingJson } from './listing-json.ts';
import { LISTING_POLICY, listingPage } from './listing-page.ts';
import type { Failure, Outcome } from './plan.ts';
import type { Redirect, Visit } from './redirects.ts';

/** One visit, as far as responses need it. */
export type SiteVisit = {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly readPolicy: BucketReadPolicy;
  readonly visit: Visit;
};

/**
 * Responses that count reject with UsageCapReached, SpendingCapReached and
 * ServiceUnavailable where the bucket is capped.
 */
export type SiteResponses = {
  document(visit: SiteVisit, outcome: Extract<Outcome, { kind: 'document' }>): Promise<Response>;
  redirect(visit: SiteVisit, redirect: Redirect): Promise<Response>;
  list(
    visit: SiteVisit,
    listing: Listing | null,
    query: ListingQuery,
    profile: HeaderProfile,
  ): Promise<Response>;
  robots(visit: SiteVisit, text: string, profile: HeaderProfile): Promise<Response>;
  noIcon(visit: SiteVisit): Promise<Response>;
  failure(
    visit: SiteVisit,
    outcome: { readonly status: Failure; readonly profile: HeaderProfile },
  ): Response;
  preflight(answer: S3Response, requestId: string): Response;
  /** Makes a page for people; throws faults of ours, which are app.ts's. */
  renderFailure(error: unknown, request: HttpRequest, requestId: string): Response;
};

/** How long caches keep a robots.txt that a site has by default: 5 minutes. */
const ROBOTS_MAX_AGE = 'public, max-age=300';
/** How long caches keep an empty response for an icon: an hour. */
const NO_ICON_MAX_AGE = 'public, max-age=3600';
const HTML = 'text/html; charset=utf-8';
const encoder = new TextEncoder();

export function createSiteResponses(core: Core, featuresOf: FeaturesOf): SiteResponses {
  return { ...createPageResponses(core, featuresOf), ...createPlainResponses() };
}

/** Makes the responses that count as a visit. */
function createPageResponses(
  core: Core,
  featuresOf: FeaturesOf,
): Pick<SiteResponses, 'document' | 'redirect' | 'list' | 'robots' | 'noIcon'> {
  const { admit, count } = createCountVisit(core, featuresOf);

  /** Sends a text made here, with its length. */
  async function sendText(
    visit: SiteVisit,
    operationClass: 'A' | 'B',
    headers: HeaderRecord,
    content: string,
  ) {
    const bytes = encoder.encode(content);
    headers['content-length'] = `${bytes.length}`;
    const body = visit.request.method === 'HEAD' ? null : bytes;
    const use = { operationClass, bytesOut: body?.length ?? 0 };
    await admit(visit, { ...use, fromMemory: true });
    return count(visit, { ...NO_USE, ...use }, body, (added, sent) =>
      respond(visit, 200, { ...headers, ...added }, sent),
    );
  }

  return {
    async document(visit, { pointer, status, profile }) {
      const { sizeBytes, storageClass } = pointer;
      const { notes, method } = visit.request;
      const isHead = method === 'HEAD';
      const bytesOut = isHead ? 0 : sizeBytes;
      const whole = { offsetBytes: 0, lengthBytes: sizeBytes };
      const fromMemory = isHead || isInMemory(core, pointer, whole);
      await admit(visit, { operationClass: 'B', bytesOut, fromMemory });

      notes.key = pointer.key;
      notes.objectBytes = sizeBytes;
      const { body, tier: origin } = isHead ? NO_BODY : await openBody(core, pointer, whole);
      notes.errorCode = codeOf(status);

      // What is not there now may be there in a moment: only the document itself
      // can say that a cache may keep it.
      const headers: HeaderRecord = { 'cache-control': 'no-store', ...objectHeaders(pointer) };
      headers['content-type'] = withCharset(headers['content-type'] ?? '');
      delete headers['accept-ranges'];
      applyPassingProfile(headers, profile);
      headers['content-length'] = `${sizeBytes}`;
      const use: MadeUse = { operationClass: 'B', bytesOut, origin, storageClass };
      return count(visit, use, body, (added, sent) =>
        respond(visit, status, { ...headers, ...added }, sent),
      );
    },

    redirect(visit, redirect) {
      return count(visit, NO_USE, null, (added) =>
        respond(visit, redirect.status, { ...redirectHeaders(redirect), ...added }, null),
      );
    },

    async list(visit, listing, { sort, after, isJson }, profile) {
      if (listing === null) throw new StorageError('NoSuchKey');
      const path = `/${visit.visit.key}`;
      const shown = sorted(listing, sort);
      const content = isJson ? listingJson(path, shown) : listingPage(path, shown, { sort, after });
      const headers: HeaderRecord = {
        'content-type': isJson ? 'application/json' : HTML,
        'cache-control': 'no-store',
        ...(isJson ? {} : { 'content-security-policy': LISTING_POLICY }),
      };
      applyPassingProfile(headers, profile);
      addVary(headers, ['Accept']);
      return sendText(visit, 'A', headers, content);
    },

    robots(visit, content, profile) {
      const own = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': ROBOTS_MAX_AGE };
      return sendText(visit, 'B', applyProfile(own, profile), content);
    },

    noIcon(visit) {
      const headers = { 'cache-control': NO_ICON_MAX_AGE };
      return count(visit, NO_USE, null, (added) =>
        respond(visit, 204, { ...headers, ...added }, null),
      );
    },
  };
}

/** Headers of a redirect, but for those of the bucket. */
export function redirectHeaders({ location }: Redirect): HeaderRecord {
  return { location, 'content-length': '0' };
}

/** The use of a response without a body. */
const NO_USE: MadeUse = {
  operationClass: 'B',
  bytesOut: 0,
  origin: 'none',
  storageClass: 'STANDARD',
};

const NO_BODY = { body: null, tier: 'none' } as const;

/** Makes the responses that cost nothing. */
function createPlainResponses(): Pick<SiteResponses, 'failure' | 'preflight' | 'renderFailure'> {
  return {
    failure(visit, { status, profile }) {
      const { request, requestId } = visit;
      const error = new StorageError(codeOf(status));
      const { headers, html } = errorPage(error, requestId);
      const bytes = encoder.encode(html);
      headers['content-length'] = `${bytes.length}`;
      const body = request.method === 'HEAD' ? null : bytes;
      request.notes.bodyBytes = body?.length ?? 0;
      request.notes.errorCode = error.code;
      return respond(visit, status, applyPassingProfile(headers, profile), body);
    },

    preflight({ status, headers }, requestId) {
      return new Response(null, { status, headers: { ...headers, 'x-amz-request-id': requestId } });
    },

    renderFailure(error, request, requestId) {
      const failure = error instanceof FailureWithHeaders ? error.failure : error;
      if (!(failure instanceof StorageError) || isFault(failure)) throw error;
      const { status, headers, html } = errorPage(failure, requestId);
      const added = error instanceof FailureWithHeaders ? error.headers : {};
      const all = {
        ...headers,
        ...failureHeaders(failure),
        ...added,
        'x-amz-request-id': requestId,
      };
      const body = request.method === 'HEAD' ? null : encoder.encode(html);
      request.notes.errorCode = failure.code;
      request.notes.bodyBytes = body?.length ?? 0;
      return makeResponse(request, status, all, body);
    },
  };
}

/** What S3 says of an object that a visitor can't have. */
function codeOf(status: Failure): 'AccessDenied' | 'NoSuchKey' {
  return status === 403 ? 'AccessDenied' : 'NoSuchKey';
}

function respond(
  { readPolicy, request, requestId }: SiteVisit,
  status: number,
  headers: Readonly<HeaderRecord>,
  body: OutgoingBody,
): Response {
  const cors = corsHeaders(readPolicy.settings.cors, request);
  const all = {
    ...(cors === null ? headers : withCors(headers, cors)),
    'x-amz-request-id': requestId,
  };
  return makeResponse(request, status, all, body);
}
