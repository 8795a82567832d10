// What S3's server access logs call an operation: `REST.{method}.{resource}`, or
// WEBSITE for a site's visitors. S3 has no list of them; these are the names that
// its documents, and logs that people show, have in them. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html (Operation)
import type { Surface } from './request-notes.ts';

/** Method and resource, where the rule below does not give what S3 writes. */
const NAMES: Readonly<Record<string, string>> = {
  AbortMultipartUpload: 'DELETE.UPLOAD',
  CompleteMultipartUpload: 'POST.UPLOAD',
  CopyObject: 'COPY.OBJECT',
  CreateMultipartUpload: 'POST.UPLOADS',
  DeleteObjects: 'POST.MULTI_OBJECT_DELETE',
  ListMultipartUploads: 'GET.UPLOADS',
  ListObjectVersions: 'GET.BUCKETVERSIONS',
  ListObjects: 'GET.BUCKET',
  ListObjectsV2: 'GET.BUCKET',
  ListParts: 'GET.UPLOAD',
  Preflight: 'OPTIONS.PREFLIGHT',
  RestoreObject: 'POST.RESTORE',
  UploadPart: 'PUT.PART',
  UploadPartCopy: 'COPY.PART',
};
/** Resources, where they are not what the operation calls them. */
const RESOURCES: Readonly<Record<string, string>> = {
  BucketLifecycleConfiguration: 'LIFECYCLE',
  BucketLogging: 'LOGGING_STATUS',
  BucketNotificationConfiguration: 'NOTIFICATION',
  BucketPolicy: 'BUCKETPOLICY',
  ObjectLegalHold: 'OBJECT_LOCK_LEGALHOLD',
  ObjectRetention: 'OBJECT_LOCK_RETENTION',
};
/**
 * Operations of objects whose name buckets have too: the log names which. An ACL is
 * not one.
 */
const OF_OBJECTS = /^Object(?:Attributes|LockConfiguration|Tagging|Torrent)$/;

/** The name of an operation of ours, as it stands in the log of a bucket. */
export function logOperation(surface: Surface, method: string, operation: string): string {
  const known = NAMES[operation];
  if (known !== undefined) return `REST.${known}`;
  const of = operation.replace(/^(?:Get|Put|Head|Delete|Post)/, '');
  return `${surface === 'website' ? 'WEBSITE' : 'REST'}.${method}.${resourceOf(of)}`;
}

/**
 * `PublicAccessBlock` is `PUBLIC_ACCESS_BLOCK`, `BucketVersioning` is `VERSIONING`,
 * `Object` is `OBJECT`.
 */
function resourceOf(of: string): string {
  const name =
    RESOURCES[of] ??
    (OF_OBJECTS.test(of) ? of : of.replace(/^(?:Create)?(?:Bucket|Object)(?=.)/, ''));
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}
