// For whom something is made of an object, and whether it may be made. Called by
// the features that make images and variants, only where something might be.
import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
import type { BucketReadPolicy } from '../../domain/nouns.ts';
import type { DerivedRequester } from '../../ports/derived.ts';
import type { HttpRequest } from '../request.ts';
import { sourceOf } from '../request-source.ts';
import type { ObjectRead } from './object-read.ts';
import { type RequireWork, requireWorkFor } from './require-work.ts';

/** What stands between a reader and something that is not made yet. */
export type Making = {
  /** Whether it may be made; null: nothing is in the way. */
  readonly work: RequireWork | null;
  /** For whom it is made. Called only where something is made, which is seldom. */
  readonly findRequester: () => DerivedRequester;
  /** Whether the owner of the bucket has signed the request. */
  readonly isOwners: boolean;
};

/** `caps` null: there are none. */
export function createMakingOf(core: Core, caps: CapGuard | null): (read: ObjectRead) => Making {
  const { tier } = core.ports.derived;

  return ({ readRequest: { request }, readPolicy, isOwners }) => ({
    work: requireWorkFor(caps, readPolicy, { isHead: request.method === 'HEAD', tier }),
    findRequester: () => requesterOf(readPolicy, request),
    isOwners,
  });
}

function requesterOf(readPolicy: BucketReadPolicy, request: HttpRequest): DerivedRequester {
  return {
    tenant: readPolicy.ownerId,
    bucket: readPolicy.bucketId,
    source: sourceOf(request),
  };
}
