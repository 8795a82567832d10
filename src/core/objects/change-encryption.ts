// UpdateObjectEncryption, a use of envelope encryption: the data key of a stored
// version is wrapped by another KMS key. Bytes, date and entity tag stay, and
// nothing is copied.

import { hasCode, StorageError } from '../../domain/errors.ts';
import type { ObjectVersion } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { type RequestedEncryption, unwrapDataKey, wrapDataKey } from '../encryption/envelope.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { updateVersion } from './update-version.ts';

/**
 * Wraps the data key of a version by the requested KMS key. InvalidRequest for what
 * the server does not encrypt in one layer; AccessDenied (a lock), NoSuchKey (the
 * version is gone meanwhile), and the errors of unwrapKmsKeyFor. Cost: at most two
 * look-ups in the directory, one commit.
 */
export async function changeEncryption(
  core: Core,
  bucket: BucketHandle,
  version: ObjectVersion,
  requested: Extract<RequestedEncryption, { kind: 'named' }>,
): Promise<void> {
  const { encryption, key, versionId } = version;
  if (encryption === null) throw unsupported('unencrypted source objects');
  if (encryption.kind === 'customer' || (encryption.kind === 'named' && encryption.isDoubled)) {
    throw unsupported('source objects with the encryption type DSSE-KMS or SSE-C');
  }

  const dataKey = await unwrapDataKey(core, encryption, null);
  if (dataKey === null)
    throw new StorageError('InternalError', { detail: 'An encrypted object has no key.' });
  const { ownerId } = bucket.record();
  const rewrapped = await wrapDataKey(core, ownerId, requested, dataKey.bytes);
  const change = { encryption: rewrapped.encryption };

  try {
    // By its own id, never as the null version: that may be another one by now,
    // with another data key.
    await updateVersion(core, bucket, { key, versionId, change });
  } catch (error) {
    if (!hasCode(error, 'NoSuchVersion')) throw error;
    throw new StorageError('NoSuchKey', { cause: error, fields: { Key: key } });
  }
}

function unsupported(what: string): StorageError {
  const detail = [
    `The UpdateObjectEncryption operation does not support ${what}.`,
    'Only source objects encrypted with SSE-S3 or SSE-KMS are supported.',
  ].join(' ');
  return new StorageError('InvalidRequest', { detail });
}
