// Stores events of objects in the outbox, in the commit of the change, for the
// endpoints that the rules of the bucket name. A bucket without rules costs a look
// at one property. Called by the commits of the index; what becomes of the rows is
// outbox.ts's.

import { type ObjectEventName, rulesMet } from '../../domain/notifications.ts';
import type { AccountId, BucketRef, ObjectKey, ObjectVersion } from '../../domain/nouns.ts';
import type { ObjectEvent } from '../../domain/object-event.ts';
import type { Sql } from '../../ports/sql.ts';
import { addDelivery, nextSequence } from '../outbox/outbox-rows.ts';

/** What a commit knows of a change. `version` null: it is about no version. */
export type ObjectChange = {
  readonly name: ObjectEventName;
  readonly key: ObjectKey;
  readonly nowMs: number;
  readonly version: { readonly versionId: string; readonly isNull: boolean } | null;
  readonly sizeBytes?: number;
  readonly etag?: string;
  readonly storageClass?: string;
};

/** Adds one message for each rule that the change meets. Null: nothing changed. */
export function recordEvent(sql: Sql, bucket: BucketRef, happening: ObjectChange | null): void {
  const { notify } = bucket;
  if (notify === undefined || happening === null) return;
  const { name, key, nowMs, version } = happening;
  const rules = rulesMet(notify.rules, name, key);
  if (rules.length === 0) return;
  const event: Omit<ObjectEvent, 'configurationId'> = {
    name,
    timeMs: nowMs,
    bucket: bucket.name,
    ownerId: notify.ownerId,
    key,
    versionId: version === null || version.isNull ? null : version.versionId,
    sizeBytes: happening.sizeBytes ?? null,
    etag: happening.etag ?? null,
    storageClass: happening.storageClass ?? null,
    sequence: nextSequence(sql, bucket.id, nowMs),
    origin: notify.origin,
  };
  for (const { id, endpointId } of rules) {
    const payload = JSON.stringify({ ...event, configurationId: id } satisfies ObjectEvent);
    const accountId = notify.ownerId as AccountId;
    addDelivery(
      sql,
      {
        queueId: bucket.id,
        accountId,
        endpointId,
        orderingKey: key,
        kind: 's3',
        type: name,
        messageId: null,
        payload,
      },
      nowMs,
    );
  }
}

/** The facts of an object that its events have. */
export function factsOf(
  object: Pick<ObjectVersion, 'key' | 'sizeBytes' | 'etag' | 'lastModifiedMs'>,
) {
  const { key, sizeBytes, etag, lastModifiedMs: nowMs } = object;
  return { key, sizeBytes, etag, nowMs };
}

const CREATED_BY: Readonly<Record<string, ObjectEventName>> = {
  CopyObject: 'ObjectCreated:Copy',
  PostObject: 'ObjectCreated:Post',
  // Both calls of the JSON API make a new version of bytes that are there.
  UpdateObject: 'ObjectCreated:Copy',
  RestoreVersion: 'ObjectCreated:Copy',
};

/**
 * The event of a commit of a whole object; the operation of the request decides
 * which.
 */
export function creationOf(bucket: BucketRef): ObjectEventName {
  return CREATED_BY[bucket.notify?.origin?.operation ?? ''] ?? 'ObjectCreated:Put';
}

/** The event of a change of tags; the operation of the request decides which. */
export function taggingOf(bucket: BucketRef): ObjectEventName {
  const isDeletion = bucket.notify?.origin?.operation === 'DeleteObjectTagging';
  return isDeletion ? 'ObjectTagging:Delete' : 'ObjectTagging:Put';
}
