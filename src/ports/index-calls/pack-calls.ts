// The calls of the bucket index for packing small bodies (core/packs): a commit puts
// a small body inline and says where it will lie in a blob to come, the pack; once
// that is full, its bodies are written as that blob, and leave the index. Part of the
// vocabulary in metadata-index.ts, which says what all calls have in common.
import type { BlobId, BucketAddress, BucketName } from '../../domain/nouns.ts';

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

export type PackQueries = {
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
};
