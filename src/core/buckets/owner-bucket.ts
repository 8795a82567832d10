// A bucket id carries the bucket's name, and a blob id carries its home bucket's id: whoever has a
// segment knows which bucket must keep its bytes, without asking anybody.
import type { BlobId, BucketAddress, BucketId, BucketName, Segment } from '../../domain/nouns.ts';

/** Between name and random part; no bucket name contains it. */
const NAME_END = '~';

/** `{name}~{random}`. */
export function makeBucketId(name: BucketName, random: string): BucketId {
  return `${name}${NAME_END}${random}` as BucketId;
}

/** The bucket that wrote the blob. */
export function ownerBucketOfBlob(blobId: BlobId): BucketAddress {
  const id = blobId.slice(0, blobId.indexOf('/')) as BucketId;
  return { id, name: nameOfBucketId(id) };
}

/** The name that the bucket has, or had. */
export function nameOfBucketId(id: BucketId): BucketName {
  return id.slice(0, id.indexOf(NAME_END)) as BucketName;
}

/** The distinct blobs of a list of segments. */
export function blobsOf(segments: readonly Segment[]): BlobId[] {
  return [...new Set(segments.map((segment) => segment.blobId))];
}
