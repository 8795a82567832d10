// Records for tests of the Node index: buckets and versions as core would make them.
import { createIds } from '../../../src/adapters/shared/ids.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../../../src/domain/bucket-settings.ts';
import type {
  AccountId,
  BucketName,
  BucketRecord,
  BucketRef,
  ObjectKey,
  ObjectVersion,
  VersionId,
} from '../../../src/domain/nouns.ts';
import { NO_FACTS } from '../../../src/domain/object-facts.ts';
import { makeBucketId } from '../../../src/domain/owner-bucket.ts';
import type { CommitObjectInput } from '../../../src/ports/metadata-index.ts';

export const ids = createIds(systemClock);

export function bucketRecord(name: string): BucketRecord {
  return {
    id: makeBucketId(name as BucketName, ids.bucketId()),
    name: name as BucketName,
    ownerId: 'owner' as AccountId,
    createdAtMs: 1_700_000_000_000,
    revision: 1,
    access: PRIVATE_ACCESS,
    settings: NO_SETTINGS,
  };
}

export function refOf({ id, name, revision }: BucketRecord): BucketRef {
  return { id, name, revision };
}

/** A small inline version; `etag` tells it from others. */
export function inlineVersion(
  key: string,
  etag: string,
  inlineBytes = new Uint8Array([1, 2, 3]),
): ObjectVersion {
  return {
    key: key as ObjectKey,
    ...NO_FACTS,
    versionId: ids.versionId() as VersionId,
    isNull: true,
    sizeBytes: inlineBytes.length,
    etag,
    lastModifiedMs: 1_700_000_000_000,
    headers: {},
    userMetadata: {},
    storageClass: 'STANDARD',
    checksum: null,
    parts: null,
    segments: [],
    inlineBytes,
  };
}

export function commitOf(bucket: BucketRecord, object: ObjectVersion): CommitObjectInput {
  return { bucket: refOf(bucket), object, condition: null, newReferences: [] };
}
