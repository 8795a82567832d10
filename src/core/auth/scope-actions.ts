// What the scopes of the JSON API mean in S3, as patterns of actions. Keys that a token makes
// (core/accounts/key-limits.ts) and the derived keys of members (member-key.ts) are limited by it.
// An action of no scope (of KMS keys, or the bypass of governance retention) needs a caller without
// limits.
import type { Scope } from './permissions.ts';

/** The S3 actions of each scope of the JSON API, as patterns. */
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

/** The S3 actions that the scopes allow, as patterns. */
export function actionsOfScopes(scopes: Iterable<string>): readonly string[] {
  return [...scopes].flatMap((scope) => S3_ACTIONS_OF_SCOPE[scope as Scope] ?? []);
}
