// The answers of a site that are no plain read of an object: error documents, redirects, lists, small files that the owner
// did not think of, and pages for failures. deliver-site.ts decides which.
import type { Core } from '../../../core/core.ts';
import { openBody } from '../../../core/objects/read-object.ts';
import type { BucketGate } from '../../../ports/domain.ts';
import { StorageError } from '../../../ports/errors.ts';
import { FailureWithHeaders } from '../../failure-with-headers.ts';
import { makeResponse, type OutgoingBody } from '../../outgoing-body.ts';
import type { HttpRequest } from '../../request.ts';
import type { S3Answer } from '../../s3/call.ts';
import { corsHeaders, withCors } from '../../semantics/cors.ts';
import { ERROR_STATUS } from '../../semantics/error-status.ts';
import { type HeaderRecord, objectHeaders } from '../../semantics/object-headers.ts';
import { unsatisfiedContentRange } from '../../semantics/range.ts';
import { countRead, tierOf } from '../count-read.ts';
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
  readonly gate: BucketGate;
  readonly visit: Visit;
};

/** At once, but for what has a receipt. */
type Made = Response | Promise<Response>;

export type SiteAnswers = {
  document(stay: Stay, outcome: Extract<Outcome, { kind: 'document' }>): Promise<Response>;
  redirect(stay: Stay, redirect: Redirect): Made;
  list(stay: Stay, listing: Listing | null, query: ListingQuery, profile: HeaderProfile): Made;
  robots(stay: Stay, text: string, profile: HeaderProfile): Made;
  noIcon(stay: Stay): Made;
  failure(stay: Stay, outcome: { readonly status: Failure; readonly profile: HeaderProfile }): Response;
  preflight(answer: S3Answer, requestId: string): Response;
  /** A page for people; throws faults of ours, which are app.ts's. */
  renderFailure(error: unknown, request: HttpRequest, requestId: string): Response;
};

/** How long what a site has by default is kept, and how long an empty answer for an icon, seconds. */
const ROBOTS_MAX_AGE = 'public, max-age=300';
const NO_ICON_MAX_AGE = 'public, max-age=3600';
const HTML = 'text/html; charset=utf-8';
const encoder = new TextEncoder();

export function createSiteAnswers(core: Core, receiptOf: ReceiptOfRead): SiteAnswers {
  const { meter } = core.ports;

  /** Counts a visit and makes its answer. `added`: the header of its receipt, if it has one. */
  function counted(stay: Stay, read: Partial<Read>, make: (added: HeaderRecord) => Response): Made {
    const all: Read = { operationClass: 'B', bytesOut: 0, origin: 'none', storageClass: 'STANDARD', ...read };
    const receipt = receiptOf(stay, stay.gate, all);
    if (receipt !== null) return receipt.then(make);
    const { operationClass, bytesOut, origin, storageClass } = all;
    if (operationClass === 'B') countRead(meter, stay.gate, bytesOut, origin, storageClass, stay.request.notes);
    else meter.ofGate(stay.gate).count(operationClass, bytesOut, tierOf(origin, bytesOut), storageClass);
    return make({});
  }

  /** An answer made here, with its length. */
  function text(stay: Stay, status: number, headers: HeaderRecord, content: string): Response {
    const bytes = encoder.encode(content);
    headers['content-length'] = `${bytes.length}`;
    const isHead = stay.request.method === 'HEAD';
    stay.request.notes.bodyBytes = isHead ? 0 : bytes.length;
    return respond(stay, status, headers, isHead ? null : bytes);
  }

  return {
    async document(stay, { pointer, status, profile }) {
      const { sizeBytes } = pointer;
      const opened =
        stay.request.method === 'HEAD'
          ? { body: null, tier: 'none' as const }
          : await openBody(core, pointer, { offsetBytes: 0, lengthBytes: sizeBytes });
      const bytesOut = opened.body === null ? 0 : sizeBytes;
      // What is not there now may be there in a moment: only the document itself can say that a cache may keep it.
      const headers: HeaderRecord = { 'cache-control': 'no-store', ...objectHeaders(pointer) };
      delete headers['accept-ranges'];
      dressPassing(headers, profile);
      headers['content-length'] = `${sizeBytes}`;
      const read = { bytesOut, origin: opened.tier, storageClass: pointer.storageClass };
      return counted(stay, read, (added) => respond(stay, status, { ...headers, ...added }, opened.body));
    },

    redirect(stay, { status, location }) {
      return counted(stay, {}, (added) => respond(stay, status, { location, 'content-length': '0', ...added }, null));
    },

    list(stay, listing, { sort, after, isJson }, profile) {
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
      const read = { operationClass: 'A' as const, bytesOut: content.length };
      return counted(stay, read, (added) => text(stay, 200, { ...headers, ...added }, content));
    },

    robots(stay, content, profile) {
      const headers = dress({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': ROBOTS_MAX_AGE }, profile);
      const read = { bytesOut: content.length };
      return counted(stay, read, (added) => text(stay, 200, { ...headers, ...added }, content));
    },

    noIcon(stay) {
      const headers = { 'cache-control': NO_ICON_MAX_AGE };
      return counted(stay, {}, (added) => respond(stay, 204, { ...headers, ...added }, null));
    },

    failure(stay, { status, profile }) {
      const error = new StorageError(status === 403 ? 'AccessDenied' : 'NoSuchKey');
      const { headers, html } = errorPage(error, stay.requestId);
      return text(stay, status, dressPassing(headers, profile), html);
    },

    preflight({ status, headers }, requestId) {
      return new Response(null, { status, headers: { ...headers, 'x-amz-request-id': requestId } });
    },

    renderFailure(error, request, requestId) {
      const failure = error instanceof FailureWithHeaders ? error.failure : error;
      if (!(failure instanceof StorageError) || ERROR_STATUS[failure.code] === 500) throw error;
      const { status, headers, html } = errorPage(failure, requestId);
      const { Allow, ActualObjectSize } = failure.fields;
      if (Allow !== undefined) headers.allow = Allow;
      if (ActualObjectSize !== undefined) headers['content-range'] = unsatisfiedContentRange(Number(ActualObjectSize));
      const added = error instanceof FailureWithHeaders ? error.headers : {};
      const all = { ...headers, ...added, 'x-amz-request-id': requestId };
      const body = request.method === 'HEAD' ? null : encoder.encode(html);
      request.notes.bodyBytes = body?.length ?? 0;
      return makeResponse(request, status, all, body);
    },
  };
}

function respond(
  { gate, request, requestId }: Pick<Stay, 'gate' | 'request' | 'requestId'>,
  status: number,
  headers: Readonly<HeaderRecord>,
  body: OutgoingBody,
): Response {
  const cors = corsHeaders(gate.settings.cors, request);
  const all = { ...(cors === null ? headers : withCors(headers, cors)), 'x-amz-request-id': requestId };
  return makeResponse(request, status, all, body);
}
