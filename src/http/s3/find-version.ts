// Finds the version of an object that a request means. Used by the ops that read one, and by copies for their source.
import { authorize } from '../../core/auth/authorize.ts';
import type { BucketHandle } from '../../core/buckets/bucket-handle.ts';
import { getObject } from '../../core/objects/read-object.ts';
import type { ObjectKey, ObjectVersion, Principal } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { ReadConditions } from '../semantics/conditional.ts';
import type { ObjectCall } from './call.ts';
import { invalidArgument } from './paging.ts';

/** The id of the only version of a key in a bucket without versioning. */
export const NULL_VERSION = 'null';

/**
 * The current version. Who may not list the bucket is not told whether the key exists: AccessDenied instead of
 * NoSuchKey. A version id must be `null` or the version's own; S3 refuses ids that it never gave: InvalidArgument.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html (Permissions)
 */
export async function findVersion(
  bucket: BucketHandle,
  key: ObjectKey,
  principal: Principal,
  versionId: string | null,
): Promise<ObjectVersion> {
  let version: ObjectVersion;
  try {
    version = await getObject(bucket, key);
  } catch (error) {
    if (error instanceof StorageError && error.code === 'NoSuchKey') {
      requireVersionId(versionId, NULL_VERSION);
      authorize(principal, bucket.record(), 'list', null);
    }
    throw error;
  }
  requireVersionId(versionId, version.versionId);
  return version;
}

/** The version that the key and `?versionId` of a request name. */
export function findRequestedVersion(call: ObjectCall): Promise<ObjectVersion> {
  return findVersion(call.bucket, call.key, call.principal, call.query.get('versionId'));
}

/** InvalidArgument unless the id is absent, `null` or `known`. */
export function requireVersionId(versionId: string | null, known: string): void {
  if (versionId === null || versionId === NULL_VERSION || (versionId !== '' && versionId === known)) return;
  throw invalidArgument(
    'versionId',
    versionId,
    versionId === '' ? 'Version id cannot be the empty string' : 'Invalid version id specified',
  );
}

/** x-amz-version-id, for requests that named a version. */
export function versionHeaders(versionId: string | null): Record<string, string> {
  return versionId === null ? {} : { 'x-amz-version-id': versionId };
}

/** The condition headers of a read; with a prefix, those of a copy's source. */
export function readConditions(header: (name: string) => string | null, prefix = ''): ReadConditions {
  return {
    ifMatch: header(`${prefix}if-match`),
    ifNoneMatch: header(`${prefix}if-none-match`),
    ifModifiedSince: header(`${prefix}if-modified-since`),
    ifUnmodifiedSince: header(`${prefix}if-unmodified-since`),
  };
}

/** A 412 that names the header that failed, as S3 does. */
export function preconditionFailed(condition: string): StorageError {
  return new StorageError('PreconditionFailed', { fields: { Condition: condition } });
}
