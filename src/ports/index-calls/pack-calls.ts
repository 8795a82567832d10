// The calls of the bucket index for packing small bodies (core/packs): a commit puts
// a small body inline and says where it will lie in a blob to come, the pack; once
// that is full, its bodies are written as that blob, and leave the index. Part of the
// vocabulary in metadata-index.ts, which says what all calls have in common.
import type {
  BlobId,
  BucketAddress,
  BucketName,
  BucketRef,
  ObjectKey,
  VersionId,
} from '../../domain/nouns.ts';

/** A body that waits inline for its pack. */
export type WaitingBody = {
  /** The row of the body. */
  readonly id: number;
  /** Where it will lie in the pack. */
  readonly offsetBytes: number;
  readonly bytes: Uint8Array;
  /** JSON of key, headers and user metadata as they were written, in an array. */
  readonly subject: string;
};

/** A pack that is to be written, and the bucket that it is of. */
export type WaitingPack = { readonly bucket: BucketAddress; readonly blobId: BlobId };

/** What is to be written: always so many bytes, whatever has gone since. */
export type PackContent = {
  /** By offset; none: all are gone. */
  readonly bodies: readonly WaitingBody[];
  /** Where the bodies end, and the directory of them begins. */
  readonly endBytes: number;
  /** With the directory, which has room enough. */
  readonly sizeBytes: number;
};

/** A pack in the store that may be sparse. */
export type SparsePack = {
  readonly blobId: BlobId;
  readonly sizeBytes: number;
  /** Where the bodies end, and the directory of them begins. */
  readonly endBytes: number;
  /** Versions and parts that refer to it. */
  readonly references: number;
  /** Whether another bucket refers to it. */
  readonly isHeld: boolean;
};

/** A version whose whole body is a range of a pack. */
export type PackedVersion = {
  readonly key: ObjectKey;
  readonly versionId: VersionId;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
};

export type PackQueries = {
  /**
   * Packs of which so many bodies are gone that less than half of their bytes may
   * live, at most `limit`. BucketChanged. Cost: a row
   * read for each.
   */
  findSparsePacks(input: { bucket: BucketRef; limit: number }): readonly SparsePack[];
  /**
   * Versions of these keys that lie in a pack, as far as they are among the first
   * 20,000 older versions of the keys; null: of any key, among the first 20,000 objects
   * and as many older versions. BucketChanged. Cost: a row read for each key and version.
   */
  findPackedVersions(input: {
    bucket: BucketRef;
    blobId: BlobId;
    keys: readonly ObjectKey[] | null;
  }): readonly PackedVersion[];
  /**
   * What belongs into a claimed pack: some 4 MiB of 1,024 bodies at most. Null: it
   * was adopted, or nobody knows it.
   */
  readPack(input: WaitingPack): PackContent | null;
};

export type PackCommands = {
  /**
   * Claims packs of all incarnations of the name for minutes: those that are full and
   * were not written yet, and one that has waited for a day, unless too little is in
   * it. None of them gets another body.
   */
  claimPacks(input: { name: BucketName; nowMs: number; limit: number }): readonly WaitingPack[];
  /**
   * Lets the bodies of a pack lie in its blob, which the store has by now, and no
   * longer in the index. `bodyIds`: all that were written; what was deleted or
   * replaced since stays so. Nothing that clients see changes. Gives how many bodies
   * moved; with none the blob is unreferenced. Null: the pack was adopted already, or
   * has a body that was not written. Idempotent.
   */
  adoptPack(
    input: WaitingPack & { readonly bodyIds: readonly number[]; readonly nowMs: number },
  ): number | null;
  /**
   * Lets versions lie in another pack, which the store has by now, where they still
   * lie in `from`; nothing else of them changes. Gives whether any does. The new
   * pack may be sparse from `sparseReferences` down. Idempotent. BucketChanged. Cost: a
   * row for each version, three for the packs.
   */
  repack(input: {
    bucket: BucketRef;
    from: BlobId;
    to: {
      readonly blobId: BlobId;
      readonly sizeBytes: number;
      readonly endBytes: number;
      readonly sparseReferences: number;
    };
    bodies: readonly (PackedVersion & { readonly newOffsetBytes: number })[];
    nowMs: number;
  }): boolean;
  /**
   * Leaves a pack as it is until it has no more than so many references, and one less
   * than now at least. Idempotent. BucketChanged.
   */
  leavePack(input: { bucket: BucketRef; blobId: BlobId; sparseReferences: number }): void;
};
