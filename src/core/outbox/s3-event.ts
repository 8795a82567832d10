// S3's event message: the JSON by which a webhook learns what happened to an
// object. Called by the dispatcher when a message is sent. Pure. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
import type { ObjectEventName } from '../../domain/notifications.ts';
import type { ObjectEvent } from '../../domain/object-event.ts';

/** The principal of events that no request made. */
const SERVICE_PRINCIPAL = 's3.amazonaws.com';
/** The source address of events that no request made. */
const SERVICE_ADDRESS = 's3.amazonaws.com';

/**
 * The version of an event: 2.3 for lifecycle, ACLs and tags, else 2.1. Source: as
 * above.
 */
function versionOf(name: ObjectEventName): string {
  return /^(?:Lifecycle|ObjectAcl|ObjectTagging)/.test(name) ? '2.3' : '2.1';
}

/**
 * Encodes a key as S3 does in events: as in forms, a space as `+`, but with `/`
 * unchanged. Source: as above: `red flower.jpg` is `red+flower.jpg`.
 */
export function encodeEventKey(key: string): string {
  return encodeURIComponent(key.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll('%2F', '/')
    .replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Renders the message of one event. `region`: of an event that no request made. */
export function renderS3Event(event: ObjectEvent, region: string): string {
  const { origin, name } = event;
  const record = {
    eventVersion: versionOf(name),
    eventSource: 'aws:s3',
    awsRegion: origin?.region ?? region,
    eventTime: new Date(event.timeMs).toISOString(),
    eventName: name,
    userIdentity: { principalId: origin?.principalId ?? SERVICE_PRINCIPAL },
    requestParameters: { sourceIPAddress: origin?.sourceIp ?? SERVICE_ADDRESS },
    responseElements: {
      'x-amz-request-id': origin?.requestId ?? sequencer(event.sequence),
      'x-amz-id-2': origin?.requestId ?? sequencer(event.sequence),
    },
    s3: {
      s3SchemaVersion: '1.0',
      configurationId: event.configurationId,
      bucket: {
        name: event.bucket,
        ownerIdentity: { principalId: event.ownerId },
        arn: `arn:aws:s3:::${event.bucket}`,
      },
      object: {
        key: encodeEventKey(event.key),
        ...(event.sizeBytes === null ? {} : { size: event.sizeBytes }),
        ...(event.etag === null ? {} : { eTag: event.etag }),
        ...(event.versionId === null ? {} : { versionId: event.versionId }),
        sequencer: sequencer(event.sequence),
      },
    },
    ...(event.storageClass === null
      ? {}
      : {
          lifecycleEventData: {
            transitionEventData: { destinationStorageClass: event.storageClass },
          },
        }),
  };
  return JSON.stringify({ Records: [record] });
}

/**
 * Formats a sequence number as hexadecimal digits of one length, so that texts
 * compare as numbers.
 */
function sequencer(sequence: number): string {
  return sequence.toString(16).toUpperCase().padStart(16, '0');
}

/**
 * Renders the event by which S3 tests an endpoint. Source: as above, "Test
 * notification".
 */
export function renderTestEvent(bucket: string, nowMs: number, requestId: string): string {
  return JSON.stringify({
    Service: 'Amazon S3',
    Event: 's3:TestEvent',
    Time: new Date(nowMs).toISOString(),
    Bucket: bucket,
    RequestId: requestId,
    HostId: requestId,
  });
}
