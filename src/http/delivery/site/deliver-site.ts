// Websites: public reads at `{bucket}.{website domain}`, with index and error documents, redirects and pages for people.
// It looks up and answers through the same two functions as deliver.ts; what is its own is which key is meant, and what
// becomes of a failure. Never writes, never lists, never takes a signature.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteEndpoints.html
import type { Core } from '../../../core/core.ts';
import { parseBucketName, parseObjectKey } from '../../../core/names.ts';
import { openBody } from '../../../core/objects/read-object.ts';
import type { WebsiteConfiguration } from '../../../ports/bucket-settings.ts';
import type { HostBinding } from '../../../ports/directory.ts';
import type { BucketGate, BucketName, ObjectKey, Pointer } from '../../../ports/domain.ts';
import { StorageError } from '../../../ports/errors.ts';
import { isPublicObject } from '../../../ports/pointer.ts';
import { FailureWithHeaders } from '../../failure-with-headers.ts';
import type { HttpRequest } from '../../request.ts';
import { corsHeaders, withCors } from '../../semantics/cors.ts';
import { ERROR_STATUS } from '../../semantics/error-status.ts';
import { type HeaderRecord, objectHeaders } from '../../semantics/object-headers.ts';
import { unsatisfiedContentRange } from '../../semantics/range.ts';
import { decodePathSegment } from '../../semantics/raw-path.ts';
import type { PointerTier } from '../cache-status.ts';
import { countRead } from '../count-read.ts';
import type { Asked } from '../deliver.ts';
import { errorPage } from './error-page.ts';
import { isFolder, pageKey, USUAL_INDEX } from './page.ts';
import { findRoutingRule, followAll, followRule, followToFolder, type Redirect, type Visit } from './redirects.ts';

/** What was found of a key: by whichever tier, null for "there is none". */
export type SiteFound = {
  readonly gate: BucketGate | null;
  readonly pointer: Pointer | null;
  readonly tier: PointerTier;
};

/** The two halves of deliver.ts. */
export type SiteDoor<Found extends SiteFound> = {
  find(bucket: BucketName, key: ObjectKey): Found | Promise<Found>;
  /** Conditions, range and body. Throws as deliver does. */
  answer(asked: Asked, found: Found): Response | Promise<Response>;
};

/** Where a page of a site is: `rawPath` is '' for the root; `binding` null for `{bucket}.{website domain}`. */
export type SitePlace = {
  readonly rawBucket: string;
  readonly rawPath: string;
  readonly binding: HostBinding | null;
};

/** Rejects only with failures of ours, which app.ts logs. */
export type DeliverSite = (request: HttpRequest, place: SitePlace, requestId: string) => Promise<Response>;

/** Everything that the steps of one visit share. */
type Stay<Found> = {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly bucket: BucketName;
  readonly prefix: string;
  readonly gate: BucketGate;
  readonly website: WebsiteConfiguration;
  readonly visit: Visit;
  readonly find: (key: string) => Promise<Found>;
};

/** Makes the third door of delivery. Cost of a page: that of deliver; of a failure up to two look-ups more. */
export function createSiteDelivery<Found extends SiteFound>(core: Core, door: SiteDoor<Found>): DeliverSite {
  const { meter } = core.ports;

  return async (request, place, requestId) => {
    request.notes.surface = 'website';
    request.notes.operation = request.method === 'HEAD' ? 'HeadObject' : 'GetObject';
    try {
      return await enter(request, place, requestId);
    } catch (error) {
      return renderFailure(error, request, requestId);
    }
  };

  async function enter(request: HttpRequest, { rawBucket, rawPath, binding }: SitePlace, requestId: string) {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD' } });
    }
    const bucket = parseBucketName(decodePathSegment(rawBucket));
    const { rawQuery, host, isSecure } = request;
    const visit: Visit = { key: decodePathSegment(rawPath), rawQuery, host, isSecure };
    const prefix = binding?.prefix ?? '';
    const find = async (key: string) => door.find(bucket, parseObjectKey(prefix + key));
    const guess = pageKey(visit.key, USUAL_INDEX);
    const first = await find(guess);
    const { gate } = first;
    request.notes.metadataTier = first.tier;
    if (gate === null || (binding !== null && gate.bucketId !== binding.bucketId)) {
      throw new StorageError('NoSuchBucket', { fields: { BucketName: bucket } });
    }
    request.notes.bucket = bucket;
    const website = websiteOf(gate);
    if (website === null) throw new StorageError('NoSuchWebsiteConfiguration', { fields: { BucketName: bucket } });
    const stay = { request, requestId, bucket, prefix, gate, website, visit, find };
    if (website.redirectAllTo !== null) return redirect(stay, followAll(website.redirectAllTo, visit));
    const rule = findRoutingRule(website.routingRules, visit.key, null);
    if (rule !== null) return redirect(stay, followRule(rule, visit));
    const key = pageKey(visit.key, website.indexSuffix ?? USUAL_INDEX);
    return showPage(stay, key, key === guess ? first : await find(key));
  }

  /** The object that the key names, or what the owner wants instead. */
  async function showPage(stay: Stay<Found>, key: string, found: Found): Promise<Response> {
    const page = publicPointer(found);
    const location = page?.headers.websiteRedirectLocation;
    if (location !== undefined) return redirect(stay, { status: 301, location });
    try {
      const { request, requestId } = stay;
      const whole = parseObjectKey(stay.prefix + key);
      return await door.answer({ request, requestId, key: whole, hasOwnOrigin: true }, found);
    } catch (error) {
      const failure = error instanceof FailureWithHeaders ? error.failure : error;
      const status = failure instanceof StorageError ? ERROR_STATUS[failure.code] : 500;
      if (status !== 403 && status !== 404) throw error;
      return (await recover(stay, found, status)) ?? Promise.reject(error);
    }
  }

  /** After a 403 or 404: the folder of that name, a rule for just that, the error document; else null. */
  async function recover(stay: Stay<Found>, found: Found, status: 403 | 404): Promise<Response | null> {
    const { website, visit } = stay;
    if (found.pointer === null && !isFolder(visit.key)) {
      const index = await lookFor(stay, `${visit.key}/${website.indexSuffix ?? USUAL_INDEX}`);
      if (index !== null) return redirect(stay, followToFolder(visit));
    }
    const rule = findRoutingRule(website.routingRules, visit.key, status);
    if (rule !== null) return redirect(stay, followRule(rule, visit));
    const document = website.errorKey === null ? null : await lookFor(stay, website.errorKey);
    return document === null ? null : showErrorDocument(stay, document, status);
  }

  /** The public object of that key, null also for a text that is too long to be one. */
  async function lookFor({ find }: Stay<Found>, key: string): Promise<Pointer | null> {
    try {
      return publicPointer(await find(key));
    } catch (error) {
      if (error instanceof StorageError && error.code === 'KeyTooLongError') return null;
      throw error;
    }
  }

  async function showErrorDocument(stay: Stay<Found>, document: Pointer, status: 403 | 404): Promise<Response> {
    const { sizeBytes } = document;
    const opened =
      stay.request.method === 'HEAD'
        ? { body: null, tier: 'none' as const }
        : await openBody(core, document, { offsetBytes: 0, lengthBytes: sizeBytes });
    countRead(meter, stay.gate, opened.body === null ? 0 : sizeBytes, opened.tier, stay.request.notes);
    // What is not there now may be there in a moment: only the owner can say that a cache may keep it.
    const headers: HeaderRecord = { 'cache-control': 'no-store', ...objectHeaders(document) };
    headers['content-length'] = `${sizeBytes}`;
    delete headers['accept-ranges'];
    return respond(stay, status, headers, opened.body);
  }

  function redirect(stay: Stay<Found>, { status, location }: Redirect): Response {
    countRead(meter, stay.gate, 0, 'none', stay.request.notes);
    return respond(stay, status, { location, 'content-length': '0' }, null);
  }
}

/** What the owner configured, hosting first. */
function websiteOf({ settings }: BucketGate): WebsiteConfiguration | null {
  if (settings.hosting === null) return settings.website;
  const { indexDocument, errorDocument } = settings.hosting;
  return { redirectAllTo: null, indexSuffix: indexDocument, errorKey: errorDocument, routingRules: [] };
}

function respond(
  { gate, request, requestId }: Pick<Stay<unknown>, 'gate' | 'request' | 'requestId'>,
  status: number,
  headers: Readonly<HeaderRecord>,
  body: Uint8Array | ReadableStream<Uint8Array> | null,
): Response {
  const cors = corsHeaders(gate.settings.cors, request);
  const all = { ...(cors === null ? headers : withCors(headers, cors)), 'x-amz-request-id': requestId };
  return new Response(body as ConstructorParameters<typeof Response>[0], { status, headers: all });
}

/** A page for people; faults of ours go on to app.ts. */
function renderFailure(error: unknown, request: HttpRequest, requestId: string): Response {
  const failure = error instanceof FailureWithHeaders ? error.failure : error;
  if (!(failure instanceof StorageError) || ERROR_STATUS[failure.code] === 500) throw error;
  const { status, headers, html } = errorPage(failure, requestId);
  const { Allow, ActualObjectSize } = failure.fields;
  if (Allow !== undefined) headers.allow = Allow;
  if (ActualObjectSize !== undefined) headers['content-range'] = unsatisfiedContentRange(Number(ActualObjectSize));
  const added = error instanceof FailureWithHeaders ? error.headers : {};
  return new Response(request.method === 'HEAD' ? null : html, {
    status,
    headers: { ...headers, ...added, 'x-amz-request-id': requestId },
  });
}

/** The pointer, if everyone may read it. */
function publicPointer({ gate, pointer }: SiteFound): Pointer | null {
  return gate !== null && pointer !== null && isPublicObject(gate.access, pointer.key) ? pointer : null;
}
