// Failures at the addresses of links, as whoever types one into a terminal reads them:
// a line of text. Called by answer-request.ts, after the pages for people in browsers;
// answers with JSON are drop/answer-drop.ts's own.
import type { ErrorCode } from '../../domain/errors.ts';
import { makeResponse } from '../outgoing-body.ts';
import type { HttpRequest } from '../request.ts';
import { s3ErrorHead } from '../s3/errors.ts';

/** What some failures mean to somebody with a link. */
const TEXTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  NoSuchResource: 'There is no such link.',
  NoSuchKey: 'This link has no such file.',
};

const encoder = new TextEncoder();

/** The response with a line of text; null for a request to another surface. */
export function renderLinkFailure(
  error: unknown,
  request: HttpRequest,
  requestId: string,
): Response | null {
  const { notes } = request;
  if (notes.surface !== 'links') return null;
  const { shown, status, headers } = s3ErrorHead(error, requestId);
  notes.errorCode = shown.code;
  const text = encoder.encode(`${TEXTS[shown.code] ?? shown.message}\n`);
  headers['content-type'] = 'text/plain; charset=utf-8';
  headers['x-content-type-options'] = 'nosniff';
  headers['x-robots-tag'] = 'noindex';
  if (request.method === 'HEAD') return makeResponse(request, status, headers, null);
  notes.bodyBytes = text.length;
  return makeResponse(request, status, headers, text);
}
