// The actions that can be allowed or denied on buckets and objects, by S3's names,
// so that policies written for S3 mean here what they mean there. Actions without
// an operation in http/s3/operations/table stand here too: a policy may name them.
// Source:
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html

/** Actions whose resource is an object. */
export const OBJECT_ACTIONS = [
  's3:AbortMultipartUpload',
  's3:BypassGovernanceRetention',
  's3:DeleteObject',
  's3:DeleteObjectTagging',
  's3:DeleteObjectVersion',
  's3:DeleteObjectVersionTagging',
  's3:GetObject',
  's3:GetObjectAcl',
  's3:GetObjectAttributes',
  's3:GetObjectLegalHold',
  's3:GetObjectRetention',
  's3:GetObjectTagging',
  's3:GetObjectTorrent',
  's3:GetObjectVersion',
  's3:GetObjectVersionAcl',
  's3:GetObjectVersionAttributes',
  's3:GetObjectVersionForReplication',
  's3:GetObjectVersionTagging',
  's3:GetObjectVersionTorrent',
  's3:InitiateReplication',
  's3:ListMultipartUploadParts',
  's3:ObjectOwnerOverrideToBucketOwner',
  's3:PutObject',
  's3:PutObjectAcl',
  's3:PutObjectLegalHold',
  's3:PutObjectRetention',
  's3:PutObjectTagging',
  's3:PutObjectVersionAcl',
  's3:PutObjectVersionTagging',
  's3:ReplicateDelete',
  's3:ReplicateObject',
  's3:ReplicateTags',
  's3:RestoreObject',
  's3:UpdateObjectEncryption',
] as const;

/** Actions whose resource is a bucket. */
export const BUCKET_ACTIONS = [
  's3:CreateBucket',
  's3:CreateBucketMetadataTableConfiguration',
  's3:CreateSession',
  's3:DeleteBucket',
  's3:DeleteBucketMetadataTableConfiguration',
  's3:DeleteBucketPolicy',
  's3:DeleteBucketWebsite',
  's3:GetAccelerateConfiguration',
  's3:GetAnalyticsConfiguration',
  's3:GetBucketAbac',
  's3:GetBucketAcl',
  's3:GetBucketCORS',
  's3:GetBucketLocation',
  's3:GetBucketLogging',
  's3:GetBucketMetadataTableConfiguration',
  's3:GetBucketNotification',
  's3:GetBucketObjectLockConfiguration',
  's3:GetBucketOwnershipControls',
  's3:GetBucketPolicy',
  's3:GetBucketPolicyStatus',
  's3:GetBucketPublicAccessBlock',
  's3:GetBucketRequestPayment',
  's3:GetBucketTagging',
  's3:GetBucketVersioning',
  's3:GetBucketWebsite',
  's3:GetEncryptionConfiguration',
  's3:GetIntelligentTieringConfiguration',
  's3:GetInventoryConfiguration',
  's3:GetLifecycleConfiguration',
  's3:GetMetricsConfiguration',
  's3:GetReplicationConfiguration',
  's3:ListBucket',
  's3:ListBucketMultipartUploads',
  's3:ListBucketVersions',
  's3:ListTagsForResource',
  's3:PauseReplication',
  's3:PutAccelerateConfiguration',
  's3:PutAnalyticsConfiguration',
  's3:PutBucketAbac',
  's3:PutBucketAcl',
  's3:PutBucketCORS',
  's3:PutBucketLogging',
  's3:PutBucketNotification',
  's3:PutBucketObjectLockConfiguration',
  's3:PutBucketOwnershipControls',
  's3:PutBucketPolicy',
  's3:PutBucketPublicAccessBlock',
  's3:PutBucketRequestPayment',
  's3:PutBucketTagging',
  's3:PutBucketVersioning',
  's3:PutBucketWebsite',
  's3:PutEncryptionConfiguration',
  's3:PutIntelligentTieringConfiguration',
  's3:PutInventoryConfiguration',
  's3:PutLifecycleConfiguration',
  's3:PutMetricsConfiguration',
  's3:PutReplicationConfiguration',
  's3:TagResource',
  's3:UntagResource',
] as const;

export type ObjectAction = (typeof OBJECT_ACTIONS)[number];
export type BucketAction = (typeof BUCKET_ACTIONS)[number];
export type S3Action = ObjectAction | BucketAction;

/** Whether the action's resource is an object. */
export function isObjectAction(action: S3Action): action is ObjectAction {
  return OBJECT_ACTION_SET.has(action);
}

const OBJECT_ACTION_SET: ReadonlySet<string> = new Set(OBJECT_ACTIONS);
