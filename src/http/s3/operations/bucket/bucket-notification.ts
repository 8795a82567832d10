// Event notifications of a bucket: put and get. What is reported, and how it
// reaches a webhook, is core/outbox's. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html

import type { Core } from '../../../../core/core.ts';
import { NOTIFICATION_MAX_BYTES } from '../../../../core/limits.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { enqueueBucketTest } from '../../../../core/outbox/deliveries.ts';
import { endpointsOf, requireWebhooks } from '../../../../core/outbox/notification-rules.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import {
  readNotificationConfiguration,
  writeNotificationConfiguration,
} from '../../formats/notification-document.ts';

/**
 * Replaces the rules; none turn notifications off. Each webhook gets S3's test
 * event. Errors: MalformedXML, InvalidArgument (rules that overlap, a webhook that
 * the bucket's owner does not have), NotImplemented (EventBridge). Cost: a look-up
 * for each webhook, two commits.
 */
export async function answerPutBucketNotification(
  call: BucketCall,
  core: Core,
): Promise<S3Response> {
  const bytes = await readDocument(call, NOTIFICATION_MAX_BYTES);
  const rules = readNotificationConfiguration(bytes, () => core.ports.ids.requestId());
  const endpointIds = endpointsOf(rules);
  if (call.header('x-amz-skip-destination-validation')?.toLowerCase() !== 'true') {
    await requireWebhooks(core, rules, call.bucket.record().ownerId);
  }
  const record = await setBucketSettings(core, call.bucket, {
    notifications: rules.length === 0 ? null : rules,
  });
  if (endpointIds.length > 0) await enqueueBucketTest(core, record, endpointIds, call.requestId);
  return emptyResponse(200);
}

/** A bucket without rules has an empty document. */
export function answerGetBucketNotification(call: BucketCall): S3Response {
  return xmlResponse(
    writeNotificationConfiguration(call.bucket.record().settings.notifications ?? []),
  );
}
