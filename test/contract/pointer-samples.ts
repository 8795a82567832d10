// What readers keep in memory of a bucket and of an object, as tests of hot metadata hand it
// around.

import { NO_SETTINGS } from '../../src/domain/bucket-settings.ts';
import type {
  AccountId,
  BucketName,
  BucketReadPolicy,
  ObjectKey,
  Pointer,
  VersionId,
} from '../../src/domain/nouns.ts';
import { makeBucketId } from '../../src/domain/owner-bucket.ts';
import { toReadPolicySettings } from '../../src/domain/pointer.ts';
import { PUBLIC_ACCESS } from '../access-samples.ts';

/** The read policy of a bucket that everyone reads, unless `changes` say otherwise. */
export function readPolicyOf(
  bucket: BucketName,
  changes: Partial<BucketReadPolicy> = {},
): BucketReadPolicy {
  return {
    bucketId: makeBucketId(bucket, 'life1'),
    ownerId: 'owner' as AccountId,
    revision: 1,
    access: PUBLIC_ACCESS,
    settings: toReadPolicySettings(NO_SETTINGS),
    ...changes,
  };
}

/** The pointer of an object of three bytes that stand in it; its entity tag distinguishes it. */
export function pointerOf(key: ObjectKey, etag: string): Pointer {
  return {
    key,
    ownerId: null,
    tags: {},
    isPublicByAcl: false,
    encryption: null,
    checksum: null,
    versionId: `version-${etag}` as VersionId,
    isNull: true,
    sizeBytes: 3,
    etag,
    lastModifiedMs: 1_700_000_000_000,
    headers: { contentType: 'text/plain' },
    userMetadata: { a: 'ü' },
    storageClass: 'STANDARD',
    segments: [],
    inlineBytes: new Uint8Array([0, 128, 255]),
  };
}
