// Gives back the room of blobs that nothing references any more, and of those that a crash left behind. It only
// touches blobs older than the grace, so no reader with a stale pointer and no write in progress can lose bytes.
// Every step can be repeated: a sweep that dies is finished by the next one.
import type { BucketAddress, BucketName } from '../../ports/domain.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';

/** Blobs handled per index call. Source: R2 and S3 delete up to 1,000 objects in one call. */
const BATCH = 1000;

export type SweepResult = { readonly deletedBlobs: number; readonly releasedHolds: number };

type Lives = ReturnType<IndexApi['listBucketLives']>;

/** Sweeps all lives of one bucket name, and forgets the name when there is none. Cost: R2 lists each blob once in its life. */
export async function sweepBucket(core: Core, name: BucketName, lives: Lives): Promise<SweepResult> {
  const { clock, directory, metadataIndex } = core.ports;
  const olderThanMs = clock.nowMs() - core.settings.graceSeconds * 1000;
  let deletedBlobs = 0;
  let releasedHolds = 0;
  for (const { bucket, isDeleted, sweptUpTo } of lives) {
    if (isDeleted) await dropUploads(core, bucket);
    const condemned = await sweepUnreferenced(core, bucket, olderThanMs);
    deletedBlobs += condemned.deletedBlobs + (await sweepOrphans(core, bucket, sweptUpTo, olderThanMs));
    releasedHolds += condemned.releasedHolds;
    if (!isDeleted) continue;
    while (!(await metadataIndex.call(name, 'forgetNames', { bucket, what: 'all' })).isDone);
    await metadataIndex.call(name, 'forgetBucketLife', { bucket });
  }
  if (lives.length === 0) await directory.call('forgetBucketName', { name, addedBeforeMs: olderThanMs });
  return { deletedBlobs, releasedHolds };
}

/** What was uploaded to a bucket and never completed ends with it. */
async function dropUploads(core: Core, bucket: BucketAddress): Promise<void> {
  const { clock, metadataIndex } = core.ports;
  for (let isDone = false; !isDone; ) {
    ({ isDone } = await metadataIndex.call(bucket.name, 'dropUploadsOfLife', { bucket, nowMs: clock.nowMs() }));
  }
}

async function sweepUnreferenced(core: Core, bucket: BucketAddress, olderThanMs: number): Promise<SweepResult> {
  const { blobStore, metadataIndex } = core.ports;
  let deletedBlobs = 0;
  let releasedHolds = 0;
  for (;;) {
    const { blobs, oldHolds } = await metadataIndex.call(bucket.name, 'condemnBlobs', {
      bucket,
      olderThanMs,
      limit: BATCH,
    });
    for (const { blobId, holder } of oldHolds) {
      const isHeld = await metadataIndex.call(holder.name, 'isBlobHeld', { holder, blobId });
      if (isHeld) continue;
      await metadataIndex.call(bucket.name, 'releaseHolds', {
        home: bucket,
        blobIds: [blobId],
        holder,
        takenUpToMs: olderThanMs,
      });
      releasedHolds++;
    }
    if (blobs.length === 0) return { deletedBlobs, releasedHolds };
    const own = blobs.filter((blob) => blob.home === null).map((blob) => blob.blobId);
    if (own.length > 0) await blobStore.delete(own);
    for (const { blobId, home } of blobs) {
      if (home === null) continue;
      // A younger hold belongs to a copy into this bucket that has not committed yet.
      await metadataIndex.call(home.name, 'releaseHolds', {
        home,
        blobIds: [blobId],
        holder: bucket,
        takenUpToMs: olderThanMs,
      });
      releasedHolds++;
    }
    await metadataIndex.call(bucket.name, 'forgetBlobs', { bucket, blobIds: blobs.map((blob) => blob.blobId) });
    deletedBlobs += own.length;
  }
}

/** Compares the store with the index, in the order of creation, from where the last sweep ended up to the grace. */
async function sweepOrphans(
  core: Core,
  bucket: BucketAddress,
  sweptUpTo: string,
  olderThanMs: number,
): Promise<number> {
  const { blobStore, ids, metadataIndex } = core.ports;
  const end = ids.blobIdFloor(bucket.id, olderThanMs);
  let deleted = 0;
  for (let after = sweptUpTo; ; ) {
    const page = await blobStore.list({ prefix: `${bucket.id}/`, after, limit: BATCH });
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
