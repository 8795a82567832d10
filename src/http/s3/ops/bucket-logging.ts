// Server access logging of a bucket: put and get. The log itself is core/logging's and http/observe's.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLogging.html
import { setBucketSettings } from '../../../core/buckets/set-bucket-settings.ts';
import type { Core } from '../../../core/core.ts';
import { XML_MAX_BYTES } from '../../../core/limits.ts';
import { mayDeliverLogs } from '../../../core/logging/may-deliver-logs.ts';
import type { BucketLogging } from '../../../ports/bucket-settings.ts';
import type { BucketRecord } from '../../../ports/domain.ts';
import { StorageError } from '../../../ports/errors.ts';
import { type BucketCall, emptyAnswer, type S3Answer, xmlAnswer } from '../call.ts';
import { readBucketLogging, writeBucketLogging } from '../logging-document.ts';
import { readDocument } from '../read-document.ts';

/**
 * Errors: MalformedXML, NotImplemented, AccessDenied (the target's policy does not let the log service write), NoSuchKey
 * (no target bucket, as RadosGW says it), InvalidArgument (the target is this bucket, is logged or encrypted itself).
 * Cost: one index read and one commit.
 */
export async function answerPutBucketLogging(call: BucketCall, core: Core): Promise<S3Answer> {
  const { principal } = call;
  const record = call.bucket.record();
  // A policy can't give this away: who reads the log learns of everybody's requests.
  if (principal.kind !== 'account' || principal.account.id !== record.ownerId) throw new StorageError('AccessDenied');
  const logging = readBucketLogging(await readDocument(call, XML_MAX_BYTES), principal.account.id);
  if (logging !== null) await requireTarget(core, record, logging);
  await setBucketSettings(core, call.bucket, { logging });
  return emptyAnswer(200);
}

async function requireTarget(core: Core, source: BucketRecord, logging: BucketLogging): Promise<void> {
  const { targetBucket: name } = logging;
  const target = await core.ports.metadataIndex.call(name, 'getBucket', { name });
  if (target === null) {
    throw new StorageError('NoSuchKey', {
      detail: 'The target bucket for logging does not exist.',
      fields: { TargetBucket: name },
    });
  }
  const unfit =
    target.id === source.id
      ? 'The target bucket for logging must be another one.'
      : target.settings.logging !== null
        ? 'The target bucket for logging is logged itself.'
        : target.settings.encryption !== null
          ? 'The target bucket for logging has default encryption.'
          : target.settings.requestPayer !== null
            ? 'The target bucket for logging lets requesters pay.'
            : null;
  if (unfit !== null)
    throw new StorageError('InvalidArgument', {
      detail: unfit,
      fields: { ArgumentName: 'TargetBucket', ArgumentValue: name },
    });
  if (mayDeliverLogs(target, source, logging)) return;
  throw new StorageError('AccessDenied', {
    detail:
      'The policy of the target bucket does not let logging.s3.amazonaws.com put objects at this prefix for this bucket.',
  });
}

export function answerGetBucketLogging(call: BucketCall): S3Answer {
  return xmlAnswer(writeBucketLogging(call.bucket.record().settings.logging));
}
