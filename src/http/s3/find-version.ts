// Finds the version of an object that a request means. Used by the ops that read one, and by copies for their source.
import { authorize } from '../../core/auth/authorize.ts';
import type { BucketHandle } from '../../core/buckets/bucket-handle.ts';
import type { ObjectKey, ObjectVersion, Principal, VersionName } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import { withFailureHeaders } from '../failure-with-headers.ts';
import type { ReadConditions } from '../semantics/conditional.ts';
import { formatHttpDate } from '../semantics/http-date.ts';
import type { ObjectCall } from './call.ts';
import { parseVersionName, versionNameOf } from './version-name.ts';

/**
 * The version that the key stands for now, or the one that is named. Who may not list the bucket is not told whether the
 * key exists: AccessDenied instead of NoSuchKey. NoSuchVersion; MethodNotAllowed for a delete marker that is named; where
 * one hides the key, NoSuchKey says so in its headers.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html (Permissions),
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/DeleteMarker.html
 */
export async function findVersion(
  bucket: BucketHandle,
  key: ObjectKey,
  principal: Principal,
  versionId: VersionName | null,
): Promise<ObjectVersion> {
  const found = await bucket.call('getVersion', { key, versionId });
  if (found?.kind === 'object') return found.object;
  if (found === null) {
    authorize(principal, bucket.record(), 'list', null);
    const fields = { Key: key, ...(versionId === null ? {} : { VersionId: versionId }) };
    throw new StorageError(versionId === null ? 'NoSuchKey' : 'NoSuchVersion', { fields });
  }
  const { marker } = found;
  const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': versionNameOf(marker) };
  if (versionId === null) {
    authorize(principal, bucket.record(), 'list', null);
    throw withFailureHeaders(new StorageError('NoSuchKey', { fields: { Key: key } }), headers);
  }
  throw withFailureHeaders(
    new StorageError('MethodNotAllowed', { fields: { ResourceType: 'DeleteMarker', Allow: 'DELETE' } }),
    { ...headers, 'last-modified': formatHttpDate(marker.lastModifiedMs) },
  );
}

/** The version that the key and `?versionId` of a request name. */
export function findRequestedVersion(call: ObjectCall): Promise<ObjectVersion> {
  return findVersion(call.bucket, call.key, call.principal, parseVersionName(call.query.get('versionId')));
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
