// Another key around the data key of a version that exists: its bytes, date and entity tag stay,
// nothing is copied.

import { hasCode, StorageError } from '../../domain/errors.ts';
import type { ObjectVersion } from '../../domain/nouns.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { updateVersion } from '../objects/update-version.ts';
import { type RequestedEncryption, unwrapDataKey, wrapDataKey } from './wrapped-data-key.ts';

/**
 * Wraps the data key anew. InvalidRequest for what is not encrypted by the server in one layer;
 * AccessDenied (a lock), NoSuchKey (the version is gone meanwhile), and the errors of
 * unwrapKmsKeyFor. Cost: two look-ups in the directory at most, one commit.
 */
export async function changeEncryption(
  core: Core,
  bucket: BucketHandle,
  version: ObjectVersion,
  wish: Extract<RequestedEncryption, { kind: 'named' }>,
): Promise<void> {
  const { encryption, key, versionId } = version;
  if (encryption === null) throw unfit('unencrypted source objects');
  if (encryption.kind === 'customer' || (encryption.kind === 'named' && encryption.isDoubled)) {
    throw unfit('source objects with the encryption type DSSE-KMS or SSE-C');
  }
  const dataKey = await unwrapDataKey(core, encryption, null);
  if (dataKey === null)
    throw new StorageError('InternalError', { detail: 'An encrypted object has no key.' });
  const kept = await wrapDataKey(core, bucket.record().ownerId, wish, dataKey.bytes);
  try {
    // By its own id, never as the null version: that may be another one by now, with another data
    // key.
    await updateVersion(core, bucket, { key, versionId, change: { encryption: kept.encryption } });
  } catch (error) {
    if (!hasCode(error, 'NoSuchVersion')) throw error;
    throw new StorageError('NoSuchKey', { cause: error, fields: { Key: key } });
  }
}

function unfit(what: string): StorageError {
  return new StorageError('InvalidRequest', {
    detail: `The UpdateObjectEncryption operation does not support ${what}. Only source objects encrypted with SSE-S3 or SSE-KMS are supported.`,
  });
}
