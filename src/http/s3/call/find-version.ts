// Finds the version of an object that a request means, and decides whether the
// caller may use it so. It is called by authorize-call.ts for operations on a
// version, and by open-copy-source.ts.
import type { ObjectAction } from '../../../core/auth/policy/actions.ts';
import type { Core } from '../../../core/core.ts';
import {
  type BucketHandle,
  type Changer,
  openBucket,
} from '../../../core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../domain/errors.ts';
import type {
  BucketName,
  BucketRecord,
  ObjectKey,
  ObjectVersion,
  VersionName,
} from '../../../domain/nouns.ts';
import type { VersionChange } from '../../../domain/object-facts.ts';
import type { ResolvedVersion } from '../../../ports/metadata-index.ts';
import {
  accessDenied,
  type DecideCall,
  mayKnowMissing,
  requireAllowed,
} from '../../access/decide-call.ts';
import { withFailureHeaders } from '../../failure-with-headers.ts';
import { formatHttpDate } from '../../semantics/http-date.ts';
import { versionNameOf } from '../formats/version-name.ts';

export type VersionRequest = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  /** Null: what the key stands for now. */
  readonly versionId: VersionName | null;
  readonly action: ObjectAction;
  /** A link: a state of some seconds ago will do where the platform has one. */
  readonly mayBeStale?: boolean;
  /** Nobody has signed the request. */
  readonly isStranger?: boolean;
  /** Changes that the request makes to it. */
  readonly change?: VersionChange;
  /** Who makes the change; absent where nothing is changed. */
  readonly changer?: Changer;
};

/** A version that the caller may use so, in its opened bucket. */
export type OpenedVersion = { readonly bucket: BucketHandle; readonly version: ObjectVersion };

/**
 * Opens bucket and version. The decision is made with the version in hand, and
 * again whenever the bucket changes before the request is done. `check` may refuse
 * the bucket itself. NoSuchBucket, AccessDenied, and what `requireVersion` throws.
 * Cost: the bucket and one index read.
 */
export async function openVersion(
  core: Core,
  decide: DecideCall,
  requested: VersionRequest,
  check: (record: BucketRecord) => void,
): Promise<OpenedVersion> {
  const { key, versionId, action, mayBeStale = false, change = {} } = requested;
  let version: ObjectVersion | null = null;
  const authorize = (record: BucketRecord) => {
    check(record);
    if (version !== null) requireAllowed(decide, record, { action, key, object: version, change });
  };
  const bucket = await openBucket(
    core,
    requested.bucket,
    authorize,
    requested.changer,
    requested.isStranger,
  );
  const stored = await bucket.call('getVersion', { key, versionId, mayBeStale });
  version = requireVersion(decide, bucket.record(), requested, stored);
  return { bucket, version };
}

/**
 * The version, if there is one and the caller may. A caller who may not list the
 * bucket does not learn whether the key exists: AccessDenied instead of NoSuchKey
 * and NoSuchVersion. MethodNotAllowed for a delete marker that is named or to be
 * changed; where one hides the key, NoSuchKey says so in its headers. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html (Permissions),
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/DeleteMarker.html
 */
function requireVersion(
  decide: DecideCall,
  record: BucketRecord,
  { key, versionId, action, change = {} }: VersionRequest,
  stored: ResolvedVersion | null,
): ObjectVersion {
  if (stored?.kind === 'object') {
    requireAllowed(decide, record, { action, key, object: stored.object, change });
    return stored.object;
  }
  if (!mayKnowMissing(decide, record, action, key))
    throw accessDenied(decide, record, { action, key });
  if (stored === null) {
    const fields = { Key: key, ...(versionId === null ? {} : { VersionId: versionId }) };
    throw new StorageError(versionId === null ? 'NoSuchKey' : 'NoSuchVersion', { fields });
  }
  const { marker } = stored;
  const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': versionNameOf(marker) };
  if (versionId === null && action.startsWith('s3:Get'))
    throw withFailureHeaders(new StorageError('NoSuchKey', { fields: { Key: key } }), headers);
  throw withFailureHeaders(
    new StorageError('MethodNotAllowed', {
      fields: { ResourceType: 'DeleteMarker', Allow: 'DELETE' },
    }),
    { ...headers, 'last-modified': formatHttpDate(marker.lastModifiedMs) },
  );
}

/** A 412 that names the header that failed, as S3 does. */
export function preconditionFailed(condition: string): StorageError {
  return new StorageError('PreconditionFailed', { fields: { Condition: condition } });
}
