// The calls of the bucket index about levels: what one listing of a prefix and a
// delimiter shows, sought by rank or by name. Part of the vocabulary in
// metadata-index.ts, which says what all calls have in common.

import type { BucketRef, ObjectSummary } from '../../domain/nouns.ts';
import type { ListObjectsInput, ListObjectsPage } from '../metadata-index.ts';

/**
 * Where a page of a level begins: with the name at a rank, counted from 0, or with
 * the first name at or behind this one, which need not be there. `isFromEnd`: the
 * page ends with the name that has `rank` names behind it.
 */
export type LevelStart =
  | { readonly by: 'rank'; readonly rank: number; readonly isFromEnd: boolean }
  | { readonly by: 'name'; readonly name: string };

export type ListLevelInput = Omit<ListObjectsInput, 'after'> & { readonly start: LevelStart };

export type LevelPage = ListObjectsPage & {
  /**
   * Names before the first of the page, or behind its last where it is counted from
   * the end. Null: it lies where nothing is counted yet. Less than the rank in the
   * input: the level has fewer names, or no more are counted.
   */
  readonly rank: number | null;
  /** All names of the level; those counted so far unless `isExact`. */
  readonly total: number;
  readonly isExact: boolean;
  /** When countLevel last noted a use; null: the level has no counts. */
  readonly usedAtMs: number | null;
};

/** By what a level is sorted; `type` is the extension of a key, in lower case. */
export type LevelSort = 'size' | 'modified' | 'type';

/** An object with the value that it is sorted by; equal ones are in order of keys. */
export type SortedRow = {
  readonly key: string;
  readonly value: number | string;
  readonly object: ObjectSummary;
};

export type SortLevelInput = Pick<ListLevelInput, 'bucket' | 'prefix' | 'delimiter'> & {
  /** Folders come by name, whatever the sort. */
  readonly what: 'folders' | 'objects';
  readonly by: LevelSort;
  readonly isDescending: boolean;
  /** Only rows behind this one, and before that one; null: no bound. Not for folders. */
  readonly behind: Pick<SortedRow, 'key' | 'value'> | null;
  readonly before: Pick<SortedRow, 'key' | 'value'> | null;
  readonly limit: number;
  /** The `next` of the slice before; '' begins. */
  readonly from: string;
};

export type SortLevelSlice = {
  readonly rows: readonly SortedRow[];
  readonly folders: readonly string[];
  /** Where the next slice begins; null: this was the last. */
  readonly next: string | null;
};

export type LevelQueries = {
  /**
   * The first rows of a slice of 25,000 keys, in the order of the sort. BucketChanged.
   * Cost: 10 ms. Rows read: those of the slice, so a page of a million objects reads
   * a million, $0.001 where a Durable Object is billed for them.
   */
  sortLevel(input: SortLevelInput): SortLevelSlice;
  /**
   * One page of a level, in byte order, with its rank and the number of all names.
   * Exact without counts up to 2,000 names; beyond that call `countLevel` first.
   * BucketChanged. Cost: 2 ms at a million names. In rows read, which a Durable
   * Object is billed for: one for each 500 to 1,000 names, some 2,000 more, and those
   * returned; 5,000 at a million names, $0.000005.
   */
  listLevel(input: ListLevelInput): LevelPage;
};

/**
 * How far a level is counted. `isReady`: all names are. Not `hasRoom`: it is not
 * counted at all, since so many others were lately.
 */
export type LevelCount = { readonly isReady: boolean; readonly hasRoom: boolean };

export type LevelCommands = {
  /**
   * One step of counting the names of a level, kept exact from then on. A bucket has
   * room for 16; one that was not used for ten minutes makes room. BucketChanged.
   * Idempotent. Cost: 10 ms a step. In rows billed by Durable Objects, for a million
   * names: 1 to 8 million read and 2,000 written, $0.003 to $0.01; later a row written
   * for each name that comes or goes.
   */
  countLevel(input: {
    bucket: BucketRef;
    prefix: string;
    delimiter: string;
    nowMs: number;
  }): LevelCount;
  /** Drops the counts of levels that nobody used since a time. Idempotent. */
  forgetLevels(input: { bucket: BucketRef; unusedSinceMs: number }): void;
};
