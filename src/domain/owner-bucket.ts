// Ids that name their owner bucket. A bucket id has the bucket's name in it, and a
// blob id the id of the bucket that wrote it. So a segment says which bucket keeps
// its bytes, without any call. Pure.
import type { BlobId, BucketAddress, BucketId, BucketName, Segment } from './nouns.ts';

/** Stands between name and random part; no bucket name contains it. */
const NAME_END = '~';

/** Makes a bucket id, `{name}~{random}`. */
export function makeBucketId(name: BucketName, random: string): BucketId {
  return `${name}${NAME_END}${random}` as BucketId;
}

/** Finds the owner bucket of a blob, the one that wrote it. */
export function ownerBucketOfBlob(blobId: BlobId): BucketAddress {
  const id = blobId.slice(0, blobId.indexOf('/')) as BucketId;
  return { id, name: nameOfBucketId(id) };
}

/** Whether the bucket, or the one that a shard of that id is of, gave the blob its id. */
export function isOfBucket(blobId: BlobId, id: BucketId): boolean {
  const owner = ownerBucketOfBlob(blobId).id;
  return id === owner || id.startsWith(`${owner}${NAME_END}`);
}

/** Finds the name that a bucket has, or had. */
export function nameOfBucketId(id: BucketId): BucketName {
  return id.slice(0, id.indexOf(NAME_END)) as BucketName;
}

/** Lists the distinct blobs of segments. */
export function blobsOf(segments: readonly Segment[]): BlobId[] {
  return [...new Set(segments.map((segment) => segment.blobId))];
}
