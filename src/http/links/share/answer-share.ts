// Answers for a share link: the whole policy on this page. People get its page,
// programs its file, or the ZIP of its folder; previews of chat programs the page,
// and nothing is counted for them. Called by create-links.ts.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import { createLinkTickets } from '../../../core/links/link-tickets.ts';
import { createCheckSharePassword } from '../../../core/links/share/check-password.ts';
import { reportShareEvents } from '../../../core/links/share/report-share.ts';
import type { ShareCounter } from '../../../core/links/share/share-counts.ts';
import { createTakeSharePermit } from '../../../core/links/share/take-permit.ts';
import { collect } from '../../../core/objects/collect.ts';
import { StorageError } from '../../../domain/errors.ts';
import {
  LINK_FORM_MAX_BYTES,
  LINK_PICK_FORM_MAX_BYTES,
} from '../../../domain/links/link-limits.ts';
import { bytesMaxOf, isLimited, isUsedUp } from '../../../domain/links/share-links.ts';
import { noteFound } from '../../delivery/count-read.ts';
import type { DeliverFound } from '../../delivery/deliver.ts';
import { makeResponse } from '../../outgoing-body.ts';
import type { HttpRequest } from '../../request.ts';
import { isBrowserVisit } from '../../semantics/accept-html.ts';
import { decodePathSegment, parseQuery, type Query } from '../../semantics/raw-path.ts';
import type { AnswerLinkRequest, LinkRequest } from '../create-links.ts';
import { isPreviewAgent, wantsPage } from '../wants-page.ts';
import { describeShare } from './describe-share.ts';
import { namedObject } from './named-object.ts';
import {
  basicPassword,
  createOpenShare,
  type OpenShare,
  readForm,
  type ShownSecrets,
} from './open-share.ts';
import { findShared, shareContent } from './share-files.ts';
import type { ShareProfiles } from './share-headers.ts';
import { createShareHref, SHARE_QUERY } from './share-hrefs.ts';
import { createSharePlaces, ShareClosed } from './share-places.ts';
import { refuseShare } from './share-refusals.ts';
import type { ShareView } from './share-view.ts';
import { visitorOf } from './share-visitor.ts';
import { createShareZip, type ZipWish } from './share-zip.ts';

/** Sends the page of a link. */
export type SendSharePage = (
  request: HttpRequest,
  view: ShareView,
  requestId: string,
) => Response | Promise<Response>;

export type ShareSurfaceParts = {
  readonly deliverFound: DeliverFound;
  readonly counter: ShareCounter;
  /** Shared with the fast path, so that headers are made once. */
  readonly profiles: ShareProfiles;
  readonly caps: CapGuard | null;
  /** Gives a secret of the server, for tickets and digests; called at the first request. */
  readonly secret: () => string;
  /** The header in which a proxy of the operator says a visitor's country; null: none. */
  readonly countryHeader: string | null;
  /** Null: there are no pages, and people get what programs get. */
  readonly sendPage: SendSharePage | null;
};

/** What a request for an open link is about. */
type Wish = {
  readonly query: Query;
  /** Below the link, decoded; '' the link itself. */
  readonly path: string;
  readonly form: readonly (readonly [name: string, value: string])[];
};

type Visit = LinkRequest & Wish;

/** Longest search text, and path that a page begins behind, characters. */
const SEARCH_MAX_LENGTH = 200;
const AFTER_MAX_LENGTH = 1024;

/** Makes the surface. Errors: of delivery; NoSuchResource, MethodNotAllowed, … */
export function createShareSurface(core: Core, parts: ShareSurfaceParts): AnswerLinkRequest {
  let surface: AnswerLinkRequest | null = null;
  return (linkRequest) => {
    surface ??= makeSurface(core, parts, parts.secret());
    return surface(linkRequest);
  };
}

function makeSurface(core: Core, parts: ShareSurfaceParts, secret: string): AnswerLinkRequest {
  const { deliverFound, counter, profiles, caps, countryHeader, sendPage } = parts;
  const countryOf = (request: HttpRequest): string | null =>
    request.country?.() ?? (countryHeader === null ? null : request.header(countryHeader));
  const openShare = createOpenShare(core, {
    tickets: createLinkTickets(secret),
    checkPassword: createCheckSharePassword(core, secret),
    countryOf,
  });
  const places = createSharePlaces(core, {
    takePermit: createTakeSharePermit(core, secret),
    counter,
    onSettled: reportShareEvents(core),
  });
  const answerZip = createShareZip(core, places, caps);

  return async (linkRequest) => {
    const { request, entry, labelId, rawPath } = linkRequest;
    // 1. What is asked for.
    requireMethod(request);
    const query = parseQuery(request.rawQuery);
    const form = request.method === 'POST' ? readForm(await readFormBody(request, query)) : [];
    const path = query.get(SHARE_QUERY.file) ?? decodePathSegment(rawPath ?? '');
    const visit: Visit = { ...linkRequest, query, path, form };

    // 2. Whether the link lets the visitor in.
    const name = { id: entry.id, labelId };
    const open = await openShare(request, entry, name, secretsOf(visit));
    if (open.state !== 'open') return answerClosed(visit, open);
    const isLogin = form.some(([field]) => field === 'password');
    if (isLogin && !query.has(SHARE_QUERY.zip)) return redirectIn(visit, open);

    // 3. It gives the page, the ZIP or the file; what is used up meanwhile closes it.
    try {
      return await answerOpen(visit, open);
    } catch (error) {
      if (!(error instanceof ShareClosed)) throw error;
      if (error.state === null) return refuseShare(request, 'busy', linkRequest.requestId);
      return answerClosed(visit, { ...open, state: error.state });
    }
  };

  async function answerOpen(visit: Visit, open: OpenShare): Promise<Response> {
    const { request, query, path } = visit;
    const { target, page } = open.link;
    if (query.has(SHARE_QUERY.logo)) return answerLogo(visit, open);
    const isList = target.kind === 'object' ? path === '' : path === '' || path.endsWith('/');
    const isAsked = query.has(SHARE_QUERY.zip) || query.has(SHARE_QUERY.show);
    if (isPreviewAgent(request) || (isList && !isAsked && sendPage !== null && wantsPage(request)))
      return answerPage(visit, open);

    if (query.has(SHARE_QUERY.zip) || (isList && target.kind !== 'object')) {
      if (page.mode === 'view') throw new StorageError('AccessDenied');
      if (request.method === 'HEAD') await requireLeft(open);
      const more = { requestId: visit.requestId, visitor: visitorOf(request, countryOf) };
      return answerZip(request, open, zipWishOf(visit), more);
    }
    return answerFile(visit, open);
  }

  /** The file, as it is stored: no variant of it, so that all ranges are of the same bytes. */
  async function answerFile(visit: Visit, open: OpenShare): Promise<Response> {
    const { request, requestId, path, query } = visit;
    const { link, entry } = open;
    if (request.method === 'HEAD') await requireLeft(open);
    const { key, fileName } = namedObject(open, path);
    const found = await findShared(core, open, key);
    noteFound(request.notes, { bucket: entry.bucket.name, key }, found);
    const isShown = link.page.mode !== 'download' && query.has(SHARE_QUERY.show);
    const isViewed = isShown || link.page.mode === 'view';
    const isWatched = isLimited(link) || link.cutsRunning;
    const visitor = visitorOf(request, countryOf);
    return deliverFound(
      {
        request: isWatched ? withoutVariants(request) : withoutQuery(request),
        requestId,
        key,
        hasOwnOrigin: false,
        profile: profiles.of(link, fileName, isViewed),
        options: null,
        invitation: {
          take: ({ pointer }, { offsetBytes, lengthBytes, representation }) => {
            const sizeBytes = representation?.bytes.length ?? pointer.sizeBytes;
            const part = { contentId: pointer.versionId, sizeBytes, offsetBytes, lengthBytes };
            return places.take(request, open, part, visitor);
          },
        },
      },
      found,
    );
  }

  async function answerLogo({ request, requestId }: Visit, open: OpenShare): Promise<Response> {
    const { logoKey } = open.link.page;
    if (logoKey === null) throw new StorageError('NoSuchKey');
    const found = await findShared(core, { ...open, link: withoutTarget(open) }, logoKey);
    return deliverFound(
      {
        request: withoutQuery(request),
        requestId,
        key: logoKey,
        hasOwnOrigin: false,
        profile: profiles.of(open.link, logoKey, true),
        options: null,
        invitation: { take: null },
      },
      found,
    );
  }

  async function answerPage(visit: Visit, open: OpenShare): Promise<Response> {
    const { request, requestId, query, path } = visit;
    const usage = await requireLeft(open);
    const place = {
      path: path.endsWith('/') ? path : '',
      after: (query.get(SHARE_QUERY.after) ?? '').slice(0, AFTER_MAX_LENGTH),
      search: query.get(SHARE_QUERY.search)?.slice(0, SEARCH_MAX_LENGTH) || null,
    };
    const content = await shareContent(core, open, place);
    const isCounted = request.method === 'GET' && !isPreviewAgent(request);
    if (isCounted)
      counter.count(
        open.entry,
        open.label?.id ?? null,
        { opened: 1 },
        visitorOf(request, countryOf),
      );
    const view = describeShare(
      { ...open, request, usage, bytesMax: bytesMaxOf(open.link) },
      content,
    );
    if (sendPage !== null) return sendPage(request, view, requestId);
    return makeResponse(request, 200, { 'cache-control': 'no-store' }, null);
  }

  /** What counts of a link; ShareClosed where a limit has nothing left. */
  async function requireLeft({ entry, link }: OpenShare) {
    const { metadataIndex, clock } = core.ports;
    const { bucket, id } = entry;
    if (!isLimited(link)) return { downloads: 0, bytes: 0 };
    const nowMs = clock.nowMs();
    const stored = await metadataIndex.call(bucket.name, 'getShareLink', { bucket, id, nowMs });
    if (stored === null) throw new StorageError('NoSuchResource');
    if (isUsedUp(link.limits, bytesMaxOf(link), stored.usage)) throw new ShareClosed('used-up');
    return stored.usage;
  }

  function answerClosed(visit: Visit, open: OpenShare): Response | Promise<Response> {
    const { request, requestId } = visit;
    const { state, password } = open;
    const isPerson = wantsPage(request) || (request.method === 'POST' && isFormOfPage(request));
    if (isPerson && sendPage !== null) {
      const usage = { downloads: 0, bytes: 0 };
      return sendPage(
        request,
        describeShare({ ...open, request, usage, bytesMax: null }, null),
        requestId,
      );
    }
    if (password?.waitSeconds != null)
      return refuseShare(request, 'wait', requestId, password.waitSeconds);
    return refuseShare(request, state === 'open' ? 'revoked' : state, requestId);
  }

  /** After a right password by the form: the page, whose address has the ticket. */
  function redirectIn({ request, path, query, requestId }: Visit, open: OpenShare): Response {
    const language = query.get(SHARE_QUERY.language);
    const chosen = language === null ? {} : { language };
    const location = createShareHref(open.name, open.ticket)(path, chosen);
    const headers = { location, 'cache-control': 'no-store', 'x-amz-request-id': requestId };
    return makeResponse(request, 303, headers, null);
  }
}

/** A page's form is sent as browsers send forms. */
function isFormOfPage({ header }: HttpRequest): boolean {
  return isBrowserVisit({ method: 'GET', header });
}

function requireMethod({ method }: HttpRequest): void {
  if (method === 'GET' || method === 'HEAD' || method === 'POST') return;
  throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD, POST' } });
}

function readFormBody(request: HttpRequest, query: Query): Promise<Uint8Array> {
  const maxBytes = query.has(SHARE_QUERY.zip) ? LINK_PICK_FORM_MAX_BYTES : LINK_FORM_MAX_BYTES;
  return collect(request.body(), maxBytes);
}

function secretsOf({ request, query, form }: Visit): ShownSecrets {
  const field = (wanted: string) => form.find(([name]) => name === wanted)?.[1] ?? null;
  return {
    ticket: query.get(SHARE_QUERY.ticket) ?? field(SHARE_QUERY.ticket),
    password: field('password') ?? basicPassword(request),
  };
}

function zipWishOf({ query, form, path }: Visit): ZipWish {
  const picks = [...query.entries, ...form]
    .filter(([name, value]) => name === SHARE_QUERY.pick && value !== '')
    .map(([, value]) => value);
  return { path: path.endsWith('/') ? path : '', picks };
}

/** The request as delivery reads it: nothing of a link's own query means anything there. */
function withoutQuery(request: HttpRequest): HttpRequest {
  return request.rawQuery === '' ? request : { ...request, rawQuery: '' };
}

/** And where bytes are counted: one representation alone, so that ranges fit together. */
function withoutVariants(request: HttpRequest): HttpRequest {
  const header = (name: string) => (name === 'accept-encoding' ? null : request.header(name));
  return { ...request, rawQuery: '', header };
}

/** The link as if it had no version: its logo is whatever the key stands for now. */
function withoutTarget({ link }: OpenShare): OpenShare['link'] {
  return { ...link, target: { kind: 'folder', prefix: '' } };
}
