// What happened to an object, as the commit of a change stores it in the outbox.
import type { EventOrigin, ObjectEventName } from './notifications.ts';

/**
 * What happened to an object, as the commit wrote it down; core/outbox/s3-event.ts
 * makes S3's JSON of it.
 */
export type ObjectEvent = {
  readonly name: ObjectEventName;
  readonly timeMs: number;
  readonly bucket: string;
  readonly ownerId: string;
  readonly key: string;
  /** Null in a bucket without versions. */
  readonly versionId: string | null;
  /** Null where the event has no object with bytes. */
  readonly sizeBytes: number | null;
  /** Without quotes. */
  readonly etag: string | null;
  /** The new class after a transition; else null. */
  readonly storageClass: string | null;
  /** Ascends with the commits of a bucket. */
  readonly sequence: number;
  /** The id of the rule. */
  readonly configurationId: string;
  readonly origin: EventOrigin | null;
};
