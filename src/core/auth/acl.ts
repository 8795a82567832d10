// Access control lists: what a list of grants gives to a caller. Called by
// decide.ts. Pure. The owner of a bucket or object may always read and change its
// list, so that nobody is locked out. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html
import type { AccountId, Principal } from '../../domain/nouns.ts';
import type { Grant, Permission } from '../../domain/object-facts.ts';
import { ANONYMOUS_ID } from '../../domain/pointer.ts';
import type { S3Action } from './policy/actions.ts';

/**
 * Most grants in one list.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html
 */
export const ACL_MAX_GRANTS = 100;

/** A list with its owner; `acl` null: the owner's full control. */
export type OwnedAcl = { readonly ownerId: AccountId; readonly acl: readonly Grant[] | null };

/** The permission of a bucket's list that allows an action, where there is one. */
const BUCKET_PERMISSIONS: Partial<Record<S3Action, Permission>> = {
  's3:AbortMultipartUpload': 'WRITE',
  's3:DeleteObject': 'WRITE',
  's3:GetBucketAcl': 'READ_ACP',
  's3:ListBucket': 'READ',
  's3:ListBucketMultipartUploads': 'READ',
  's3:ListBucketVersions': 'READ',
  's3:ListMultipartUploadParts': 'WRITE',
  's3:PutBucketAcl': 'WRITE_ACP',
  's3:PutObject': 'WRITE',
};

/** The permission of an object's list that allows an action, where there is one. */
const OBJECT_PERMISSIONS: Partial<Record<S3Action, Permission>> = {
  's3:GetObject': 'READ',
  's3:GetObjectAcl': 'READ_ACP',
  's3:GetObjectAttributes': 'READ',
  's3:GetObjectTorrent': 'READ',
  's3:GetObjectVersion': 'READ',
  's3:GetObjectVersionAcl': 'READ_ACP',
  's3:GetObjectVersionAttributes': 'READ',
  's3:GetObjectVersionTorrent': 'READ',
  's3:PutObjectAcl': 'WRITE_ACP',
  's3:PutObjectVersionAcl': 'WRITE_ACP',
};

/** Whether an object's list, not the bucket's, decides about the action. */
export function isDecidedByObject(action: S3Action): boolean {
  return OBJECT_PERMISSIONS[action] !== undefined;
}

/** The permission of that list that allows the action; null when no grant can. */
export function permissionFor(action: S3Action, list: 'bucket' | 'object'): Permission | null {
  return (list === 'bucket' ? BUCKET_PERMISSIONS : OBJECT_PERMISSIONS)[action] ?? null;
}

/** The id of a caller in lists of grants. */
export function idOf(principal: Principal): AccountId {
  return principal.kind === 'account' ? principal.account.id : ANONYMOUS_ID;
}

/**
 * Finds the grant of the list that gives the permission; `owner`: the list's owner
 * has it without one; null: nothing gives it. `ignoresPublic`: grants to everybody
 * do not count.
 */
export function findGrant(
  { ownerId, acl }: OwnedAcl,
  principal: Principal,
  permission: Permission,
  ignoresPublic: boolean,
): Grant | 'owner' | null {
  const isOwner = ownerId === idOf(principal) && !(ignoresPublic && principal.kind === 'anonymous');
  if (isOwner && (acl === null || permission === 'READ_ACP' || permission === 'WRITE_ACP'))
    return 'owner';
  const isMeant = (grant: Grant) =>
    (grant.permission === permission || grant.permission === 'FULL_CONTROL') &&
    !(ignoresPublic && isPublicGrant(grant)) &&
    isGrantedTo(grant, principal);
  return acl?.find(isMeant) ?? null;
}

/** Whether the list gives the permission, as `findGrant` finds it. */
export const isGranted = (...input: Parameters<typeof findGrant>): boolean =>
  findGrant(...input) !== null;

function isGrantedTo({ grantee }: Grant, principal: Principal): boolean {
  if (grantee.kind === 'account') return grantee.id === idOf(principal);
  if (grantee.group === 'AllUsers') return true;
  return grantee.group === 'AuthenticatedUsers' && principal.kind === 'account';
}

/**
 * Whether the grant goes to everybody; everybody with an account counts as
 * everybody.
 */
function isPublicGrant({ grantee }: Grant): boolean {
  return grantee.kind === 'group' && grantee.group !== 'LogDelivery';
}

/**
 * Whether S3 calls a list public. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
 */
export function isPublicAcl(acl: readonly Grant[] | null): boolean {
  return acl?.some(isPublicGrant) ?? false;
}
