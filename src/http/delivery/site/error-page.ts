// The page for failures that a site has no document of its own for. Called by
// site-responses.ts.
import { escapeHtml } from '../../../core/escape-html.ts';
import type { StorageError } from '../../../domain/errors.ts';
import { ERROR_STATUS } from '../../semantics/error-status.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';

/**
 * The reason phrases of what a website can answer. Source: RFC 9110 section 15, RFC
 * 6585 section 4.
 */
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  412: 'Precondition Failed',
  416: 'Range Not Satisfiable',
  429: 'Too Many Requests',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

/**
 * What a visitor sees where the website has no page for it: code, message and
 * request id, nothing of the request.
 */
export function errorPage(
  error: StorageError,
  requestId: string,
): { status: number; headers: HeaderRecord; html: string } {
  const status = ERROR_STATUS[error.code];
  const title = `${status} ${REASONS[status] ?? 'Error'}`;
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<h1>${title}</h1>
<ul>
<li>Code: ${escapeHtml(error.code)}
<li>Message: ${escapeHtml(error.message)}
<li>Request id: ${escapeHtml(requestId)}
</ul>
`;
  const headers: HeaderRecord = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-amz-error-code': error.code,
  };
  return { status, headers, html };
}
