// Server access logging of a bucket: put and get. The log itself is core/logging's
// and http/observe's. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLogging.html

import type { Core } from '../../../../core/core.ts';
import { SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import { requireLogTarget } from '../../../../core/logging/require-log-target.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { StorageError } from '../../../../domain/errors.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { readBucketLogging, writeBucketLogging } from '../../formats/logging-document.ts';

/**
 * Switches access logs on or off. Errors: MalformedXML, NotImplemented,
 * AccessDenied (the target's policy does not let the log service write), NoSuchKey
 * (no target bucket, as RadosGW says it), InvalidArgument (the target is this
 * bucket, is logged or encrypted itself). Cost: one index read and one commit.
 */
export async function answerPutBucketLogging(call: BucketCall, core: Core): Promise<S3Response> {
  const { principal } = call;
  const record = call.bucket.record();
  // A policy can't give this away: who reads the log learns of everybody's
  // requests.
  if (principal.kind !== 'account' || principal.account.id !== record.ownerId)
    throw new StorageError('AccessDenied');
  const logging = readBucketLogging(
    await readDocument(call, SETTING_MAX_BYTES),
    principal.account.id,
  );
  if (logging !== null) await requireLogTarget(core, record, logging);
  await setBucketSettings(core, call.bucket, { logging });
  return emptyResponse(200);
}

export function answerGetBucketLogging(call: BucketCall): S3Response {
  return xmlResponse(writeBucketLogging(call.bucket.record().settings.logging));
}
