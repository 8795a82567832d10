// All request lines of S3: which operation a method is, at each level and for each
// sub-resource in the query. Data for detect.ts, which also knows the few that
// share a line. Source: the request model of @aws-sdk/client-s3 3.1169
// (test/http/s3/call/detect.test.ts compares the two).
import type { SubresourceName } from '../signature/signed-subresources.ts';

/** Operations by method. */
export type Methods = Readonly<Record<string, string>>;
/** Operations of one level, by sub-resource. */
type Level = Readonly<Partial<Record<SubresourceName, Methods>>>;

/** Operations on a bucket by sub-resource, then method. */
const BUCKET_SUBRESOURCES: Level = {
  abac: { GET: 'GetBucketAbac', PUT: 'PutBucketAbac' },
  accelerate: { GET: 'GetBucketAccelerateConfiguration', PUT: 'PutBucketAccelerateConfiguration' },
  acl: { GET: 'GetBucketAcl', PUT: 'PutBucketAcl' },
  analytics: configuration('Analytics'),
  cors: { GET: 'GetBucketCors', PUT: 'PutBucketCors', DELETE: 'DeleteBucketCors' },
  delete: { POST: 'DeleteObjects' },
  encryption: {
    GET: 'GetBucketEncryption',
    PUT: 'PutBucketEncryption',
    DELETE: 'DeleteBucketEncryption',
  },
  'intelligent-tiering': configuration('IntelligentTiering'),
  inventory: configuration('Inventory'),
  lifecycle: {
    GET: 'GetBucketLifecycleConfiguration',
    PUT: 'PutBucketLifecycleConfiguration',
    DELETE: 'DeleteBucketLifecycle',
  },
  location: { GET: 'GetBucketLocation' },
  logging: { GET: 'GetBucketLogging', PUT: 'PutBucketLogging' },
  metadataAnnotationTable: { PUT: 'UpdateBucketMetadataAnnotationTableConfiguration' },
  metadataConfiguration: {
    GET: 'GetBucketMetadataConfiguration',
    POST: 'CreateBucketMetadataConfiguration',
    DELETE: 'DeleteBucketMetadataConfiguration',
  },
  metadataInventoryTable: { PUT: 'UpdateBucketMetadataInventoryTableConfiguration' },
  metadataJournalTable: { PUT: 'UpdateBucketMetadataJournalTableConfiguration' },
  metadataTable: {
    GET: 'GetBucketMetadataTableConfiguration',
    POST: 'CreateBucketMetadataTableConfiguration',
    DELETE: 'DeleteBucketMetadataTableConfiguration',
  },
  metrics: configuration('Metrics'),
  notification: {
    GET: 'GetBucketNotificationConfiguration',
    PUT: 'PutBucketNotificationConfiguration',
  },
  'object-lock': { GET: 'GetObjectLockConfiguration', PUT: 'PutObjectLockConfiguration' },
  ownershipControls: {
    GET: 'GetBucketOwnershipControls',
    PUT: 'PutBucketOwnershipControls',
    DELETE: 'DeleteBucketOwnershipControls',
  },
  policy: { GET: 'GetBucketPolicy', PUT: 'PutBucketPolicy', DELETE: 'DeleteBucketPolicy' },
  policyStatus: { GET: 'GetBucketPolicyStatus' },
  publicAccessBlock: {
    GET: 'GetPublicAccessBlock',
    PUT: 'PutPublicAccessBlock',
    DELETE: 'DeletePublicAccessBlock',
  },
  replication: {
    GET: 'GetBucketReplication',
    PUT: 'PutBucketReplication',
    DELETE: 'DeleteBucketReplication',
  },
  requestPayment: { GET: 'GetBucketRequestPayment', PUT: 'PutBucketRequestPayment' },
  session: { GET: 'CreateSession' },
  tagging: { GET: 'GetBucketTagging', PUT: 'PutBucketTagging', DELETE: 'DeleteBucketTagging' },
  uploads: { GET: 'ListMultipartUploads' },
  versioning: { GET: 'GetBucketVersioning', PUT: 'PutBucketVersioning' },
  versions: { GET: 'ListObjectVersions' },
  website: { GET: 'GetBucketWebsite', PUT: 'PutBucketWebsite', DELETE: 'DeleteBucketWebsite' },
};

/** Operations on an object by sub-resource, then method. */
const OBJECT_SUBRESOURCES: Level = {
  acl: { GET: 'GetObjectAcl', PUT: 'PutObjectAcl' },
  annotation: {
    GET: 'GetObjectAnnotation',
    PUT: 'PutObjectAnnotation',
    DELETE: 'DeleteObjectAnnotation',
  },
  attributes: { GET: 'GetObjectAttributes' },
  encryption: { PUT: 'UpdateObjectEncryption' },
  'legal-hold': { GET: 'GetObjectLegalHold', PUT: 'PutObjectLegalHold' },
  renameObject: { PUT: 'RenameObject' },
  restore: { POST: 'RestoreObject' },
  retention: { GET: 'GetObjectRetention', PUT: 'PutObjectRetention' },
  select: { POST: 'SelectObjectContent' },
  tagging: { GET: 'GetObjectTagging', PUT: 'PutObjectTagging', DELETE: 'DeleteObjectTagging' },
  torrent: { GET: 'GetObjectTorrent' },
  uploads: { POST: 'CreateMultipartUpload' },
  uploadId: {
    GET: 'ListParts',
    PUT: 'UploadPart',
    POST: 'CompleteMultipartUpload',
    DELETE: 'AbortMultipartUpload',
  },
};

/**
 * Operations of a request without a sub-resource. `OPTIONS`, the preflight of CORS,
 * stands here for `Allow` only: preflight.ts has it.
 */
export const PLAIN: Readonly<Record<'service' | 'bucket' | 'object', Methods>> = {
  service: { GET: 'ListBuckets', OPTIONS: 'OptionsObject' },
  bucket: {
    GET: 'ListObjects',
    HEAD: 'HeadBucket',
    PUT: 'CreateBucket',
    DELETE: 'DeleteBucket',
    POST: 'PostObject',
    OPTIONS: 'OptionsObject',
  },
  object: {
    GET: 'GetObject',
    HEAD: 'HeadObject',
    PUT: 'PutObject',
    DELETE: 'DeleteObject',
    OPTIONS: 'OptionsObject',
  },
};

function configuration(kind: string): Methods {
  return {
    GET: `GetBucket${kind}Configuration`,
    PUT: `PutBucket${kind}Configuration`,
    DELETE: `DeleteBucket${kind}Configuration`,
  };
}

/**
 * Sub-resources that S3 does not have; their names are no parameters of S3 either.
 */
export const OWN_SUBRESOURCES = {
  service: { 'x-quayside-kms-keys': { GET: 'ListKmsKeys', POST: 'PutKmsKey' } },
  bucket: {
    hosting: { GET: 'GetBucketHosting', PUT: 'PutBucketHosting', DELETE: 'DeleteBucketHosting' },
    purge: { POST: 'PurgeBucket' },
    zip: { GET: 'DownloadZip', HEAD: 'DownloadZip' },
  },
  object: { zip: { GET: 'DownloadZip', HEAD: 'DownloadZip' } },
} as const satisfies Record<string, Level>;

/** Operations by level, sub-resource and method. */
export const SUBRESOURCES = {
  service: OWN_SUBRESOURCES.service,
  bucket: { ...BUCKET_SUBRESOURCES, ...OWN_SUBRESOURCES.bucket },
  object: { ...OBJECT_SUBRESOURCES, ...OWN_SUBRESOURCES.object },
} as const satisfies Record<string, Level>;
