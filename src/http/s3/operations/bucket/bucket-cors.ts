// The CORS configuration of a bucket: put, get, delete. How it changes responses is
// semantics/cors.ts, the preflight s3/preflight.ts.

import type { Core } from '../../../../core/core.ts';
import { CORS_MAX_BYTES } from '../../../../core/limits.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { StorageError } from '../../../../domain/errors.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { readCorsConfiguration, writeCorsConfiguration } from '../../formats/cors-document.ts';

/**
 * Replaces the rules. Errors: MalformedXML, InvalidRequest (also for a request without
 * a digest, which S3 requires here), BadDigest, MaxMessageLengthExceeded. Cost: one
 * commit.
 */
export async function answerPutBucketCors(call: BucketCall, core: Core): Promise<S3Response> {
  const cors = readCorsConfiguration(await readDocument(call, CORS_MAX_BYTES, true));
  await setBucketSettings(core, call.bucket, { cors });
  return emptyResponse(200);
}

/** Shows the rules. Errors: NoSuchCORSConfiguration. */
export function answerGetBucketCors(call: BucketCall): S3Response {
  const { settings, name } = call.bucket.record();
  if (settings.cors === null)
    throw new StorageError('NoSuchCORSConfiguration', { fields: { BucketName: name } });
  return xmlResponse(writeCorsConfiguration(settings.cors));
}

/** Deletes the rules; that there are none is no error. Cost: one commit. */
export async function answerDeleteBucketCors(call: BucketCall, core: Core): Promise<S3Response> {
  await setBucketSettings(core, call.bucket, { cors: null });
  return emptyResponse(204);
}
