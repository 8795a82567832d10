// Makes the view of a share link for one visitor: what its page shows. Called by
// answer-share.ts, which has found out the state and read the content. Nothing of a
// link is shown to who may not see it: not even its title.
import type { LinkName } from '../../../domain/links/link-ids.ts';
import { linkPath } from '../../../domain/links/link-ids.ts';
import {
  isLimited,
  type ShareLabel,
  type ShareLink,
  type ShareState,
  type ShareUsage,
} from '../../../domain/links/share-links.ts';
import type { HttpRequest } from '../../request.ts';
import { isPdf } from '../../semantics/active-content.ts';
import { previewKindOf } from './preview-kinds.ts';
import { createShareHref } from './share-hrefs.ts';
import type { ShareContent, ShareFile, ShareView } from './share-view.ts';

/** A visitor with the link that it opened. */
export type ShareVisit = {
  readonly request: Pick<HttpRequest, 'isSecure' | 'host'>;
  readonly name: LinkName;
  readonly link: ShareLink;
  readonly label: ShareLabel | null;
  readonly usage: ShareUsage;
  /** Bytes that may be sent in all, by the limits of bytes and money; null: any. */
  readonly bytesMax: number | null;
  readonly state: ShareState;
  /** The ticket that the visitor has or now gets; null: none is needed. */
  readonly ticket: string | null;
  /** How the password went that was sent. */
  readonly password: { readonly wasWrong: boolean; readonly waitSeconds: number | null } | null;
};

/** What a status says to programs is what the page's state says to people. */
export const SHARE_STATUS: Readonly<Record<ShareState, number>> = {
  open: 200,
  password: 401,
  revoked: 410,
  expired: 410,
  'used-up': 410,
  'not-yet': 404,
  'not-for-you': 403,
};

const NO_LIMITS_LEFT = { downloads: null, bytes: null } as const;

/** The view. `content` null: the visitor may not see it. */
export function describeShare(visit: ShareVisit, content: ShareContent | null): ShareView {
  const { request, name, link, state, password } = visit;
  const path = linkPath('share', name);
  const scheme = request.isSecure ? 'https' : 'http';
  const isOpen = state === 'open';
  const needsTry = password?.waitSeconds === null || password === null;
  return {
    state,
    status: needsTry ? statusOfPage(state, password?.wasWrong ?? false) : 429,
    link: {
      path,
      url: `${scheme}://${request.host}${path}`,
      ticket: isOpen ? visit.ticket : null,
      label: isOpen ? (visit.label?.name ?? null) : null,
    },
    page: describePage(visit),
    times: {
      expiresAt: isOpen || state === 'expired' ? isoOf(link.expiresAtMs) : null,
      beginsAt: state === 'not-yet' ? isoOf(link.notBeforeMs) : null,
    },
    left: isOpen ? leftOf(visit) : NO_LIMITS_LEFT,
    password: state === 'password' ? (password ?? { wasWrong: false, waitSeconds: null }) : null,
    content: isOpen ? content : null,
  };
}

/** The form for a password is a page like any other, so that browsers ask for nothing themselves. */
function statusOfPage(state: ShareState, wasWrong: boolean): number {
  return state === 'password' && !wasWrong ? 200 : SHARE_STATUS[state];
}

function describePage({ name, link, state, ticket }: ShareVisit): ShareView['page'] {
  const { title, text, logoKey, colour, mode } = link.page;
  if (state !== 'open') return { title: null, text: null, logo: null, colour: null, mode };
  const href = createShareHref(name, ticket);
  return {
    title,
    text,
    logo: logoKey === null ? null : href('', { logo: '1' }),
    colour,
    mode,
  };
}

function leftOf({ link, usage, bytesMax }: ShareVisit): ShareView['left'] {
  const { downloads } = link.limits;
  return {
    downloads: downloads === null ? null : Math.max(0, downloads - usage.downloads),
    bytes: bytesMax === null ? null : Math.max(0, bytesMax - usage.bytes),
  };
}

/** A file as the page lists it. `path`: below the link. */
export function describeFile(
  { name, link, ticket }: Pick<ShareVisit, 'name' | 'link' | 'ticket'>,
  file: {
    readonly path: string;
    /** Null: the last part of the path. */
    readonly name: string | null;
    readonly sizeBytes: number;
    readonly lastModifiedMs: number;
    readonly contentType: string | null;
  },
): ShareFile {
  const href = createShareHref(name, ticket);
  const { mode } = link.page;
  const fileName = file.name ?? file.path.slice(file.path.lastIndexOf('/') + 1);
  const kind = mode === 'download' ? null : shownKind(fileName, file.contentType);
  return {
    name: fileName,
    pick: file.path,
    sizeBytes: file.sizeBytes,
    modifiedAt: new Date(file.lastModifiedMs).toISOString(),
    contentType: file.contentType,
    downloadHref: mode === 'view' ? null : href(file.path),
    preview:
      kind === null
        ? null
        : { kind, href: href(file.path, { show: '1' }), counts: isLimited(link) },
  };
}

/** How a file is shown; null: not at all. A PDF is one by its type too, or it is downloaded. */
function shownKind(fileName: string, contentType: string | null) {
  const kind = previewKindOf(fileName);
  return kind === 'pdf' && contentType !== null && !isPdf(contentType) ? null : kind;
}

const isoOf = (timeMs: number | null): string | null =>
  timeMs === null ? null : new Date(timeMs).toISOString();
