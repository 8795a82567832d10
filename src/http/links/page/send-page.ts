// Sends a link page: the HTML of frame.ts with the headers of page-headers.ts. The
// surfaces of share links and of drop links call it.
import { sendWhole } from '../../console/built-file.ts';
import type { HttpRequest } from '../../request.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import { ownStyleOf, type Page, renderPage } from './frame.ts';
import { linkPageHeaders, type PageNeed, pagePolicy } from './page-headers.ts';

export type SentPage = {
  readonly status: number;
  readonly page: Page;
  readonly needs: readonly PageNeed[];
  /** Whether the page carries what lets its reader in: then nobody stores it. */
  readonly isSecret: boolean;
  /** After how many seconds another try makes sense; null: nobody says. */
  readonly retryAfterSeconds?: number | null;
};

const encoder = new TextEncoder();

/** The response; to HEAD its headers alone. */
export function sendPage(request: HttpRequest, sent: SentPage, requestId: string): Response {
  const { page, needs, isSecret, retryAfterSeconds = null } = sent;
  const policy = { files: page.files, ownStyle: ownStyleOf(page), needs };
  const headers: HeaderRecord = {
    ...linkPageHeaders(page.language, isSecret),
    'content-security-policy': pagePolicy(request.host, policy),
    'x-amz-request-id': requestId,
  };
  if (retryAfterSeconds !== null) headers['retry-after'] = `${retryAfterSeconds}`;
  return sendWhole(request, sent.status, headers, encoder.encode(renderPage(page)));
}
