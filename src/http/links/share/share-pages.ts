// The pages of a share link: of what it shares, and why it does not. Called by
// answer-share.ts.
import type { Core } from '../../../core/core.ts';
import type { ShareCounter, ShareVisitor } from '../../../core/links/share/share-counts.ts';
import { createSourceLimit } from '../../../core/links/source-limit.ts';
import { StorageError } from '../../../domain/errors.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import {
  LINK_SEARCH_MAX_LENGTH,
  LINK_SEARCHES_PER_MINUTE,
} from '../../../domain/links/link-limits.ts';
import { bytesMaxOf, isLimited, isUsedUp } from '../../../domain/links/share-links.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { makeResponse } from '../../outgoing-body.ts';
import type { HttpRequest } from '../../request.ts';
import { isBrowserVisit } from '../../semantics/accept-html.ts';
import { isPreviewAgent, wantsPage } from '../wants-page.ts';
import { describeShare } from './describe-share.ts';
import type { OpenShare } from './open-share.ts';
import { shareContent } from './share-files.ts';
import { SHARE_QUERY } from './share-hrefs.ts';
import { ShareClosed } from './share-places.ts';
import { refuseShare } from './share-refusals.ts';
import type { ShareView } from './share-view.ts';
import type { Visit } from './share-visit.ts';

/** Sends the page of a link. */
export type SendSharePage = (
  request: HttpRequest,
  view: ShareView,
  requestId: string,
) => Response | Promise<Response>;

type PageParts = {
  readonly counter: ShareCounter;
  readonly sendPage: SendSharePage | null;
  readonly visitorOf: (request: HttpRequest) => ShareVisitor;
};

/** Longest path that a page begins behind, characters. */
const AFTER_MAX_LENGTH = 1024;

/** Makes the answers with pages; programs get a line of text where a link is closed. */
export function createSharePages(core: Core, { counter, sendPage, visitorOf }: PageParts) {
  const searches = createSourceLimit(LINK_SEARCHES_PER_MINUTE, MINUTE_MS);
  return { answerPage, answerClosed };

  async function answerPage(
    visit: Visit,
    open: OpenShare,
    isZipRefused = false,
  ): Promise<Response> {
    const { request, requestId, query, path } = visit;
    const { usage, bytesMax } = await requireLeft(core, open);
    const folder = {
      path: path.endsWith('/') ? path : '',
      after: (query.get(SHARE_QUERY.after) ?? '').slice(0, AFTER_MAX_LENGTH),
      search: query.get(SHARE_QUERY.search)?.slice(0, LINK_SEARCH_MAX_LENGTH) || null,
      isZipRefused,
    };
    if (folder.search !== null) {
      const source = `${open.entry.id} ${networkOf(request.remoteAddress)}`;
      searches.take(source, core.ports.clock.nowMs());
    }
    const content = await shareContent(core, open, folder);
    const isCounted = request.method === 'GET' && !isPreviewAgent(request);
    if (isCounted)
      counter.count(open.entry, open.label?.id ?? null, { opened: 1 }, visitorOf(request));
    const view = describeShare({ ...open, request, usage, bytesMax }, content);
    if (sendPage !== null) return sendPage(request, view, requestId);
    return makeResponse(request, 200, { 'cache-control': 'no-store' }, null);
  }

  function answerClosed(visit: Visit, open: OpenShare): Response | Promise<Response> {
    const { request, requestId } = visit;
    const { state, password } = open;
    if (isOfPerson(request) && sendPage !== null) {
      const usage = { downloads: 0, bytes: 0 };
      return sendPage(
        request,
        describeShare({ ...open, request, usage, bytesMax: null }, null),
        requestId,
      );
    }
    if (password?.waitSeconds != null)
      return refuseShare(request, 'wait', requestId, password.waitSeconds);
    if (password?.wasWrong === true) return refuseShare(request, 'wrong-password', requestId);
    return refuseShare(request, state === 'open' ? 'revoked' : state, requestId);
  }
}

/** What counts of a link, and the bytes it may send; ShareClosed where nothing is left. */
export async function requireLeft(core: Core, { entry, link }: OpenShare) {
  const { metadataIndex } = core.ports;
  const { bucket, id } = entry;
  if (!isLimited(link)) return { usage: { downloads: 0, bytes: 0 }, bytesMax: null };
  const stored = await metadataIndex.call(bucket.name, 'getShareUsage', { bucket, id });
  if (stored === null) throw new StorageError('NoSuchResource');
  const { usage } = stored;
  const bytesMax = bytesMaxOf(stored.link);
  if (isUsedUp(stored.link.limits, bytesMax, usage)) throw new ShareClosed('used-up');
  return { usage, bytesMax };
}

/** Whether somebody at a page asks, or a preview of it; forms are sent as browsers send them. */
export function isOfPerson(request: HttpRequest): boolean {
  const { header, method } = request;
  return wantsPage(request) || (method === 'POST' && isBrowserVisit({ method: 'GET', header }));
}
