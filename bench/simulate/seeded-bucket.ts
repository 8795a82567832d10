// Puts an object into the index and the bucket, for nothing and before anybody asks for it: small
// bodies in the rows, others in R2. The buckets are public.

import { parseObjectKey } from '../../src/core/parse-names.ts';
import { type BucketAccess, PRIVATE_ACCESS } from '../../src/domain/bucket-access.ts';
import { type BucketSettings, NO_SETTINGS } from '../../src/domain/bucket-settings.ts';
import type { BucketName, BucketRecord, ObjectBody } from '../../src/domain/nouns.ts';
import { NO_FACTS } from '../../src/domain/object-facts.ts';
import { makeBucketId } from '../../src/domain/owner-bucket.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import type { IndexApi, NewBlobReference } from '../../src/ports/metadata-index.ts';
import type { Ids } from '../../src/ports/system.ts';
import type { World } from './design.ts';
import type { SimulatedBucket } from './platform/simulated-bucket.ts';

export type SeedOptions = {
  readonly world: World;
  readonly api: IndexApi;
  readonly blobStore: SimulatedBucket;
  readonly ids: Ids;
  readonly zeros: (lengthBytes: number) => Uint8Array;
  /** Name of the bucket. */
  readonly bucket: BucketName;
  readonly nameOf: (object: number) => string;
  readonly objects: Iterable<number>;
  readonly inlineMaxBytes: number;
  readonly isCapped: boolean;
  readonly metadata: BucketSettings['metadata'];
};

/** Everything in the bucket is everyone's to read. */
const EVERYONES: BucketAccess = {
  ...PRIVATE_ACCESS,
  publicReads: {
    open: [''],
    mayOpen: [],
    closed: [],
    mayClose: [],
    isAclHeard: false,
    isAllOwned: false,
    listing: 'no',
  },
};

/**
 * Makes the bucket with all its objects: readers hear of what comes into an index later as a
 * change.
 */
export function seedBucket({
  world,
  api,
  blobStore,
  ids,
  zeros,
  bucket: name,
  ...options
}: SeedOptions): void {
  const nowMs = world.timeline.clock.nowMs();
  const bucket: BucketRecord = {
    id: makeBucketId(name, ids.bucketId()),
    name,
    ownerId: ROOT_ACCOUNT.id,
    createdAtMs: nowMs,
    revision: 1,
    access: EVERYONES,
    settings: {
      ...NO_SETTINGS,
      metadata: options.metadata,
      ...(options.isCapped && { isCapped: true as const }),
    },
  };
  api.createBucket({ bucket });

  function bodyOf(sizeBytes: number): {
    body: ObjectBody;
    newReferences: readonly NewBlobReference[];
  } {
    if (sizeBytes <= options.inlineMaxBytes) {
      return { body: { segments: [], inlineBytes: zeros(sizeBytes) }, newReferences: [] };
    }
    const blobId = ids.blobId(bucket.id);
    blobStore.seed(blobId, sizeBytes);
    const segments = [{ blobId, offsetBytes: 0, lengthBytes: sizeBytes }];
    return {
      body: { segments, inlineBytes: null },
      newReferences: [{ blobId, sizeBytes, ownerBucket: null }],
    };
  }

  function seed(object: number): void {
    const sizeBytes = world.catalogue[object] ?? 0;
    const { body, newReferences } = bodyOf(sizeBytes);
    const key = parseObjectKey(options.nameOf(object));
    const etag = `first${object}`;
    api.commitObject({
      bucket,
      object: {
        ...body,
        key,
        ...NO_FACTS,
        versionId: ids.versionId(),
        isNull: true,
        sizeBytes,
        etag,
        lastModifiedMs: nowMs,
        headers: {},
        userMetadata: {},
        storageClass: 'STANDARD',
        checksum: null,
        parts: null,
      },
      condition: null,
      newReferences,
    });
    world.truth.commit(`${name}/${key}`, etag, nowMs);
  }

  for (const object of options.objects) seed(object);
}
