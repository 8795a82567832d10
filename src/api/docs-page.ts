// The readable pages of the API's document, at /-/docs: Scalar, served by us, allowed to load nothing from elsewhere.
// lazy-api.ts calls it. Source of the options: https://github.com/scalar/scalar/blob/main/documentation/configuration.md
import { sha256Base64 } from '../crypto/hash.ts';
import { makeResponse } from '../http/outgoing-body.ts';
import type { HttpRequest } from '../http/request.ts';
import { evaluateRead, NO_CONDITIONS } from '../http/semantics/conditional.ts';
import { StorageError } from '../ports/errors.ts';
import type { OwnFiles } from '../ports/own-files.ts';
import { problemResponse } from './problem.ts';

/** Nothing is sent anywhere: no fonts, no telemetry, no proxy, no assistant. */
const START = `Scalar.createApiReference('#app', {
  url: '/-/api/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  persistAuth: false,
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quayside API</title>
</head>
<body>
<noscript>These pages need JavaScript. The document itself is at <a href="/-/api/openapi.json">/-/api/openapi.json</a>.</noscript>
<div id="app"></div>
<script src="/-/docs/scalar.js"></script>
<script src="/-/docs/start.js"></script>
</body>
</html>
`;

/** Scalar sets styles from script, so inline styles are allowed; scripts are not. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HOUR_SECONDS = 3600;

type Page = { readonly type: string; readonly body: string | Uint8Array; readonly isGzipped: boolean };

/** Answers what is under `/-/docs`. Never rejects but with what `files` rejects with. */
export async function answerDocs(
  request: HttpRequest,
  path: string,
  { files, requestId }: { readonly files: OwnFiles; readonly requestId: string },
): Promise<Response> {
  request.notes.operation = 'Docs';
  try {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD' } });
    }
    const page = await pageAt(path, files);
    if (page === null) throw new StorageError('NoSuchResource');
    return respond(request, requestId, page);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const { status, headers, body, code } = problemResponse(error, requestId);
    request.notes.errorCode = code;
    const all = { ...headers, 'cache-control': 'no-store', 'x-request-id': requestId };
    return makeResponse(request, status, all, request.method === 'HEAD' ? null : body);
  }
}

async function pageAt(path: string, files: OwnFiles): Promise<Page | null> {
  const script = 'text/javascript; charset=utf-8';
  if (path === '/docs' || path === '/docs/') return { type: 'text/html; charset=utf-8', body: PAGE, isGzipped: false };
  if (path === '/docs/start.js') return { type: script, body: START, isGzipped: false };
  if (path !== '/docs/scalar.js') return null;
  const file = await files.read('scalar.js');
  return file === null ? null : { type: script, body: file.bytes, isGzipped: file.isGzipped };
}

function respond(request: HttpRequest, requestId: string, { type, body, isGzipped }: Page): Response {
  const etag = sha256Base64(body);
  const headers: Record<string, string> = {
    'content-type': type,
    'content-security-policy': PAGE_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': `public, max-age=${HOUR_SECONDS}`,
    etag: `"${etag}"`,
    'x-request-id': requestId,
  };
  const ifNoneMatch = request.header('if-none-match');
  if (evaluateRead({ ...NO_CONDITIONS, ifNoneMatch }, { etag, lastModifiedMs: 0 }) === 'not-modified')
    return makeResponse(request, 304, headers, null);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  headers['content-length'] = `${bytes.length}`;
  if (isGzipped) {
    headers['content-encoding'] = 'gzip';
    headers.vary = 'accept-encoding';
  }
  return makeResponse(request, 200, headers, request.method === 'HEAD' ? null : bytes);
}
