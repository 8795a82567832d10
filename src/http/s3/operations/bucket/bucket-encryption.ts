// The default encryption of a bucket: put, get, delete. What it does to writes is
// encryption-headers.ts's.

import type { Core } from '../../../../core/core.ts';
import { ENCRYPTION_DOCUMENT_MAX_BYTES } from '../../../../core/limits.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { StorageError } from '../../../../domain/errors.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import {
  readEncryptionConfiguration,
  writeEncryptionConfiguration,
} from '../../formats/encryption-document.ts';

/**
 * Replaces the default. Errors: MalformedXML, InvalidArgument, BadDigest,
 * MaxMessageLengthExceeded. Cost: one commit.
 */
export async function answerPutBucketEncryption(call: BucketCall, core: Core): Promise<S3Response> {
  const encryption = readEncryptionConfiguration(
    await readDocument(call, ENCRYPTION_DOCUMENT_MAX_BYTES),
  );
  await setBucketSettings(core, call.bucket, { encryption });
  return emptyResponse(200);
}

/**
 * Shows the default encryption. Errors:
 * ServerSideEncryptionConfigurationNotFoundError. S3 itself reports SSE-S3 for
 * every bucket since 2023, when it began to encrypt everything; here nothing is
 * encrypted without a request.
 */
export function answerGetBucketEncryption(call: BucketCall): S3Response {
  const { settings, name } = call.bucket.record();
  if (settings.encryption === null) {
    throw new StorageError('ServerSideEncryptionConfigurationNotFoundError', {
      fields: { BucketName: name },
    });
  }
  return xmlResponse(writeEncryptionConfiguration(settings.encryption));
}

/** Deletes the default; that there is none is no error. Cost: one commit. */
export async function answerDeleteBucketEncryption(
  call: BucketCall,
  core: Core,
): Promise<S3Response> {
  await setBucketSettings(core, call.bucket, { encryption: null });
  return emptyResponse(204);
}
