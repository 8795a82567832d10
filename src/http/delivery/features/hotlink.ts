// Hotlink protection, as a feature of reads: pages of sites that the owner did not
// allow may not show protected objects. The rules are hosting settings; unsigned
// reads of the S3 surface obey them too (unsigned-headers.ts).
import { StorageError } from '../../../domain/errors.ts';
import { withFailureHeaders } from '../../failure-with-headers.ts';
import type { HttpRequest } from '../../request.ts';
import { withCors } from '../../semantics/cors.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import type { HeaderProfile } from '../header-profile.ts';
import type { ReadFeature } from './read-feature.ts';

export function hotlinkFeature(): ReadFeature {
  return {
    isIn: ({ settings }) => settings.hosting?.hotlink != null,
    refuse({ readRequest, pointer, profile, prepared, cors }) {
      if (prepared.isGuarded(pointer)) requireReferer(profile, readRequest.request, cors);
    },
    atOnce: {
      leaves: (read, pointer, { rules }, prepared) =>
        rules !== null &&
        prepared.isGuarded(pointer) &&
        !rules.allowsReferer(read.header('referer'), read.host),
    },
  };
}

/**
 * Refuses an object to a page that may not show it. `cors`: what the bucket's rules
 * add to the response. AccessDenied, with its Vary.
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
