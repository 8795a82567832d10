// The calls of the bucket index about shards (ADR 53): the state of a shard, and the
// steps by which a slice of its keys moves to another one. A bucket that was never split
// has no such state. Part of the vocabulary in metadata-index.ts, which says what all
// calls have in common.
//
// A command that comes late or again changes nothing; it gives the state as it stands,
// by which whoever sent it sees that. BucketChanged: there is no such shard.

import type {
  BlobId,
  BucketAddress,
  BucketName,
  BucketRecord,
  BucketRef,
  DeleteMarker,
  ObjectVersion,
} from '../../domain/nouns.ts';
import type { NewBlobReference } from '../metadata-index.ts';
import type { Upload, UploadedPart } from './upload-calls.ts';

/**
 * How far the revision of the record of a bucket that is split is above that of its row:
 * four thousand million steps of moves. A record with a revision from this on is of a
 * bucket that is split. Our own number; 2^53 leaves room for two million of them.
 */
export const RECORD_AHEAD = 2 ** 32;

/** Whether a record, or what somebody decided by it, is of a bucket that is split. */
export const isSplit = (bucket: Pick<BucketRef, 'revision'> | null | undefined): boolean =>
  (bucket?.revision ?? 0) >= RECORD_AHEAD;

/** Keys from one on and before another, in byte order; `to` null: up to the last key. */
export type KeyRange = { readonly from: string; readonly to: string | null };

/** A slice on its way. `epoch`: the revision of the source that its freeze has made. */
export type MovingSlice = {
  readonly range: KeyRange;
  readonly epoch: number;
  /** The shard at the other end of the way. */
  readonly shard: BucketAddress;
};

/** What a shard says of itself. */
export type ShardState = {
  readonly bucket: BucketAddress;
  /** Grows with each change of this state: who calls the shard names it. */
  readonly revision: number;
  /** The revision of the bucket's record, at the root; elsewhere the last that came. */
  readonly record: number;
  /** The keys that it owns; null: none. */
  readonly range: KeyRange | null;
  /** What it is about to give up: writes to that wait. */
  readonly frozen: MovingSlice | null;
  /** What has come in, and nobody is shown yet. */
  readonly incoming: MovingSlice | null;
  /** What it gave up last. */
  readonly gave: MovingSlice | null;
  /** The last epoch that it adopted of each source, by the id of that. */
  readonly adopted: Readonly<Record<string, number>>;
  /** Shards that were made beside the root, as the root knows. */
  readonly made: number;
};

/** A row of a slice as it moves; an upload with its parts. */
export type MovedRow =
  | {
      readonly kind: 'current';
      readonly object: ObjectVersion;
      readonly classSinceMs: number;
    }
  | {
      readonly kind: 'older';
      readonly object: ObjectVersion;
      readonly classSinceMs: number;
      readonly replacedAtMs: number | null;
    }
  | {
      readonly kind: 'marker';
      readonly marker: DeleteMarker;
      readonly replacedAtMs: number | null;
    }
  | {
      readonly kind: 'upload';
      readonly upload: Upload;
      readonly activeAtMs: number;
      readonly parts: readonly UploadedPart[];
    };

/** Blobs with the owner bucket of each, which may be a shard. */
export type OwnedBlobs = readonly (NewBlobReference & { readonly ownerBucket: BucketAddress })[];
/** All rows of a slice, and the blobs that they refer to. */
export type ExportedSlice = { readonly rows: readonly MovedRow[]; readonly blobs: OwnedBlobs };

export type ShardQueries = {
  /** The state of the live bucket of that name; null: it has none. */
  getShard(input: { name: BucketName }): ShardState | null;
  /** Shards beside the roots of that name that may be there, deleted ones included. */
  countShards(input: { name: BucketName }): number;
  /** The blobs among these that a shard knows, with the owner of each. */
  locateBlobs(input: { bucket: BucketAddress; blobIds: readonly BlobId[] }): OwnedBlobs;
  /**
   * The keys at one end of the shard's range that have so many rows together: versions,
   * markers, uploads. It is one key at least, with all that it has, and the whole range
   * where that has no more. Null: the shard owns no keys. BucketChanged. Cost: the rows.
   */
  pickSlice(input: {
    bucket: BucketRef;
    end: 'lower' | 'upper';
    rows: number;
  }): { readonly range: KeyRange; readonly rows: number } | null;
  /** The rows of the slice that is frozen under that epoch; null: none is. */
  exportSlice(input: { bucket: BucketAddress; epoch: number }): ExportedSlice | null;
};

export type ShardCommands = {
  /**
   * Notes at the root that so many shards may be there beside it. The first time makes
   * the bucket the root of shards, with all keys: from then on its record has a revision
   * of its own, which no call to the index may name. BucketChanged.
   */
  noteShards(input: { bucket: BucketRef; made: number }): ShardState;
  /** Makes a shard without keys, unless it is there; `record`: of the root. */
  makeShard(input: { bucket: BucketRecord; record: number }): ShardState;
  /**
   * Takes in that the bucket's record has that revision, unless it knows a later one.
   * `isCapped`: whether a cap looks at the bucket, so that hours are collected sooner.
   */
  reportRecord(input: { bucket: BucketAddress; record: number; isCapped?: boolean }): ShardState;
  /**
   * Freezes a slice at an end of the shard's range that is to go to `target`, unless
   * another one is frozen or has come in. BucketChanged (the revision is another).
   */
  freezeSlice(input: { bucket: BucketRef; range: KeyRange; target: BucketAddress }): ShardState;
  /** Ends a freeze: that epoch can't be given up any more. */
  thawSlice(input: { bucket: BucketAddress; epoch: number }): ShardState;
  /**
   * Takes a slice of another shard in, beside the rows of its own, in place of an older
   * one of that shard. Refused are an epoch that is not above that of the last one which
   * came in, or was adopted; a slice while that of a third shard is there, or while one
   * is frozen; and a slice that does not touch its range. For the blobs in
   * `newReferences` it has remote references; all others are its own. NoSuchBlob: it
   * does not know one of these, or condemned it.
   */
  importSlice(input: {
    bucket: BucketAddress;
    source: BucketAddress;
    range: KeyRange;
    epoch: number;
    rows: readonly MovedRow[];
    newReferences: readonly NewBlobReference[];
    nowMs: number;
  }): ShardState;
  /**
   * Drops what came in under that epoch of that source. Only for whoever saw that the
   * source neither has it frozen nor gave it up.
   */
  dropSlice(input: {
    bucket: BucketAddress;
    source: BucketAddress;
    epoch: number;
    nowMs: number;
  }): ShardState;
  /**
   * Gives the slice of that epoch up, whose rows have come in elsewhere: they go, and its
   * range ends before them. This is the moment at which their owner changes.
   */
  giveUpSlice(input: { bucket: BucketAddress; epoch: number; nowMs: number }): ShardState;
  /**
   * Makes what came in under that epoch of that source its own. Only for whoever saw that
   * the source gave it up.
   */
  adoptSlice(input: {
    bucket: BucketAddress;
    source: BucketAddress;
    epoch: number;
    nowMs: number;
  }): ShardState;
};
