// Sweeps a bucket of several shards as core sweeps one: for contracts which ask what is condemned,
// whichever shard has it. References between the bucket's own shards are released first.
import type { BucketAddress } from '../../../src/domain/nouns.ts';
import type { IndexApi, MetadataIndex } from '../../../src/ports/metadata-index.ts';

type Condemning = Parameters<IndexApi['condemnBlobs']>[0];
type Forgetting = Parameters<IndexApi['forgetBlobs']>[0];
type Condemned = ReturnType<IndexApi['condemnBlobs']>;

/** An index whose sweep of a bucket is one of all its shards; `quiet` moves no slice. */
export function sweepAllShards(index: MetadataIndex, quiet: MetadataIndex): MetadataIndex {
  const isOf = (root: BucketAddress, { id }: BucketAddress) =>
    id === root.id || id.startsWith(`${root.id}~`);

  async function shardsOf(root: BucketAddress): Promise<readonly BucketAddress[]> {
    const { name } = root;
    const incarnations = await quiet.call(name, 'listIncarnations', { name });
    return incarnations.map(({ bucket }) => bucket).filter((bucket) => isOf(root, bucket));
  }

  /** Releases what one shard has no use of at the others. False: there was nothing. */
  async function release(
    root: BucketAddress,
    referrer: BucketAddress,
    { blobs }: Condemned,
    takenUpToMs: number,
  ): Promise<boolean> {
    let isReleased = false;
    for (const { blobId, ownerBucket } of blobs) {
      if (ownerBucket === null || !isOf(root, ownerBucket)) continue;
      const blobIds = [blobId];
      await quiet.call(ownerBucket.name, 'releaseRemoteReferences', {
        ownerBucket,
        blobIds,
        referrer,
        takenUpToMs,
      });
      await quiet.call(referrer.name, 'forgetBlobs', { bucket: referrer, blobIds });
      isReleased = true;
    }
    return isReleased;
  }

  async function condemnBlobs(input: Condemning): Promise<Condemned> {
    const root = input.bucket;
    const shards = await shardsOf(root);
    for (;;) {
      const all: Condemned[] = [];
      let isReleased = false;
      for (const bucket of shards) {
        const condemned = await quiet.call(bucket.name, 'condemnBlobs', { ...input, bucket });
        // A blob is unreferenced since then, and swept by this very bound.
        isReleased = (await release(root, bucket, condemned, input.olderThanMs - 1)) || isReleased;
        all.push(condemned);
      }
      if (isReleased) continue;
      return {
        blobs: all.flatMap(({ blobs }) => blobs),
        oldRemoteReferences: all
          .flatMap(({ oldRemoteReferences }) => oldRemoteReferences)
          .filter(({ referrer }) => !isOf(root, referrer)),
      };
    }
  }

  async function forgetBlobs(input: Forgetting): Promise<void> {
    for (const bucket of await shardsOf(input.bucket))
      await quiet.call(bucket.name, 'forgetBlobs', { ...input, bucket });
  }

  return {
    ...index,
    call(bucket, name, input) {
      if (name === 'condemnBlobs') return condemnBlobs(input as Condemning) as never;
      if (name === 'forgetBlobs') return forgetBlobs(input as Forgetting) as never;
      return index.call(bucket, name, input);
    },
  };
}
