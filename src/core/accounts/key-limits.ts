// What an access key may do at most that a caller of the JSON API makes, rotates or brings back: no
// more by S3 than the caller may do itself. A session has all that its role has, and only owners
// and admins make keys, so this is about tokens.
import type { AccessKeyRecord, KeyScope } from '../../domain/account-records.ts';
import { StorageError } from '../../domain/errors.ts';
import { actionsMatching, NO_KEY_LIMIT } from '../auth/key-scope.ts';
import { type ApiCaller, type Scope, scopesOfRole } from '../auth/permissions.ts';

/** Who makes a key. */
export type KeyMaker = Pick<ApiCaller, 'role' | 'scopes' | 'endsAtMs'>;

/**
 * The rights of the JSON API as patterns of S3 actions; member-key.ts reads them too. Actions in
 * none of these (encryption keys, overriding a governing retention) need an unlimited maker.
 */
const S3_ACTIONS_OF_SCOPE: Partial<Record<Scope, readonly string[]>> = {
  'objects:read': [
    's3:GetObject*',
    's3:ListBucket',
    's3:ListBucketVersions',
    's3:ListBucketMultipartUploads',
    's3:ListMultipartUploadParts',
    's3:GetBucketLocation',
  ],
  'objects:write': [
    's3:PutObject*',
    's3:DeleteObject*',
    's3:AbortMultipartUpload',
    's3:RestoreObject',
    's3:UpdateObjectEncryption',
  ],
  'buckets:read': [
    's3:ListAllMyBuckets',
    's3:ListTagsForResource',
    's3:GetBucket*',
    's3:GetEncryptionConfiguration',
    's3:GetLifecycleConfiguration',
  ],
  'buckets:write': [
    's3:CreateBucket',
    's3:DeleteBucket*',
    's3:PutBucket*',
    's3:PutEncryptionConfiguration',
    's3:PutLifecycleConfiguration',
    's3:TagResource',
    's3:UntagResource',
  ],
};

/** The actions of S3 that the scopes allow, as patterns. */
export function actionsOfScopes(scopes: Iterable<string>): readonly string[] {
  return [...scopes].flatMap((scope) => S3_ACTIONS_OF_SCOPE[scope as Scope] ?? []);
}

/** The actions of a maker, as patterns; null: whatever its account may do. */
function actionsOf({ scopes }: KeyMaker): readonly string[] | null {
  return scopes === null ? null : actionsOfScopes(scopes);
}

/** The first of the actions that the maker may not do; null: all are within its rights. */
function exceeding(maker: KeyMaker, actions: readonly string[]): string | null {
  const own = actionsOf(maker);
  if (own === null) return null;
  const allowed = new Set(own.flatMap(actionsMatching));
  return (
    actions.find((pattern) => actionsMatching(pattern).some((action) => !allowed.has(action))) ??
    null
  );
}

/**
 * The scope that a new key gets: the one that was asked for, where it asked for every action those
 * of the maker. AccessDenied for actions that the maker lacks.
 */
export function limitedScope(maker: KeyMaker, requested: KeyScope | null): KeyScope | null {
  const own = actionsOf(maker);
  if (own === null) return requested;
  const actions = requested?.actions ?? own;
  if (actions.length === 0) {
    throw new StorageError('AccessDenied', {
      detail:
        'Your token has no right to buckets or objects, so a key of its making could do nothing.',
    });
  }
  const lacking = exceeding(maker, actions);
  if (lacking !== null)
    throw new StorageError('AccessDenied', { detail: `You may not do ${lacking} yourself.` });
  return { ...(requested ?? NO_KEY_LIMIT), actions };
}

/** AccessDenied unless the maker may do all that such a key may, here and by S3. */
export function requireCoversKey(
  maker: KeyMaker,
  { scope, role }: Pick<AccessKeyRecord, 'scope' | 'role'>,
): void {
  const isWithin =
    scope?.actions == null ? maker.scopes === null : exceeding(maker, scope.actions) === null;
  const coversRole = role === null || scopesOfRole(maker.role).isSupersetOf(scopesOfRole(role));
  if (isWithin && coversRole) return;
  throw new StorageError('AccessDenied', { detail: 'This access key may do more than you may.' });
}
