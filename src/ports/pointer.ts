// The small records that travel to readers, cut out of the index's rows, and the one rule that they answer: may
// everyone read this? Delivery asks it for each request, the publisher before it writes to KV.
import type { BucketAccess, BucketGate, BucketRecord, ObjectKey, ObjectVersion, Pointer } from './domain.ts';

/** What of a bucket a reader without a signature meets. */
export function toGate({ id, revision, access, settings, siteFiles }: BucketRecord): BucketGate {
  const gate = { bucketId: id, revision, access, settings: toGateSettings(settings) };
  return siteFiles === undefined ? gate : { ...gate, siteFiles };
}

/** What of the settings a reader meets. */
export function toGateSettings({ cors, website, hosting }: BucketGate['settings']): BucketGate['settings'] {
  return { cors, website, hosting };
}

/** What of a version a reader needs. */
export function toPointer({ parts: _parts, tags: _tags, lock: _lock, ...pointer }: ObjectVersion): Pointer {
  return pointer;
}

/** Whether everyone may read the object without a signature. */
export function isPublicObject(access: BucketAccess, key: ObjectKey): boolean {
  return access.acl === 'public-read' || access.policyPublicPrefixes.some((prefix) => key.startsWith(prefix));
}
