// The readable page of the API, at /-/docs: HTML with one style sheet inside and no
// script. lazy-api.ts calls it; docs-html.ts makes the page.
import { sha256Base64 } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import { makeResponse } from '../../http/outgoing-body.ts';
import type { HttpRequest } from '../../http/request.ts';
import { evaluateRead, NO_CONDITIONS } from '../../http/semantics/conditional.ts';
import { problemResponse } from '../routing/problem.ts';
import { DOCS_STYLE } from './docs-style.ts';

/**
 * The page may load nothing and run nothing: the one style sheet is named by its
 * digest. `sandbox` takes its origin from it, so that a script that got into it
 * nonetheless would not run and could read no cookie.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${sha256Base64(DOCS_STYLE)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  'sandbox',
].join('; ');

const HOUR_SECONDS = 3600;

type DocsPage = { readonly requestId: string; readonly page: string };

/**
 * Answers what is under `/-/docs`: `page` at its address, and nothing else. Never
 * rejects.
 */
export async function respondDocs(
  request: HttpRequest,
  path: string,
  { requestId, page }: DocsPage,
): Promise<Response> {
  request.notes.operation = 'Docs';
  if (path !== '/docs' && path !== '/docs/') {
    return refuse(request, requestId, new StorageError('NoSuchResource'));
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const fields = { Allow: 'GET, HEAD' };
    return refuse(request, requestId, new StorageError('MethodNotAllowed', { fields }));
  }
  return respond(request, requestId, page);
}

function refuse(request: HttpRequest, requestId: string, error: StorageError): Response {
  const { status, headers, body, code } = problemResponse(error, requestId);
  request.notes.errorCode = code;
  const all = { ...headers, 'cache-control': 'no-store', 'x-request-id': requestId };
  return makeResponse(request, status, all, request.method === 'HEAD' ? null : body);
}

function respond(request: HttpRequest, requestId: string, page: string): Response {
  const etag = sha256Base64(page);
  const headers: Record<string, string> = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': PAGE_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': `public, max-age=${HOUR_SECONDS}`,
    etag: `"${etag}"`,
    'x-request-id': requestId,
  };
  const conditions = { ...NO_CONDITIONS, ifNoneMatch: request.header('if-none-match') };
  if (evaluateRead(conditions, { etag, lastModifiedMs: 0 }) === 'not-modified')
    return makeResponse(request, 304, headers, null);
  const bytes = new TextEncoder().encode(page);
  headers['content-length'] = `${bytes.length}`;
  return makeResponse(request, 200, headers, request.method === 'HEAD' ? null : bytes);
}
