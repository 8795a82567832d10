// The headers of unsigned reads that the S3 surface answers, because they want what
// delivery has not: a version, a part, what a client's key opens. The owner's rules
// for strangers hold for them as for plain reads, out of the same pieces, or one
// parameter would get around them. Asked by s3/operations/object/get-head.ts.
import type { BucketRecord, ObjectVersion } from '../../domain/nouns.ts';
import { everyoneMayRead, toPointer } from '../../domain/pointer.ts';
import type { HttpRequest } from '../request.ts';
import { corsHeaders } from '../semantics/cors.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { requireReferer } from './features/hotlink.ts';
import type { HeaderProfiles } from './header-profile.ts';
import type { PreparedFor } from './prepared-headers.ts';
import { withPrivateCaching } from './public-reader.ts';

/** A read that is allowed. */
export type UnsignedRead = {
  readonly request: HttpRequest;
  readonly record: BucketRecord;
  readonly version: ObjectVersion;
  readonly hasOwnOrigin: boolean;
  /**
   * Whether it got what the key stands for now, without a key: only then the
   * bucket's access says if that is everyone's.
   */
  readonly isOfCurrent: boolean;
};

/**
 * What is said of the object, whichever part of it is sent; the caller owns the
 * record. AccessDenied for other sites' pages. Cost: 1 µs.
 */
export type UnsignedHeaders = (read: UnsignedRead) => HeaderRecord;

export function createUnsignedHeaders(
  profiles: HeaderProfiles,
  preparedFor: PreparedFor,
): UnsignedHeaders {
  return ({ request, record, version, hasOwnOrigin, isOfCurrent }) => {
    const { access, settings } = record;
    const pointer = toPointer(version);
    const profile = profiles.plain(settings.hosting, hasOwnOrigin);
    const prepared = preparedFor(profile);
    if (prepared.isGuarded(pointer))
      requireReferer(profile, request, corsHeaders(settings.cors, request));
    const { 'cache-status': _status, ...headers } = prepared.whole(pointer, '');
    const isForEveryone = isOfCurrent && everyoneMayRead(access, version.key, pointer) === 'yes';
    return isForEveryone ? headers : { ...withPrivateCaching(headers, pointer) };
  };
}
