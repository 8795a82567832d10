// Failures as people read them: whoever follows a dead link to an object or a
// bucket in a browser gets a page, with the status and the headers that everybody
// else gets with XML. http/answer-request.ts calls it before s3/errors.ts. Websites
// have error documents of their own.
import { sha256Base64 } from '../../crypto/hash.ts';
import type { ErrorCode, StorageError } from '../../domain/errors.ts';
import type { Surface } from '../observe/request-notes.ts';
import { makeResponse } from '../outgoing-body.ts';
import type { HttpRequest } from '../request.ts';
import { s3ErrorHead } from '../s3/errors.ts';
import { isBrowserVisit, PAGE_LANGUAGES, preferredLanguage } from '../semantics/accept-html.ts';
import {
  DEAD_LINK_STYLE,
  type DeadLinkCause,
  type DeadLinkFacts,
  deadLinkHtml,
} from './dead-link-html.ts';

/** The page loads nothing and has no rights, not even those of its own origin. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${sha256Base64(DEAD_LINK_STYLE)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  'sandbox',
].join('; ');

/** Surfaces of objects and buckets. */
const SURFACES: ReadonlySet<Surface> = new Set(['delivery', 's3', 'links']);

/** What a failure means to somebody who followed a link. Other failures have no page. */
const CAUSES: Readonly<Partial<Record<ErrorCode, DeadLinkCause>>> = {
  AccessDenied: 'closed',
  InvalidAccessKeyId: 'withdrawn',
  NoSuchBucket: 'missing',
  NoSuchKey: 'missing',
  NoSuchResource: 'missing',
  NoSuchVersion: 'missing',
  SignatureDoesNotMatch: 'broken',
};

const encoder = new TextEncoder();

/**
 * The page for a failure of this request; null where there is none, or nobody looks
 * at it: then the failure goes out as XML.
 */
export function renderDeadLink(
  error: unknown,
  request: HttpRequest,
  requestId: string,
): Response | null {
  if (!SURFACES.has(request.notes.surface) || !isBrowserVisit(request)) return null;
  const { shown, status, headers } = s3ErrorHead(error, requestId);
  const facts = factsOf(shown, requestId);
  if (facts === null) return null;

  const language = preferredLanguage(request.header('accept-language'));
  const page = encoder.encode(deadLinkHtml(facts, language));
  headers['content-type'] = 'text/html; charset=utf-8';
  headers['content-language'] = PAGE_LANGUAGES[language].tag;
  headers['content-security-policy'] = POLICY;
  headers['referrer-policy'] = 'no-referrer';
  headers['x-content-type-options'] = 'nosniff';
  headers['x-robots-tag'] = 'noindex';
  const selectedBy = 'Accept, Accept-Language, Authorization, Sec-Fetch-Dest';
  headers.vary = headers.vary === undefined ? selectedBy : `${headers.vary}, ${selectedBy}`;
  request.notes.errorCode = shown.code;
  request.notes.bodyBytes = page.length;
  return makeResponse(request, status, headers, page);
}

/** Presigned URLs are the only ones whose refusal names times. */
function factsOf({ code, fields }: StorageError, requestId: string): DeadLinkFacts | null {
  const cause = CAUSES[code];
  if (cause === undefined) return null;
  const { Expires: endedAt, 'X-Amz-Date': beginsAt } = fields;
  if (cause !== 'closed' || endedAt === undefined) return { cause, endedAt: null, requestId };
  if (beginsAt !== undefined) return { cause: 'early', endedAt: null, requestId };
  return { cause: 'ended', endedAt, requestId };
}
