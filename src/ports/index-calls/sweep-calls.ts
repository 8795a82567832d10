// The calls of the bucket index for the sweeper (core/sweep): unreferenced blobs,
// remote references that other buckets have, and what is left of deleted buckets.
// Part of the vocabulary in metadata-index.ts, which says what all calls have in
// common.
import type { BlobId, BucketAddress, BucketName } from '../../domain/nouns.ts';

export type SweepQueries = {
  /**
   * Picks the blobs that the index does not know: orphans of a crash, if they are
   * old enough.
   */
  findUnknownBlobs(input: { blobIds: readonly BlobId[] }): readonly BlobId[];
  /**
   * Picks the blobs of other owner buckets that the bucket `holder` still
   * references.
   */
  findReferencedBlobs(input: {
    referrer: BucketAddress;
    blobIds: readonly BlobId[];
  }): readonly BlobId[];
  /**
   * Incarnations of the bucket in this database, deleted ones with blobs left
   * included.
   */
  listIncarnations(input: { name: BucketName }): readonly {
    bucket: BucketAddress;
    isDeleted: boolean;
    sweptUpTo: string;
    hasLifecycle: boolean;
    /** Whether old bodies are to be compressed. */
    hasCompression: boolean;
    hasKeyJobs: boolean;
    /** When the search index was last used; null: there is none. */
    searchedAtMs: number | null;
    /** When the level that was not used for longest was; null: none is counted. */
    levelsUsedAtMs: number | null;
    /**
     * Since when the longest idle unfinished upload may be idle; null: there is
     * none.
     */
    idleUploadMs: number | null;
    /** When the first selection expires, or has; null: there is none. */
    selectionEndsMs: number | null;
    /**
     * When the first unfinished file or empty sender of a drop link may be forgotten,
     * or might have been; null: there is none.
     */
    dropRowsEndMs: number | null;
    /** When a pack of small bodies is to be looked at; null: there is none. */
    packDueMs: number | null;
    /** Whether a pack may be worth writing anew. */
    hasSparsePacks: boolean;
  }[];
};

export type SweepCommands = {
  /**
   * Drops uploads that a deleted incarnation left behind, a bounded number at a
   * time; call it until it is done. Idempotent.
   */
  dropUploadsOfIncarnation(input: { bucket: BucketAddress; nowMs: number }): { isDone: boolean };
  /**
   * Drops the orphan rows of a deleted incarnation, which no call can reach any
   * more: what its jobs did, results of finished uploads, messages that were sent
   * or are dead letters. A bounded number at a time; call it until it is done.
   * Idempotent.
   */
  dropOrphanRows(input: { bucket: BucketAddress }): { isDone: boolean };
  /**
   * Adds a remote reference of the bucket `holder` to each blob of the owner bucket
   * `home`: the blob stays while `holder` has it. NoSuchBlob.
   */
  addRemoteReferences(input: {
    ownerBucket: BucketAddress;
    blobIds: readonly BlobId[];
    referrer: BucketAddress;
    nowMs: number;
  }): void;
  /**
   * Releases remote references that were added or renewed no later than
   * `takenUpToMs`; a younger one belongs to a copy that may be about to commit.
   * Idempotent.
   */
  releaseRemoteReferences(input: {
    ownerBucket: BucketAddress;
    blobIds: readonly BlobId[];
    referrer: BucketAddress;
    takenUpToMs: number;
  }): void;
  /**
   * Condemns blobs that nothing has referenced since before `olderThanMs`: from
   * then on no copy can revive them. `home` is null for blobs to delete from the
   * store, else the owner bucket, whose remote reference must be released.
   * `oldRemoteReferences` were added before `olderThanMs` to blobs with no other
   * reference, and are to be checked with their holder.
   */
  condemnBlobs(input: { bucket: BucketAddress; olderThanMs: number; limit: number }): {
    blobs: readonly { blobId: BlobId; ownerBucket: BucketAddress | null }[];
    oldRemoteReferences: readonly { blobId: BlobId; referrer: BucketAddress }[];
  };
  /** Forgets condemned blobs once they are gone from the store. Idempotent. */
  forgetBlobs(input: { bucket: BucketAddress; blobIds: readonly BlobId[] }): void;
  /** Stores how far the store was compared with the index. */
  setSweptUpTo(input: { bucket: BucketAddress; sweptUpTo: string }): void;
  /**
   * Drops a deleted incarnation once it has no upload, no blob and no orphan rows
   * left, and no message of it waits. Idempotent.
   */
  forgetIncarnation(input: { bucket: BucketAddress }): void;
};
