// The calls of the bucket index about selections: lists of keys that wait, for
// minutes, for the URL of their ZIP to be followed. Part of the vocabulary in
// metadata-index.ts.

import type { ObjectSelection } from '../../domain/keys/object-selection.ts';
import type { BucketAddress, BucketRef } from '../../domain/nouns.ts';

export type SelectionQueries = {
  /** The selection of an id; null: there is none, or it has expired. BucketChanged. */
  getSelection(input: { bucket: BucketRef; id: string; nowMs: number }): ObjectSelection | null;
};

export type SelectionCommands = {
  /**
   * Stores a selection until it expires, and drops those that have. SlowDown beyond
   * SELECTIONS_MAX of the bucket, or SELECTIONS_MAX_LENGTH of all. Idempotent.
   * BucketChanged.
   */
  addSelection(input: {
    bucket: BucketRef;
    id: string;
    selection: ObjectSelection;
    nowMs: number;
    expiresAtMs: number;
  }): void;
  /** Drops the selections of a bucket that have expired. Idempotent. */
  dropSelections(input: { bucket: BucketAddress; nowMs: number }): void;
};
