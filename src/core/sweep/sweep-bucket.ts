// Gives back the room of blobs that nothing references any more, and of those that a crash left
// behind. It only touches blobs older than the grace, so no reader with a stale pointer and no
// write in progress can lose bytes. Every step can be repeated: a sweep that dies is finished by
// the next one.
import type { BlobId, BucketAddress, BucketName } from '../../domain/nouns.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';

/** Blobs handled per index call. Source: R2 and S3 delete up to 1,000 objects in one call. */
const BATCH = 1000;

export type SweepResult = { readonly deletedBlobs: number; readonly releasedReferences: number };

type Lives = ReturnType<IndexApi['listIncarnations']>;

/**
 * Sweeps all lives of one bucket name, and forgets the name when there is none. Cost: R2 lists each
 * blob once in its life.
 */
export async function sweepBucket(
  core: Core,
  name: BucketName,
  lives: Lives,
): Promise<SweepResult> {
  const { clock, directory, metadataIndex } = core.ports;
  const olderThanMs = clock.nowMs() - core.settings.graceSeconds * 1000;
  let deletedBlobs = 0;
  let releasedReferences = 0;
  for (const { bucket, isDeleted, sweptUpTo } of lives) {
    if (isDeleted) await dropUploads(core, bucket);
    const condemned = await sweepUnreferenced(core, bucket, olderThanMs);
    deletedBlobs +=
      condemned.deletedBlobs + (await sweepOrphans(core, bucket, sweptUpTo, olderThanMs));
    releasedReferences += condemned.releasedReferences;
    if (!isDeleted) continue;
    while (!(await metadataIndex.call(name, 'forgetNames', { bucket, what: 'all' })).isDone);
    while (!(await metadataIndex.call(name, 'dropOrphanRows', { bucket })).isDone);
    await metadataIndex.call(name, 'forgetIncarnation', { bucket });
  }
  if (lives.length === 0)
    await directory.call('forgetBucketName', { name, addedBeforeMs: olderThanMs });
  return { deletedBlobs, releasedReferences };
}

/** What was uploaded to a bucket and never completed ends with it. */
async function dropUploads(core: Core, bucket: BucketAddress): Promise<void> {
  const { clock, metadataIndex } = core.ports;
  for (let isDone = false; !isDone; ) {
    ({ isDone } = await metadataIndex.call(bucket.name, 'dropUploadsOfIncarnation', {
      bucket,
      nowMs: clock.nowMs(),
    }));
  }
}

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
      limit: BATCH,
    });
    releasedReferences += await releaseLostRemoteReferences(
      core,
      bucket,
      oldRemoteReferences,
      olderThanMs,
    );
    if (blobs.length === 0) return { deletedBlobs, releasedReferences };
    const own = blobs.filter((blob) => blob.home === null).map((blob) => blob.blobId);
    if (own.length > 0) await blobStore.delete(own);
    const foreign = blobs.flatMap(({ blobId, home }) => (home === null ? [] : [{ blobId, home }]));
    for (const [home, blobIds] of byBucket(
      foreign.map(({ blobId, home: at }) => ({ blobId, at })),
    )) {
      // A younger hold belongs to a copy into this bucket that has not committed yet.
      await metadataIndex.call(home.name, 'releaseRemoteReferences', {
        home,
        blobIds,
        holder: bucket,
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
 * Takes back holds of blobs that their holders do not have: copies that never came. Cost: two calls
 * for each holder.
 */
async function releaseLostRemoteReferences(
  core: Core,
  home: BucketAddress,
  oldRemoteReferences: readonly { readonly blobId: BlobId; readonly holder: BucketAddress }[],
  takenUpToMs: number,
): Promise<number> {
  const { metadataIndex } = core.ports;
  let released = 0;
  for (const [holder, held] of byBucket(
    oldRemoteReferences.map(({ blobId, holder: at }) => ({ blobId, at })),
  )) {
    const there = new Set(
      await metadataIndex.call(holder.name, 'findHeldBlobs', { holder, blobIds: held }),
    );
    const blobIds = held.filter((blobId) => !there.has(blobId));
    if (blobIds.length === 0) continue;
    await metadataIndex.call(home.name, 'releaseRemoteReferences', {
      home,
      blobIds,
      holder,
      takenUpToMs,
    });
    released += blobIds.length;
  }
  return released;
}

/**
 * Blobs by the bucket that has to do with them, so that each bucket is asked once for all: a Worker
 * may make so many calls.
 */
function byBucket(blobs: readonly { readonly blobId: BlobId; readonly at: BucketAddress }[]) {
  const groups = Map.groupBy(blobs, ({ at }) => at.id);
  return [...groups.values()].flatMap((group) => {
    const at = group[0]?.at;
    return at === undefined ? [] : [[at, group.map(({ blobId }) => blobId)] as const];
  });
}

/**
 * Compares the store with the index, in the order of creation, from where the last sweep ended up
 * to the grace.
 */
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
