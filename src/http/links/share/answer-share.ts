// Answers for a share link: the whole policy on this page. People get its page,
// programs its file, or the ZIP of its folder; previews of chat programs the page,
// and nothing is counted for them. Called by create-links.ts.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import { createLinkTickets } from '../../../core/links/link-tickets.ts';
import { createCheckSharePassword } from '../../../core/links/share/check-password.ts';
import { boundBySource } from '../../../core/links/share/permits-by-source.ts';
import { reportShareEvents } from '../../../core/links/share/report-share.ts';
import type { ShareCounter } from '../../../core/links/share/share-counts.ts';
import { createTakeSharePermit } from '../../../core/links/share/take-permit.ts';
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { DeliverFound } from '../../delivery/deliver.ts';
import { makeResponse } from '../../outgoing-body.ts';
import type { HttpRequest } from '../../request.ts';
import { decodePathSegment, parseQuery } from '../../semantics/raw-path.ts';
import type { AnswerLinkRequest } from '../create-links.ts';
import { isPreviewAgent, wantsPage } from '../wants-page.ts';
import { createOpenShare, type OpenShare, readForm } from './open-share.ts';
import type { ShareProfiles } from './share-headers.ts';
import { createShareHref, SHARE_QUERY } from './share-hrefs.ts';
import { createShareObjects } from './share-objects.ts';
import { createSharePages, isOfPerson, requireLeft, type SendSharePage } from './share-pages.ts';
import { createSharePlaces, ShareClosed } from './share-places.ts';
import { refuseShare } from './share-refusals.ts';
import {
  pickedFilesOf,
  readFormBody,
  requireMethod,
  secretsOf,
  type Visit,
} from './share-visit.ts';
import { type CountryOf, visitorOf } from './share-visitor.ts';
import { createShareZip } from './share-zip.ts';

export type ShareSurfaceParts = {
  readonly deliverFound: DeliverFound;
  readonly counter: ShareCounter;
  /** Shared with the fast path, so that headers are made once. */
  readonly profiles: ShareProfiles;
  readonly caps: CapGuard | null;
  /** Gives a secret of the server, for tickets and digests; called at the first request. */
  readonly secret: () => string;
  readonly countryOf: CountryOf;
  /** Null: there are no pages, and people get what programs get. */
  readonly sendPage: SendSharePage | null;
};

/** Makes the surface. Errors: of delivery; NoSuchResource, MethodNotAllowed, … */
export function createShareSurface(core: Core, parts: ShareSurfaceParts): AnswerLinkRequest {
  let surface: AnswerLinkRequest | null = null;
  return (linkRequest) => {
    surface ??= makeSurface(core, parts, parts.secret());
    return surface(linkRequest);
  };
}

function makeSurface(core: Core, parts: ShareSurfaceParts, secret: string): AnswerLinkRequest {
  const { deliverFound, counter, profiles, caps, countryOf, sendPage } = parts;
  const openShare = createOpenShare(core, {
    tickets: createLinkTickets(secret),
    checkPassword: createCheckSharePassword(core, secret),
    countryOf,
  });
  const places = createSharePlaces(core, {
    takePermit: boundBySource(core, createTakeSharePermit(core, secret)),
    counter,
    onSettled: reportShareEvents(core),
  });
  const answerZip = createShareZip(core, places, caps);
  const visitorFrom = (request: HttpRequest) => visitorOf(request, countryOf);
  const objects = { deliverFound, profiles, places, visitorOf: visitorFrom };
  const { answerFile, answerLogo } = createShareObjects(core, objects);
  const pages = createSharePages(core, { counter, sendPage, visitorOf: visitorFrom });
  const { answerPage, answerClosed } = pages;

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

    // 3. It gives the page, the ZIP or the file. ShareClosed comes where others have used
    //    up a limit since step 2, or all that is left is being downloaded.
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
      if (request.method === 'HEAD') await requireLeft(core, open);
      const more = { requestId: visit.requestId, visitor: visitorFrom(request) };
      try {
        return await answerZip(request, open, pickedFilesOf(visit), more);
      } catch (error) {
        // The page says why, and has the files.
        if (sendPage === null || !hasCode(error, 'InvalidRequest') || !isOfPerson(request))
          throw error;
        return answerPage(visit, open, true);
      }
    }
    if (request.method === 'HEAD') await requireLeft(core, open);
    return answerFile(visit, open);
  }

  /** After a right password by the form: the page, whose address has the ticket. */
  function redirectIn({ request, path, query, requestId }: Visit, open: OpenShare): Response {
    const kept = (['language', 'after', 'search'] as const).flatMap((name) => {
      const value = query.get(SHARE_QUERY[name]);
      return value === null ? [] : [[name, value] as const];
    });
    const location = createShareHref(open.name, open.ticket)(path, Object.fromEntries(kept));
    const headers = { location, 'cache-control': 'no-store', 'x-amz-request-id': requestId };
    return makeResponse(request, 303, headers, null);
  }
}
