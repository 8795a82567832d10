// Canned ACLs: the access control lists that S3 has names for, as grants. Called by
// the S3 surface and new-object-access.ts. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#canned-acl
import type { AccountId } from '../../domain/nouns.ts';
import type { Grant, GranteeGroup, Permission } from '../../domain/object-facts.ts';

/** Canned ACLs of buckets. */
export const BUCKET_CANNED_ACLS = [
  'private',
  'public-read',
  'public-read-write',
  'authenticated-read',
  'log-delivery-write',
] as const;
/** Canned ACLs of objects. */
export const OBJECT_CANNED_ACLS = [
  'private',
  'public-read',
  'public-read-write',
  'authenticated-read',
  'bucket-owner-read',
  'bucket-owner-full-control',
] as const;
export type CannedAcl = (typeof BUCKET_CANNED_ACLS)[number] | (typeof OBJECT_CANNED_ACLS)[number];

const to = (group: GranteeGroup, ...permissions: readonly Permission[]): Grant[] =>
  permissions.map((permission) => ({ grantee: { kind: 'group', group }, permission }));

/** A grant to one account. */
export function accountGrant(id: AccountId, permission: Permission): Grant {
  return { grantee: { kind: 'account', id }, permission };
}

/**
 * The grants of a canned list; null for those that give nobody but the owner
 * anything. The owner comes last, where clients look for it.
 */
export function cannedGrants(
  name: CannedAcl,
  { ownerId, bucketOwnerId }: { ownerId: AccountId; bucketOwnerId: AccountId },
): readonly Grant[] | null {
  const owner = accountGrant(ownerId, 'FULL_CONTROL');
  switch (name) {
    case 'private':
      return null;
    case 'public-read':
      return [...to('AllUsers', 'READ'), owner];
    case 'public-read-write':
      return [...to('AllUsers', 'READ', 'WRITE'), owner];
    case 'authenticated-read':
      return [...to('AuthenticatedUsers', 'READ'), owner];
    case 'log-delivery-write':
      return [...to('LogDelivery', 'WRITE', 'READ_ACP'), owner];
    case 'bucket-owner-read':
      return ownerId === bucketOwnerId ? null : [owner, accountGrant(bucketOwnerId, 'READ')];
    case 'bucket-owner-full-control':
      return ownerId === bucketOwnerId
        ? null
        : [owner, accountGrant(bucketOwnerId, 'FULL_CONTROL')];
  }
}

/** Normalizes a list: null where it gives nobody but the owner anything. */
export function normalGrants(
  grants: readonly Grant[],
  ownerId: AccountId,
): readonly Grant[] | null {
  const [only] = grants;
  const isOwners =
    only?.grantee.kind === 'account' &&
    only.grantee.id === ownerId &&
    only.permission === 'FULL_CONTROL';
  return grants.length === 1 && isOwners ? null : grants;
}
