import { StorageError } from '../../domain/errors.ts';
import { withFailureHeaders } from '../failure-with-headers.ts';
import type { HttpRequest } from '../request.ts';
import { withCors } from '../semantics/cors.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import type { HeaderProfile } from './header-profile.ts';

/**
 * Refuses an object to a page that may not show it. `cors`: as for the answer. AccessDenied, with
 * its Vary.
 */
export function requireReferer(
  { rules }: HeaderProfile,
  request: Pick<HttpRequest, 'header' | 'host'>,
  cors: Readonly<HeaderRecord> | null,
): void {
  if (rules === null || rules.allowsReferer(request.header('referer'), request.host)) return;
  const failure = new StorageError('AccessDenied', {
    detail: 'The owner lets other sites not show this.',
  });
  const vary = { vary: 'Referer' };
  throw withFailureHeaders(failure, cors === null ? vary : withCors(vary, cors));
}
