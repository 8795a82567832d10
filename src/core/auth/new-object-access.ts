// Who will own an object that is written, and with which list of grants: what the writer asked for,
// as the bucket's ownership controls and its block of public access allow it. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html

import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketRecord, Principal } from '../../domain/nouns.ts';
import type { Grant, ObjectFacts } from '../../domain/object-facts.ts';
import { isPublicByAcl } from '../../domain/pointer.ts';
import { idOf, isPublicAcl } from './acl.ts';
import { type CannedAcl, cannedGrants, normalGrants } from './canned-acl.ts';

/** What a request asks an access control list to be; grantees are known to exist. */
export type RequestedAcl =
  | { readonly kind: 'canned'; readonly name: CannedAcl }
  | { readonly kind: 'grants'; readonly grants: readonly Grant[] };

export type NewObjectAccess = Pick<ObjectFacts, 'ownerId' | 'acl'> & {
  /** Whether everyone will be able to read it by its list: the bucket must admit it first. */
  readonly isPublic: boolean;
};

type Bucket = Pick<BucketRecord, 'ownerId' | 'access'>;

/**
 * AccessControlListNotSupported where ownership is enforced, AccessDenied where public lists are
 * blocked.
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

/** The list that a request sets on something of that owner. */
export function grantsOf(
  requested: RequestedAcl,
  owners: { ownerId: AccountId; bucketOwnerId: AccountId },
): readonly Grant[] | null {
  return requested.kind === 'canned'
    ? cannedGrants(requested.name, owners)
    : normalGrants(requested.grants, owners.ownerId);
}

/**
 * AccessDenied for a public list where the bucket blocks those; the bucket's own account is told
 * so.
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
 * What is allowed where ownership is enforced: the canned list of that name, or the grant that it
 * stands for.
 */
function givesBucketOwnerAll(requested: RequestedAcl, bucketOwnerId: AccountId): boolean {
  if (requested.kind === 'canned') return requested.name === 'bucket-owner-full-control';
  return normalGrants(requested.grants, bucketOwnerId) === null;
}
