// For whom something is made of an object, as the port of derived bodies wants it. deliver.ts says
// it to images.ts and variants.ts.

import type { BucketReadPolicy } from '../../domain/nouns.ts';
import type { DerivedRequester } from '../../ports/derived.ts';
import type { HttpRequest } from '../request.ts';
import { sourceOf } from '../request-source.ts';
import type { RequireWork } from './require-work.ts';

/** What stands between a reader and something that is not made yet. */
export type Making = {
  /** Whether it may be made; null: nothing is in the way. */
  readonly work: RequireWork | null;
  /** For whom. Only asked where something is made, which is seldom. */
  readonly findRequester: () => DerivedRequester;
  /** Whether the owner of the bucket has signed the request. */
  readonly isOwners: boolean;
};

/** `read policy` null: a bucket of which nothing is known. */
export function requesterOf(
  readPolicy: BucketReadPolicy | null,
  request: HttpRequest,
): DerivedRequester {
  return {
    tenant: readPolicy?.ownerId ?? '',
    bucket: readPolicy?.bucketId ?? '',
    source: sourceOf(request),
  };
}
