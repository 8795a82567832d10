// S3's event message: the JSON that a webhook gets of what happened to an object. Pure; the
// dispatcher calls it when a message goes out. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
import type { ObjectEventName } from '../../domain/notifications.ts';
import type { ObjectEvent } from '../../domain/object-event.ts';

/** Of what an event tells that was no request's. */
const SERVICE_PRINCIPAL = 's3.amazonaws.com';
const SERVICE_ADDRESS = 's3.amazonaws.com';

/** 2.3 for what S3 added last: its lifecycle, ACLs and tags. Source: as above. */
function versionOf(name: ObjectEventName): string {
  return /^(?:Lifecycle|ObjectAcl|ObjectTagging)/.test(name) ? '2.3' : '2.1';
}

/**
 * A key as S3 writes it into events: as a form does, a space as `+`, and `/` as it is.
 * Source: as above: `red flower.jpg` is `red+flower.jpg`.
 */
export function encodeEventKey(key: string): string {
  return encodeURIComponent(key.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll('%2F', '/')
    .replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The message of one event. `region`: of an event that no request made. */
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

/** Hexadecimal digits of one length, so that they compare as texts. */
function sequencer(sequence: number): string {
  return sequence.toString(16).toUpperCase().padStart(16, '0');
}

/** What S3 sends to see that an endpoint is there. Source: as above, "Test notification". */
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
