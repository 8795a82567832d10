// Calls every statement about packs: bodies that wait, a pack that is full, old or too small, one
// that is written when some are gone, and those of a deleted bucket.
import type {
  BucketAddress,
  BucketRecord,
  BucketRef,
  ObjectVersion,
} from '../../../src/domain/nouns.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import {
  addressOf,
  asKey,
  blobIn,
  bucketRecord,
  deletionOf,
  objectOf,
  refOf,
  START_MS,
} from '../../contract/index/samples.ts';

const DAY_MS = 86_400_000;

/** A bucket of its own: others have bodies that wait, too. */
export function usePacks(index: IndexApi): void {
  const bucket = index.createBucket({ bucket: bucketRecord() });
  const { name } = bucket;
  const commit = (object: ObjectVersion) => {
    const input = { bucket: refOf(bucket), object, condition: null, newReferences: [] };
    return index.commitObject({ ...input, packId: blobIn(bucket) });
  };
  commit(objectOf('little'));
  index.claimPacks({ name, nowMs: START_MS + 2 * DAY_MS, limit: 10 });
  commit(objectOf('first', { inlineBytes: new Uint8Array(5 * 2 ** 20) } as never));
  const change = { tags: { a: 'b' } };
  const version = { key: asKey('first'), versionId: null, bypassGovernance: false };
  index.updateVersion({ bucket: refOf(bucket), ...version, change, nowMs: START_MS });
  for (const pack of index.claimPacks({ name, nowMs: START_MS + 4 * DAY_MS, limit: 10 })) {
    const bodyIds = index.readPack(pack)?.bodies.map(({ id }) => id) ?? [];
    index.adoptPack({ ...pack, bodyIds, nowMs: START_MS });
  }
  index.updateVersion({ bucket: refOf(bucket), ...version, change, nowMs: START_MS });
  commit(objectOf('last'));
  moveBodies(index, bucket);
  deleteAll(index, refOf(bucket), addressOf(bucket));
}

/** Looks at a pack of which most is gone, leaves it, and moves what lives. */
function moveBodies(index: IndexApi, bucket: BucketRecord): void {
  index.deleteObjects({ bucket: refOf(bucket), ...deletionOf(['first']) });
  const ref = refOf(bucket);
  for (const { blobId, sizeBytes, endBytes } of index.findSparsePacks({
    bucket: ref,
    limit: 10,
  })) {
    const keys = [asKey('little'), asKey('first')];
    index.findPackedVersions({ bucket: ref, blobId, keys: null });
    const versions = index.findPackedVersions({ bucket: ref, blobId, keys });
    const bodies = versions.map((version) => ({ ...version, newOffsetBytes: 0 }));
    const to = { blobId: blobIn(bucket), sizeBytes, endBytes, sparseReferences: 0 };
    index.repack({ bucket: ref, from: blobId, to, bodies, nowMs: START_MS });
    index.leavePack({ bucket: ref, blobId: to.blobId, sparseReferences: 0 });
  }
}

function deleteAll(index: IndexApi, bucket: BucketRef, address: BucketAddress): void {
  index.deleteObjects({ bucket, ...deletionOf(['little', 'first', 'last']) });
  index.deleteBucket({ bucket, nowMs: START_MS });
  index.dropOrphanRows({ bucket: address });
}
