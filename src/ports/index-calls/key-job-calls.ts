// The calls of the bucket index about keys: jobs over many keys, keys that a delete
// marker hides, sizes of prefixes, search. Part of the vocabulary in
// metadata-index.ts, which says what all calls have in common.

import type {
  CountState,
  KeyMatches,
  PrefixSize,
  SearchState,
} from '../../domain/keys/key-aids.ts';
import type {
  KeyAction,
  KeyJob,
  KeyJobFailure,
  KeyJobId,
  KeyJobItem,
  KeyOutcome,
  ListedKey,
} from '../../domain/keys/key-jobs.ts';
import type {
  BlobId,
  BucketAddress,
  BucketRef,
  ObjectKey,
  ObjectVersion,
  VersionId,
} from '../../domain/nouns.ts';
import type { NewBlobReference } from '../metadata-index.ts';

/** A key that a delete marker hides, and what would come back. */
export type HiddenKey = {
  readonly key: ObjectKey;
  readonly hiddenAtMs: number;
  /** Whether a job moved the object away; absent, by an older release: unknown. */
  readonly isMoved?: boolean;
  /**
   * The newest version behind the marker; null: there is none, or more than 250
   * other markers stand before it.
   */
  readonly newest: Pick<
    ObjectVersion,
    'versionId' | 'sizeBytes' | 'etag' | 'lastModifiedMs' | 'storageClass'
  > | null;
};

export type KeyQueries = {
  /** Null: there is no such job. BucketChanged. */
  getKeyJob(input: { bucket: BucketRef; id: KeyJobId }): KeyJob | null;
  /** The jobs that are stored of the bucket, newest first. BucketChanged. */
  listKeyJobs(input: { bucket: BucketRef }): readonly KeyJob[];
  /**
   * What a job did, the last first, from before that position on; at most 1,000.
   * BucketChanged.
   */
  listKeyJobItems(input: {
    bucket: BucketRef;
    id: KeyJobId;
    before: number;
    limit: number;
  }): readonly KeyJobItem[];
  /**
   * Keys that a job lists, from a position on: some of them, at most `limit`; none
   * once it has ended. BucketChanged.
   */
  listKeyJobKeys(input: {
    bucket: BucketRef;
    id: KeyJobId;
    at: number;
    limit: number;
  }): readonly ListedKey[];
  /** The first 100 keys that a job left, in its order. BucketChanged. */
  listKeyJobFailures(input: { bucket: BucketRef; id: KeyJobId }): readonly KeyJobFailure[];
  /**
   * What stands below each prefix. `sizes` is empty unless the state is `ready`;
   * else call `countAllKeys` first. BucketChanged. Cost: 0.5 ms a prefix at a
   * million keys.
   */
  measurePrefixes(input: { bucket: BucketRef; prefixes: readonly string[] }): {
    readonly state: CountState;
    readonly sizes: readonly PrefixSize[];
  };
  /**
   * Objects below the prefix whose key has the needle behind it, by key. With
   * `after` null the search index is used, if it is ready; otherwise keys behind
   * `after` are scanned one by one. BucketChanged. Cost: 20 ms at most.
   */
  searchKeys(input: {
    bucket: BucketRef;
    prefix: string;
    needle: string;
    limit: number;
    after: string | null;
  }): KeyMatches;
  /**
   * Keys with the prefix that a delete marker hides, in byte order behind `after`.
   * BucketChanged. Cost: three seeks a key, and the markers before its version.
   */
  listHidden(input: {
    bucket: BucketRef;
    prefix: string;
    after: string;
    limit: number;
  }): readonly HiddenKey[];
};

/** A copy of an object of another bucket, to be committed. */
export type CopyToCommit = {
  /** The copy as it shall be, but for its key. */
  readonly object: ObjectVersion;
  /** The first of them that is free; one at least. */
  readonly toKeys: readonly ObjectKey[];
  /** Whether the first is taken even where another object has it. */
  readonly mayReplace: boolean;
  readonly newReferences: readonly NewBlobReference[];
};
/** The key and version of a copy that is committed. */
export type CommittedCopy = { readonly toKey: ObjectKey; readonly versionId: VersionId };

export type KeyCommands = {
  /**
   * Commits copies of objects of another bucket, in their order, in one commit;
   * null where all keys are taken. A copy that is there already is not made again.
   * NoSuchBlob (a source was swept meanwhile: nothing is done), BucketChanged.
   * Idempotent.
   */
  commitCopies(input: {
    bucket: BucketRef;
    copies: readonly CopyToCommit[];
    /** A copy that is there already is not older; absent: it may be of any age. */
    sinceMs?: number;
    /** Ids of packs that may begin, for bodies that come inline; absent: these stay so. */
    packIds?: readonly BlobId[];
  }): readonly (CommittedCopy | null)[];
  /**
   * Stores a job that is to run; `keys`: those it lists, apart from it. SlowDown
   * (too many run), BucketChanged.
   */
  createKeyJob(input: { bucket: BucketRef; job: KeyJob; keys?: readonly ListedKey[] }): void;
  /**
   * One step of a job: does the actions, each by itself, and stores how far it
   * came. Null, and nothing is done: the job is not at that revision any more,
   * because another step went before or it was cancelled. `outcomes` in the order
   * of the actions. `isLast`: then the job is over, unless an action has more to
   * do. BucketChanged.
   */
  stepKeyJob(input: {
    bucket: BucketRef;
    id: KeyJobId;
    revision: number;
    actions: readonly KeyAction[];
    /**
     * The cursor behind these actions. The step ends before it where an action has
     * more to do: then `outcomes` are fewer.
     */
    next: Pick<KeyJob, 'after' | 'at'>;
    /** The cursor behind each action; absent: none of them can have more to do. */
    cursors?: readonly Pick<KeyJob, 'after' | 'at'>[];
    /** What was done in another bucket, to be added to the counts. */
    elsewhere: Partial<Pick<KeyJob['counts'], 'done' | 'bytes'>>;
    /** Ids of packs that may begin, for bodies that stand inline; absent: these stay so. */
    packIds?: readonly BlobId[];
    /** Keys that core left as they were. */
    refused?: readonly KeyJobFailure[];
    isLast: boolean;
    nowMs: number;
  }): { readonly job: KeyJob; readonly outcomes: readonly KeyOutcome[] } | null;
  /**
   * Ends a job that runs, as cancelled or, with a reason, as failed. Null: there is
   * no such job. BucketChanged.
   */
  endKeyJob(input: {
    bucket: BucketRef;
    id: KeyJobId;
    failure: string | null;
    nowMs: number;
  }): KeyJob | null;

  /** One step towards sums of all prefixes: 50,000 keys. BucketChanged. */
  countAllKeys(input: { bucket: BucketRef }): { readonly state: CountState };
  /**
   * One step towards a search index, or, once it is ready, of taking in what
   * changed: 500 keys. `isDone`: there was nothing more. BucketChanged.
   */
  indexKeys(input: { bucket: BucketRef; nowMs: number }): {
    readonly state: SearchState;
    readonly isDone: boolean;
  };
  /**
   * One step of removing the search index, or the sums too, of an incarnation that
   * may be deleted. Idempotent.
   */
  forgetKeyIndex(input: { bucket: BucketAddress; what: 'search' | 'all' }): {
    readonly isDone: boolean;
  };
};
