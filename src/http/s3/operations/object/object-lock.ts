// Object lock: the configuration of a bucket, and retention and legal hold of a
// version. What a lock keeps from happening is decided in the index, with the
// change itself. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html

import type { Core } from '../../../../core/core.ts';
import { SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import { updateVersion } from '../../../../core/objects/update-version.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { ObjectLock, VersionChange } from '../../../../domain/object-facts.ts';
import {
  type BucketCall,
  emptyResponse,
  type S3Call,
  type S3Response,
  type VersionCall,
  xmlResponse,
} from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import {
  readLegalHold,
  readObjectLockConfiguration,
  readRetention,
  writeLegalHold,
  writeObjectLockConfiguration,
  writeRetention,
} from '../../formats/object-lock-document.ts';
import { versionNameOf } from '../../formats/version-name.ts';
import { bypassesGovernance, requireLockableBucket } from '../../headers/object-lock-headers.ts';

/**
 * Switches object lock on, for good, and replaces the default retention; versions
 * that exist keep what they have. Errors: MalformedXML, InvalidRetentionPeriod,
 * InvalidBucketState (no versioning), BadDigest. Cost: one commit.
 */
export async function answerPutObjectLockConfiguration(
  call: BucketCall,
  core: Core,
): Promise<S3Response> {
  const objectLock = readObjectLockConfiguration(await readDocument(call, SETTING_MAX_BYTES));
  await setBucketSettings(core, call.bucket, { objectLock });
  return emptyResponse(200);
}

/**
 * Shows the lock configuration of the bucket. Errors:
 * ObjectLockConfigurationNotFoundError.
 */
export function answerGetObjectLockConfiguration(call: BucketCall): S3Response {
  const { settings, name } = call.bucket.record();
  if (settings.objectLock === null) {
    throw new StorageError('ObjectLockConfigurationNotFoundError', {
      fields: { BucketName: name },
    });
  }
  return xmlResponse(writeObjectLockConfiguration(settings.objectLock));
}

/**
 * The retention of the document. MalformedXML, InvalidArgument, those of
 * readDocument.
 */
export async function readObjectRetention(call: S3Call, nowMs: number): Promise<VersionChange> {
  return { retention: readRetention(await readDocument(call, SETTING_MAX_BYTES), nowMs) };
}

/**
 * Sets the retention of a version. Errors: InvalidRequest (a bucket without object
 * lock), those of updateVersion. Cost: one commit.
 */
export function answerPutObjectRetention(call: VersionCall, core: Core): Promise<S3Response> {
  return update(call, core);
}

/**
 * Shows the retention of a version. Errors: InvalidRequest,
 * NoSuchObjectLockConfiguration.
 */
export function answerGetObjectRetention(call: VersionCall): S3Response {
  const { retention } = findLock(call);
  if (retention === null) throw noLock(call);
  return xmlResponse(writeRetention(retention));
}

/** The legal hold of the document. MalformedXML, those of readDocument. */
export async function readObjectLegalHold(call: S3Call): Promise<VersionChange> {
  return { hasLegalHold: readLegalHold(await readDocument(call, SETTING_MAX_BYTES)) };
}

/**
 * Sets or lifts the legal hold of a version. Errors: InvalidRequest (a bucket
 * without object lock), those of updateVersion. Cost: one commit.
 */
export function answerPutObjectLegalHold(call: VersionCall, core: Core): Promise<S3Response> {
  return update(call, core);
}

/**
 * Shows the legal hold of a version. Errors: InvalidRequest,
 * NoSuchObjectLockConfiguration.
 */
export function answerGetObjectLegalHold(call: VersionCall): S3Response {
  const { hasLegalHold } = findLock(call);
  if (hasLegalHold === null) throw noLock(call);
  return xmlResponse(writeLegalHold(hasLegalHold));
}

async function update(call: VersionCall, core: Core): Promise<S3Response> {
  const { bucket, key, version, change } = call;
  requireLockableBucket(bucket.record());
  const bypassGovernance = await bypassesGovernance(call, [key]);
  await updateVersion(core, bucket, {
    key,
    versionId: versionNameOf(version),
    change,
    bypassGovernance,
  });
  return emptyResponse(200);
}

function findLock(call: VersionCall): ObjectLock {
  requireLockableBucket(call.bucket.record());
  const { lock } = call.version;
  if (lock === null) throw noLock(call);
  return lock;
}

const noLock = ({ key }: VersionCall) =>
  new StorageError('NoSuchObjectLockConfiguration', { fields: { Key: key } });
