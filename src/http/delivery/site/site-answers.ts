// The answers of a site that are no plain read of an object: error documents, redirects, lists,
// small files that the owner did not think of, and pages for failures. deliver-site.ts decides
// which.
import type { RequestedUse } from '../../../core/caps/admit.ts';
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import { isInMemory, openBody } from '../../../core/objects/read-object.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketReadPolicy } from '../../../domain/nouns.ts';
import { countSent } from '../../count-sent.ts';
import { FailureWithHeaders } from '../../failure-with-headers.ts';
import { makeResponse, type OutgoingBody } from '../../outgoing-body.ts';
import type { HttpRequest } from '../../request.ts';
import type { S3Answer } from '../../s3/call/call.ts';
import { withCharset } from '../../semantics/content-type.ts';
import { corsHeaders, withCors } from '../../semantics/cors.ts';
import { isFault } from '../../semantics/error-status.ts';
import { failureHeaders } from '../../semantics/failure-headers.ts';
import { type HeaderRecord, objectHeaders } from '../../semantics/object-headers.ts';
import { noteRead, readerOf, tierOf } from '../count-read.ts';
import { addVary, dress, dressPassing, type HeaderProfile } from '../header-profile.ts';
import type { Read, ReceiptOfRead } from '../read-receipt.ts';
import { errorPage } from './error-page.ts';
import type { Listing, ListingQuery } from './listing.ts';
import { sorted } from './listing.ts';
import { listingJson } from './listing-json.ts';
import { LISTING_POLICY, listingPage } from './listing-page.ts';
import type { Failure, Outcome } from './plan.ts';
import type { Redirect, Visit } from './redirects.ts';

/** One visit, as far as answers need it. */
export type Stay = {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly readPolicy: BucketReadPolicy;
  readonly visit: Visit;
};

/** What is sent, and what it counts as. */
type Sent = Partial<Read> & { readonly body?: OutgoingBody };

/**
 * What was counted rejects with UsageCapReached, SpendingCapReached and ServiceUnavailable where
 * the bucket is capped.
 */
export type SiteAnswers = {
  document(stay: Stay, outcome: Extract<Outcome, { kind: 'document' }>): Promise<Response>;
  redirect(stay: Stay, redirect: Redirect): Promise<Response>;
  list(
    stay: Stay,
    listing: Listing | null,
    query: ListingQuery,
    profile: HeaderProfile,
  ): Promise<Response>;
  robots(stay: Stay, text: string, profile: HeaderProfile): Promise<Response>;
  noIcon(stay: Stay): Promise<Response>;
  failure(
    stay: Stay,
    outcome: { readonly status: Failure; readonly profile: HeaderProfile },
  ): Response;
  preflight(answer: S3Answer, requestId: string): Response;
  /** A page for people; throws faults of ours, which are app.ts's. */
  renderFailure(error: unknown, request: HttpRequest, requestId: string): Response;
};

/**
 * How long what a site has by default is kept, and how long an empty answer for an icon, seconds.
 */
const ROBOTS_MAX_AGE = 'public, max-age=300';
const NO_ICON_MAX_AGE = 'public, max-age=3600';
const HTML = 'text/html; charset=utf-8';
const encoder = new TextEncoder();

/** `caps` null: there are none. */
export function createSiteAnswers(
  core: Core,
  caps: CapGuard | null,
  receiptOf: ReceiptOfRead,
): SiteAnswers {
  const { meter } = core.ports;

  const guardOf = ({ settings }: BucketReadPolicy) => (settings.isCapped === true ? caps : null);

  /** Before anything is opened for it. As `counted`. */
  async function admitted({ readPolicy }: Stay, use: RequestedUse): Promise<void> {
    await guardOf(readPolicy)?.require(readerOf(readPolicy), use);
  }

  /** Counts a visit and makes its answer. `added`: the header of its receipt, if it has one. */
  async function counted(
    { request, requestId, readPolicy }: Stay,
    { body = null, ...read }: Sent,
    make: (added: HeaderRecord, body: OutgoingBody) => Response,
  ): Promise<Response> {
    const all: Read = {
      operationClass: 'B',
      bytesOut: 0,
      origin: 'none',
      storageClass: 'STANDARD',
      ...read,
    };
    const { operationClass, bytesOut, origin, storageClass } = all;
    const guard = guardOf(readPolicy);
    const wanted = { operationClass, bytesOut, fromMemory: origin !== 'bucket' };
    try {
      // Another answer may have used what this one was told of: there may be more.
      if (guard?.refusalNow(readerOf(readPolicy), wanted))
        await guard.require(readerOf(readPolicy), wanted);
      const refusal = guard?.refusalNow(readerOf(readPolicy), wanted) ?? null;
      if (refusal !== null) throw refusal;
    } catch (error) {
      if (body instanceof ReadableStream) void body.cancel().catch(() => undefined);
      throw error;
    }
    const receipt = receiptOf({ request, requestId }, readPolicy, all);
    if (receipt !== null) return make(await receipt, body);
    noteRead(request.notes, bytesOut, origin);
    const use = { operationClass, bytesOut, tier: tierOf(origin, bytesOut), storageClass };
    return make({}, countSent(meter.ofReadPolicy(readPolicy), use, body));
  }

  /** A text made here, with its length. */
  async function text(
    stay: Stay,
    operationClass: 'A' | 'B',
    headers: HeaderRecord,
    content: string,
  ) {
    const bytes = encoder.encode(content);
    headers['content-length'] = `${bytes.length}`;
    const body = stay.request.method === 'HEAD' ? null : bytes;
    const read = { operationClass, bytesOut: body?.length ?? 0 };
    await admitted(stay, { ...read, fromMemory: true });
    return counted(stay, { ...read, body }, (added, sent) =>
      respond(stay, 200, { ...headers, ...added }, sent),
    );
  }

  return {
    async document(stay, { pointer, status, profile }) {
      const { sizeBytes } = pointer;
      const isHead = stay.request.method === 'HEAD';
      const bytesOut = isHead ? 0 : sizeBytes;
      const whole = { offsetBytes: 0, lengthBytes: sizeBytes };
      const fromMemory = isHead || isInMemory(core, pointer, whole);
      await admitted(stay, { operationClass: 'B', bytesOut, fromMemory });
      stay.request.notes.key = pointer.key;
      stay.request.notes.objectBytes = sizeBytes;
      const opened = isHead
        ? { body: null, tier: 'none' as const }
        : await openBody(core, pointer, whole);
      // What is not there now may be there in a moment: only the document itself can say that a
      // cache may keep it.
      const headers: HeaderRecord = { 'cache-control': 'no-store', ...objectHeaders(pointer) };
      headers['content-type'] = withCharset(headers['content-type'] ?? '');
      delete headers['accept-ranges'];
      dressPassing(headers, profile);
      headers['content-length'] = `${sizeBytes}`;
      const read = {
        bytesOut,
        origin: opened.tier,
        storageClass: pointer.storageClass,
        body: opened.body,
      };
      stay.request.notes.errorCode = codeOf(status);
      return counted(stay, read, (added, sent) =>
        respond(stay, status, { ...headers, ...added }, sent),
      );
    },

    redirect(stay, { status, location }) {
      return counted(stay, {}, (added) =>
        respond(stay, status, { location, 'content-length': '0', ...added }, null),
      );
    },

    async list(stay, listing, { sort, after, isJson }, profile) {
      if (listing === null) throw new StorageError('NoSuchKey');
      const path = `/${stay.visit.key}`;
      const shown = sorted(listing, sort);
      const content = isJson ? listingJson(path, shown) : listingPage(path, shown, { sort, after });
      const headers: HeaderRecord = {
        'content-type': isJson ? 'application/json' : HTML,
        'cache-control': 'no-store',
        ...(isJson ? {} : { 'content-security-policy': LISTING_POLICY }),
      };
      dressPassing(headers, profile);
      addVary(headers, ['Accept']);
      return text(stay, 'A', headers, content);
    },

    robots(stay, content, profile) {
      const headers = dress(
        { 'content-type': 'text/plain; charset=utf-8', 'cache-control': ROBOTS_MAX_AGE },
        profile,
      );
      return text(stay, 'B', headers, content);
    },

    noIcon(stay) {
      const headers = { 'cache-control': NO_ICON_MAX_AGE };
      return counted(stay, {}, (added) => respond(stay, 204, { ...headers, ...added }, null));
    },

    failure({ request, readPolicy, requestId }, { status, profile }) {
      const error = new StorageError(codeOf(status));
      const { headers, html } = errorPage(error, requestId);
      const bytes = encoder.encode(html);
      headers['content-length'] = `${bytes.length}`;
      const body = request.method === 'HEAD' ? null : bytes;
      request.notes.bodyBytes = body?.length ?? 0;
      request.notes.errorCode = error.code;
      return respond(
        { request, readPolicy, requestId },
        status,
        dressPassing(headers, profile),
        body,
      );
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
  { readPolicy, request, requestId }: Pick<Stay, 'readPolicy' | 'request' | 'requestId'>,
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
