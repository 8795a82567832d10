// The calls of the bucket index for the sweeper (core/sweep): blobs that nothing mentions, holds
// that other buckets have on blobs, and what is left of buckets that were deleted. Part of the
// vocabulary in metadata-index.ts, where what all calls have in common is told.
import type { BlobId, BucketAddress, BucketName } from '../../domain/nouns.ts';

export type SweepQueries = {
  /**
   * Those of `blobIds` that no row of the index mentions: orphans of a crash, if they are old
   * enough.
   */
  findUnknownBlobs(input: { blobIds: readonly BlobId[] }): readonly BlobId[];
  /** Those of `blobIds`, whose home is elsewhere, that the bucket still has. */
  findHeldBlobs(input: { holder: BucketAddress; blobIds: readonly BlobId[] }): readonly BlobId[];
  /** Lives of buckets in this database, deleted ones with blobs left included. */
  listIncarnations(input: { name: BucketName }): readonly {
    bucket: BucketAddress;
    isDeleted: boolean;
    sweptUpTo: string;
    hasLifecycle: boolean;
    /** Whether old bodies are to be packed. */
    hasCompression: boolean;
    hasNameJobs: boolean;
    /** When the search index was last asked; null: there is none. */
    searchedAtMs: number | null;
    /** Since when the unfinished upload that rested longest may rest; null: there is none. */
    idleUploadMs: number | null;
  }[];
};

export type SweepCommands = {
  /**
   * Drops uploads that a deleted life left behind, a bounded number at a time; call it until it is
   * done. Idempotent.
   */
  dropUploadsOfIncarnation(input: { bucket: BucketAddress; nowMs: number }): { isDone: boolean };
  /**
   * Drops what else a deleted life left behind and nobody can ask for any more (what its jobs did,
   * answers to finished uploads, messages that were sent or are dead letters), a bounded number at
   * a time; call it until it is done. Idempotent.
   */
  dropOrphanRows(input: { bucket: BucketAddress }): { isDone: boolean };
  /**
   * Promises the holder that these blobs of this home bucket stay while it has them. NoSuchBlob.
   */
  addRemoteReferences(input: {
    home: BucketAddress;
    blobIds: readonly BlobId[];
    holder: BucketAddress;
    nowMs: number;
  }): void;
  /**
   * Takes back holds that were taken or renewed no later than `takenUpToMs`; a younger one belongs
   * to a copy that may be about to commit. Idempotent.
   */
  releaseRemoteReferences(input: {
    home: BucketAddress;
    blobIds: readonly BlobId[];
    holder: BucketAddress;
    takenUpToMs: number;
  }): void;
  /**
   * Condemns blobs that nothing has referenced since before `olderThanMs`: from then on no copy can
   * revive them. `home` is null for blobs to delete from the store, else the bucket whose hold must
   * be released. `oldRemoteReferences` are holds taken before `olderThanMs` on blobs with no other reference,
   * to be checked with their holder.
   */
  condemnBlobs(input: { bucket: BucketAddress; olderThanMs: number; limit: number }): {
    blobs: readonly { blobId: BlobId; home: BucketAddress | null }[];
    oldRemoteReferences: readonly { blobId: BlobId; holder: BucketAddress }[];
  };
  /** Forgets condemned blobs once they are gone from the store. Idempotent. */
  forgetBlobs(input: { bucket: BucketAddress; blobIds: readonly BlobId[] }): void;
  /** Remembers how far the store was compared with the index. */
  setSweptUpTo(input: { bucket: BucketAddress; sweptUpTo: string }): void;
  /**
   * Drops a deleted life once it has no upload, no blob and no rest left, and no message of it
   * waits. Idempotent.
   */
  forgetIncarnation(input: { bucket: BucketAddress }): void;
};
