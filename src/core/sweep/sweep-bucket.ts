// Garbage collection of one bucket: deletes blobs whose reference count is zero,
// and those that a crash left behind. Only blobs older than the grace are deleted,
// so no reader with a stale pointer and no write in progress loses bytes. Every
// step is idempotent: a sweep that dies is finished by the next one. Called by
// sweep.ts.
import type { BlobId, BucketAddress, BucketName } from '../../domain/nouns.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';

/**
 * Blobs per index call. Source: R2 and S3 delete up to 1,000 objects in one call.
 */
const BATCH_BLOBS = 1000;

export type SweepResult = { readonly deletedBlobs: number; readonly releasedReferences: number };

type Incarnations = ReturnType<IndexApi['listIncarnations']>;

/**
 * Sweeps all incarnations of one bucket name, and forgets the name when there is
 * none. Cost: each blob is listed once between its creation and its deletion.
 */
export async function sweepBucket(
  core: Core,
  name: BucketName,
  incarnations: Incarnations,
): Promise<SweepResult> {
  const { clock, directory, metadataIndex } = core.ports;
  const olderThanMs = clock.nowMs() - core.settings.graceSeconds * 1000;
  let deletedBlobs = 0;
  let releasedReferences = 0;
  for (const { bucket, isDeleted, sweptUpTo } of incarnations) {
    if (isDeleted) await dropUploads(core, bucket);
    const condemned = await sweepUnreferenced(core, bucket, olderThanMs);
    deletedBlobs +=
      condemned.deletedBlobs + (await sweepOrphans(core, bucket, sweptUpTo, olderThanMs));
    releasedReferences += condemned.releasedReferences;
    if (!isDeleted) continue;
    while (!(await metadataIndex.call(name, 'forgetKeyIndex', { bucket, what: 'all' })).isDone);
    while (!(await metadataIndex.call(name, 'dropOrphanRows', { bucket })).isDone);
    await metadataIndex.call(name, 'forgetIncarnation', { bucket });
  }

  if (incarnations.length === 0)
    await directory.call('forgetBucketName', { name, addedBeforeMs: olderThanMs });
  return { deletedBlobs, releasedReferences };
}

/** Drops the unfinished uploads of a deleted bucket. */
async function dropUploads(core: Core, bucket: BucketAddress): Promise<void> {
  const { clock, metadataIndex } = core.ports;
  for (let isDone = false; !isDone; ) {
    ({ isDone } = await metadataIndex.call(bucket.name, 'dropUploadsOfIncarnation', {
      bucket,
      nowMs: clock.nowMs(),
    }));
  }
}

/**
 * Deletes the bucket's own blobs that nothing references, and releases its
 * references to the blobs of other buckets.
 */
async function sweepUnreferenced(
  core: Core,
  bucket: BucketAddress,
  olderThanMs: number,
): Promise<SweepResult> {
  const { blobStore, metadataIndex } = core.ports;
  let deletedBlobs = 0;
  let releasedReferences = 0;
  for (;;) {
    const { blobs, oldRemoteReferences } = await metadataIndex.call(bucket.name, 'condemnBlobs', {
      bucket,
      olderThanMs,
      limit: BATCH_BLOBS,
    });
    releasedReferences += await releaseLostRemoteReferences(
      core,
      bucket,
      oldRemoteReferences,
      olderThanMs,
    );
    if (blobs.length === 0) return { deletedBlobs, releasedReferences };

    const own = blobs.filter(({ ownerBucket }) => ownerBucket === null).map(({ blobId }) => blobId);
    if (own.length > 0) await blobStore.delete(own);

    const foreign = blobs.flatMap(({ blobId, ownerBucket: owner }) =>
      owner === null ? [] : [{ blobId, bucket: owner }],
    );
    for (const [owner, blobIds] of byBucket(foreign)) {
      // A younger remote reference belongs to a copy into this bucket that has not
      // committed yet.
      await metadataIndex.call(owner.name, 'releaseRemoteReferences', {
        ownerBucket: owner,
        blobIds,
        referrer: bucket,
        takenUpToMs: olderThanMs,
      });
      releasedReferences += blobIds.length;
    }

    await metadataIndex.call(bucket.name, 'forgetBlobs', {
      bucket,
      blobIds: blobs.map((blob) => blob.blobId),
    });
    deletedBlobs += own.length;
  }
}

/**
 * Releases remote references to blobs that their referrers do not have, because a
 * copy never committed. Cost: two calls for each referrer.
 */
async function releaseLostRemoteReferences(
  core: Core,
  owner: BucketAddress,
  oldRemoteReferences: readonly { readonly blobId: BlobId; readonly referrer: BucketAddress }[],
  takenUpToMs: number,
): Promise<number> {
  const { metadataIndex } = core.ports;
  let released = 0;
  const byReferrer = byBucket(
    oldRemoteReferences.map(({ blobId, referrer }) => ({ blobId, bucket: referrer })),
  );
  for (const [referrer, referenced] of byReferrer) {
    const inUse = new Set(
      await metadataIndex.call(referrer.name, 'findReferencedBlobs', {
        referrer,
        blobIds: referenced,
      }),
    );
    const blobIds = referenced.filter((blobId) => !inUse.has(blobId));
    if (blobIds.length === 0) continue;

    await metadataIndex.call(owner.name, 'releaseRemoteReferences', {
      ownerBucket: owner,
      blobIds,
      referrer,
      takenUpToMs,
    });
    released += blobIds.length;
  }
  return released;
}

/**
 * Groups blobs by bucket, so that each bucket is called once for all of them: a
 * Worker may make only so many calls.
 */
function byBucket(blobs: readonly { readonly blobId: BlobId; readonly bucket: BucketAddress }[]) {
  const groups = Map.groupBy(blobs, ({ bucket }) => bucket.id);
  return [...groups.values()].flatMap((group) => {
    const bucket = group[0]?.bucket;
    return bucket === undefined ? [] : [[bucket, group.map(({ blobId }) => blobId)] as const];
  });
}

/**
 * Deletes orphans, blobs that the index does not know. It compares the store with
 * the index in the order of creation, from the end of the last sweep up to the
 * grace.
 */
async function sweepOrphans(
  core: Core,
  bucket: BucketAddress,
  sweptUpTo: string,
  olderThanMs: number,
): Promise<number> {
  const { blobStore, ids, metadataIndex } = core.ports;
  const end = ids.blobIdLowerBound(bucket.id, olderThanMs);
  let deleted = 0;
  for (let after = sweptUpTo; ; ) {
    const page = await blobStore.list({ prefix: `${bucket.id}/`, after, limit: BATCH_BLOBS });
    const blobIds = page.blobIds.filter((blobId) => blobId < end);
    if (blobIds.length > 0) {
      const orphans = await metadataIndex.call(bucket.name, 'findUnknownBlobs', { blobIds });
      if (orphans.length > 0) await blobStore.delete(orphans);
      deleted += orphans.length;
      after = blobIds.at(-1) ?? after;
      await metadataIndex.call(bucket.name, 'setSweptUpTo', { bucket, sweptUpTo: after });
    }
    if (!page.isTruncated || blobIds.length < page.blobIds.length) return deleted;
  }
}
