// What programs get where a share link gives nothing: a status, one line of text,
// and when to come again. People get the page. Called by answer-share.ts.
import type { ShareState } from '../../../domain/links/share-links.ts';
import { makeResponse } from '../../outgoing-body.ts';
import type { HttpRequest } from '../../request.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import { SHARE_STATUS } from './describe-share.ts';

/** Why nothing is given; `busy`: all places are taken for the moment. */
export type ShareRefusalKind = Exclude<ShareState, 'open'> | 'wrong-password' | 'busy' | 'wait';

const TEXTS: Readonly<Record<ShareRefusalKind, string>> = {
  password: 'This link has a password. Give it so: curl -u :PASSWORD',
  'wrong-password': 'The password is wrong. Give it so: curl -u :PASSWORD',
  revoked: 'This link was revoked.',
  expired: 'This link has expired.',
  'used-up': 'This link is used up.',
  'not-yet': 'This link does not work yet.',
  'not-for-you': 'This link is not for you.',
  busy: 'All downloads that this link still allows are under way. Try again soon.',
  wait: 'Too many wrong passwords. Wait before you try again.',
};

/** When to come again where all places are taken, seconds. */
const BUSY_SECONDS = 2;

const encoder = new TextEncoder();

function statusOf(kind: ShareRefusalKind): number {
  if (kind === 'busy' || kind === 'wait') return 429;
  return SHARE_STATUS[kind === 'wrong-password' ? 'password' : kind];
}

/** The response. `retryAfterSeconds` null: there is no use in coming again. */
export function refuseShare(
  request: HttpRequest,
  kind: ShareRefusalKind,
  requestId: string,
  retryAfterSeconds: number | null = kind === 'busy' ? BUSY_SECONDS : null,
): Response {
  const status = statusOf(kind);
  const text = encoder.encode(`${TEXTS[kind]}\n`);
  const headers: HeaderRecord = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': `${text.length}`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'x-amz-request-id': requestId,
  };
  if (status === 401) headers['www-authenticate'] = 'Basic realm="link", charset="UTF-8"';
  if (retryAfterSeconds !== null) headers['retry-after'] = `${retryAfterSeconds}`;
  const isHead = request.method === 'HEAD';
  request.notes.bodyBytes = isHead ? 0 : text.length;
  return makeResponse(request, status, headers, isHead ? null : text);
}
