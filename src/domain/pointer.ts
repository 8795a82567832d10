// The small records that travel to readers, cut out of the index's rows, and the
// one rule about them: may everyone read this? The fast path and the full path of
// delivery call it for each request, the publisher before it writes to KV.
import type { BucketAccess, PublicDecision } from './bucket-access.ts';
import type { AccountId, BucketReadPolicy, BucketRecord, ObjectVersion, Pointer } from './nouns.ts';
import type { ObjectFacts } from './object-facts.ts';

/**
 * The canonical user that S3 has for requests without a signature: it owns what
 * strangers write. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html
 */
export const ANONYMOUS_ID = '65a011a29cdf8ec533ec3d1ccaae921c' as AccountId;

/** The bucket read policy: what a reader without a signature meets of a bucket. */
export function toReadPolicy({
  id,
  ownerId,
  revision,
  access,
  settings,
  siteFiles,
}: BucketRecord): BucketReadPolicy {
  const readPolicy = {
    bucketId: id,
    ownerId,
    revision,
    access,
    settings: toReadPolicySettings(settings),
  };
  return siteFiles === undefined ? readPolicy : { ...readPolicy, siteFiles };
}

/** The settings that a reader meets. */
export function toReadPolicySettings(
  settings: BucketReadPolicy['settings'],
): BucketReadPolicy['settings'] {
  const { cors, website, hosting, logging, purges, isCapped, receipts, metadata } = settings;
  return { cors, website, hosting, logging, purges, isCapped, receipts, metadata };
}

/** The pointer of a version: what a reader needs of it. */
export function toPointer({ parts: _parts, lock: _lock, acl, ...pointer }: ObjectVersion): Pointer {
  return { ...pointer, isPublicByAcl: isPublicByAcl({ acl, ownerId: pointer.ownerId }) };
}

/**
 * Whether an object's own list lets everyone read it. What a stranger wrote is
 * every stranger's.
 */
export function isPublicByAcl({ acl, ownerId }: Pick<ObjectFacts, 'acl' | 'ownerId'>): boolean {
  if (acl === null) return ownerId === ANONYMOUS_ID;
  return acl.some(
    ({ grantee, permission }) =>
      (permission === 'READ' || permission === 'FULL_CONTROL') &&
      (grantee.kind === 'group' ? grantee.group === 'AllUsers' : grantee.id === ANONYMOUS_ID),
  );
}

/**
 * Whether an object of that key could be everyone's to read, whatever the object:
 * if not, none need be looked up.
 */
export function canBePublic({ publicReads }: BucketAccess, key: string): boolean {
  if (publicReads === null) return false;
  const { open, mayOpen, closed, isAclHeard, listing } = publicReads;
  if (closed.length > 0 && isUnder(closed, key)) return false;
  return isAclHeard || listing !== 'no' || isUnder(open, key) || isUnder(mayOpen, key);
}

/**
 * Whether everyone may read the object of that key; null: there is none, and `yes`
 * means that everyone may know that. `ask`: only the policy can decide, with the
 * request in hand (core/auth/decide.ts). Cost: 10 ns.
 */
export function everyoneMayRead(
  { publicReads }: BucketAccess,
  key: string,
  object: Pick<Pointer, 'ownerId' | 'isPublicByAcl'> | null,
): PublicDecision {
  if (publicReads === null) return 'no';
  const { open, mayOpen, closed, mayClose, isAclHeard, isAllOwned, listing } = publicReads;
  if (closed.length > 0 && isUnder(closed, key)) return 'no';
  if (mayClose.length > 0 && isUnder(mayClose, key)) return 'ask';
  // A policy is the word of the bucket's owner, so it opens only what that account
  // owns.
  const isPolicyHeard = object === null || object.ownerId === null || isAllOwned;
  if (isPolicyHeard && isUnder(open, key)) return 'yes';
  if (object === null ? listing === 'yes' : isAclHeard && object.isPublicByAcl) return 'yes';
  if (isPolicyHeard && isUnder(mayOpen, key)) return 'ask';
  return object === null && listing === 'ask' ? 'ask' : 'no';
}

/**
 * Whether a policy lets everyone read whatever the bucket's owner has, or will
 * have, under the prefix.
 */
export function isOpenFolder({ publicReads }: BucketAccess, prefix: string): boolean {
  if (publicReads === null) return false;
  const { open, closed, mayClose } = publicReads;
  const isTouched = (other: string) => other.startsWith(prefix) || prefix.startsWith(other);
  return isUnder(open, prefix) && !closed.some(isTouched) && !mayClose.some(isTouched);
}

function isUnder(prefixes: readonly string[], key: string): boolean {
  for (const prefix of prefixes) if (key.startsWith(prefix)) return true;
  return false;
}
