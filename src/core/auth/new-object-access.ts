// The owner and the list of grants of an object that is written: what the writer
// requested, as the bucket's ownership controls and its block of public access
// allow it. Called by writes. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html

import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketRecord, Principal } from '../../domain/nouns.ts';
import type { Grant, ObjectFacts } from '../../domain/object-facts.ts';
import { isPublicByAcl } from '../../domain/pointer.ts';
import { idOf, isPublicAcl } from './acl.ts';
import { type CannedAcl, cannedGrants, normalGrants } from './canned-acl.ts';

/** The access control list that a request sets; its grantees are known to exist. */
export type RequestedAcl =
  | { readonly kind: 'canned'; readonly name: CannedAcl }
  | { readonly kind: 'grants'; readonly grants: readonly Grant[] };

export type NewObjectAccess = Pick<ObjectFacts, 'ownerId' | 'acl'> & {
  /**
   * Whether everyone will be able to read it by its list: the bucket must admit it
   * first.
   */
  readonly isPublic: boolean;
};

type Bucket = Pick<BucketRecord, 'ownerId' | 'access'>;

/**
 * Determines owner and list of a new object. AccessControlListNotSupported where
 * ownership is enforced, AccessDenied where public lists are blocked.
 */
export function accessOfNewObject(
  bucket: Bucket,
  principal: Principal,
  requested: RequestedAcl | null,
): NewObjectAccess {
  const { ownership } = bucket.access;
  const bucketOwnerId = bucket.ownerId;
  const isForBucketOwner = requested !== null && givesBucketOwnerAll(requested, bucketOwnerId);
  if (ownership === 'BucketOwnerEnforced') {
    if (requested !== null && !isForBucketOwner)
      throw new StorageError('AccessControlListNotSupported');
    return { ownerId: null, acl: null, isPublic: false };
  }

  const writerId = idOf(principal);
  const isHandedOver =
    ownership === 'BucketOwnerPreferred' && isForBucketOwner && requested.kind === 'canned';
  const ownerId = isHandedOver ? bucketOwnerId : writerId;
  const acl = requested === null ? null : grantsOf(requested, { ownerId, bucketOwnerId });
  requireNotBlocked(bucket, principal, acl);
  const access = { ownerId: ownerId === bucketOwnerId ? null : ownerId, acl };
  return { ...access, isPublic: isPublicByAcl(access) };
}

/** The grants that a request sets on a bucket or object of that owner. */
export function grantsOf(
  requested: RequestedAcl,
  owners: { ownerId: AccountId; bucketOwnerId: AccountId },
): readonly Grant[] | null {
  return requested.kind === 'canned'
    ? cannedGrants(requested.name, owners)
    : normalGrants(requested.grants, owners.ownerId);
}

/**
 * Refuses a public list where the bucket blocks those, AccessDenied. Only the
 * bucket's own account gets the reason.
 */
export function requireNotBlocked(
  { access, ownerId }: Bucket,
  principal: Principal,
  acl: readonly Grant[] | null,
): void {
  if (!access.publicAccessBlock?.blockPublicAcls || !isPublicAcl(acl)) return;
  const detail = 'Access Denied: the bucket blocks public access control lists (BlockPublicAcls).';
  throw new StorageError('AccessDenied', idOf(principal) === ownerId ? { detail } : {});
}

/**
 * Whether a list is bucket-owner-full-control, by name or by its grant, which is
 * all that enforced ownership allows.
 */
function givesBucketOwnerAll(requested: RequestedAcl, bucketOwnerId: AccountId): boolean {
  if (requested.kind === 'canned') return requested.name === 'bucket-owner-full-control';
  return normalGrants(requested.grants, bucketOwnerId) === null;
}
