// Work on many keys of a bucket that goes on page by page: renames, moves and copies,
// bulk deletions, restores, emptying the trash, and undoing these. As plain data: what
// is to be done, how far it came, and the actions of one commit. core/key-jobs
// drives it, index/key-jobs/key-jobs.ts keeps it.

import type { LinkId } from '../links/link-ids.ts';
import type {
  AccessKeyId,
  AccountId,
  BucketAddress,
  BucketId,
  BucketName,
  ObjectAttributes,
  ObjectHeaders,
  ObjectKey,
  VersionId,
} from '../nouns.ts';
import type { LockChange, ObjectLock, Tags } from '../object-facts.ts';
import type { NamePattern } from './name-pattern.ts';

/** Random, and ordered by time. */
export type KeyJobId = string;

/**
 * What a move or copy does where the new key is taken: leave the object alone, replace the
 * other, or find a free key.
 */
export type ConflictPolicy = 'refuse' | 'replace' | 'keep-both';

/**
 * The keys that a job is about: all that start with the prefix, or of these the
 * listed ones and those below the prefixes. A key is no prefix: `a/b` is one object,
 * `a/b/` all that is below it.
 */
export type KeySelection = {
  /** What all keys begin with; a move puts `to` in its place. */
  readonly prefix: string;
  /** In order, and none below `prefixes`; null: none, or they are stored apart. */
  readonly keys: readonly ObjectKey[] | null;
  /** In order, and none below another; absent: none. */
  readonly prefixes?: readonly string[];
  /** The drop link by which the objects came; absent: any object. */
  readonly dropLink?: LinkId;
  /** Listed keys that are stored apart from the job; absent: none. */
  readonly storedKeys?: number;
};

/**
 * A change of attributes as core lays it over each object: headers and metadata as
 * they are stored. What is absent stays, null takes away; null for all of metadata or
 * tags clears them.
 */
export type ObjectEdit = {
  readonly headers: Readonly<Partial<Record<keyof ObjectHeaders, string | null>>>;
  readonly metadata?: Readonly<Record<string, string | null>> | null;
  readonly tags?: Readonly<Record<string, string | null>> | null;
  readonly storageClass?: string;
  readonly lock?: EditedLock;
};

/**
 * A change of the lock of an object. `bypassGovernance`: whoever asked for it may, and
 * wants to, override GOVERNANCE.
 */
export type EditedLock = LockChange & { readonly bypassGovernance: boolean };

/** What an edit sets, and stores of before so that it can be taken back. */
export type EditedAttributes = ObjectAttributes & { readonly tags: Tags };

type Relocation<Kind> = {
  readonly kind: Kind;
  readonly selection: KeySelection;
  readonly to: string;
  readonly toBucket: BucketName | null;
  /**
   * The incarnation of that bucket which the starter was allowed to write to;
   * startKeyJob sets it.
   */
  readonly toBucketId?: BucketId;
  readonly conflict: ConflictPolicy;
};

export type KeyJobTask =
  /** The prefix of each key becomes `to`; in another bucket where one is named. */
  | Relocation<'move'>
  /** Each object gets a copy under the key that a move would give it. */
  | Relocation<'copy'>
  /** Gives objects the file names that a pattern makes; decided when it starts. */
  | {
      readonly kind: 'rename';
      readonly selection: KeySelection;
      readonly pattern: NamePattern;
      readonly conflict: ConflictPolicy;
    }
  /** Changes headers, metadata, tags, storage class or lock; no byte moves. */
  | { readonly kind: 'edit'; readonly selection: KeySelection; readonly change: ObjectEdit }
  /**
   * Removes every version of all keys, current ones too, for good. Only of a whole
   * bucket.
   */
  | { readonly kind: 'erase'; readonly selection: KeySelection }
  /** Deletes current objects: into the trash where the bucket keeps versions. */
  | { readonly kind: 'delete'; readonly selection: KeySelection }
  /**
   * Brings back what is deleted: the newest version of each key that a delete
   * marker hides.
   */
  | { readonly kind: 'restore'; readonly selection: KeySelection }
  /** Removes every version of keys that a delete marker hides, for good. */
  | { readonly kind: 'purge'; readonly selection: KeySelection }
  /** Takes back what another job did, the last first. */
  | {
      readonly kind: 'undo';
      readonly jobId: KeyJobId;
      readonly toBucket: BucketName | null;
      readonly toBucketId?: BucketId;
      /** Whether retentions in GOVERNANCE mode that the job set are overridden. */
      readonly bypassGovernance?: boolean;
    };

/** How many keys met which end; `bytes`: of those done. */
export type KeyJobCounts = {
  readonly done: number;
  readonly bytes: number;
  /** Gone, or changed, before the job came to them. */
  readonly missing: number;
  /** The new key was taken or none, or the object can't be changed so. */
  readonly conflicts: number;
  /** Protected by a retention or a legal hold. */
  readonly locked: number;
};
export const NO_KEY_COUNTS: KeyJobCounts = {
  done: 0,
  bytes: 0,
  missing: 0,
  conflicts: 0,
  locked: 0,
};

export type KeyJobState = 'running' | 'done' | 'cancelled' | 'failed';

/** Who started a job, besides the account. */
export type KeyJobStarter = {
  readonly memberId: string | null;
  readonly accessKeyId: AccessKeyId | null;
};

export type KeyJob = {
  readonly id: KeyJobId;
  readonly task: KeyJobTask;
  readonly state: KeyJobState;
  /** Grows with each commit; a step that was planned on another is refused. */
  readonly revision: number;
  /**
   * The cursor of the job: `after` is the last key that is done; for a list of keys
   * and an undo, `at` is the position in it.
   */
  readonly after: string;
  readonly at: number;
  readonly counts: KeyJobCounts;
  /** How many keys there were when it began; null where nobody counted. */
  readonly total: number | null;
  /** How many bytes these had; null or absent: nobody counted. */
  readonly totalBytes?: number | null;
  readonly startedBy: AccountId;
  /** The member and access key that started it; absent: nobody noted them. */
  readonly startedVia?: KeyJobStarter;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  /** Whether all that it did can be taken back as yet. */
  readonly canUndo: boolean;
  /** What an operator or owner should know of a job that failed. */
  readonly failure: string | null;
};

/** A job without its selection and its cursor: what lists of jobs show. */
export type KeyJobSummary = Pick<
  KeyJob,
  | 'id'
  | 'state'
  | 'counts'
  | 'total'
  | 'totalBytes'
  | 'startedBy'
  | 'startedVia'
  | 'startedAtMs'
  | 'updatedAtMs'
  | 'canUndo'
  | 'failure'
> & {
  readonly kind: KeyJobTask['kind'];
  /** Listed keys and prefixes of the selection; both 0: all below `prefix`. */
  readonly listed: { readonly keys: number; readonly prefixes: number };
  /** What the selected keys begin with; null: it undoes another job. */
  readonly prefix: string | null;
  readonly to: string | null;
  readonly toBucket: BucketName | null;
  /** The job that it undoes. */
  readonly undoes: KeyJobId | null;
};

export type RelocationTask = Relocation<'move'> | Relocation<'copy'>;

/** Whether a task gives objects, or copies of them, other keys. */
export function isRelocation(task: KeyJobTask): task is RelocationTask {
  return task.kind === 'move' || task.kind === 'copy';
}

/** How many keys a selection lists. */
export function listedKeys({ keys, storedKeys }: KeySelection): number {
  return keys?.length ?? storedKeys ?? 0;
}

/** Summarizes a job. */
export function summarizeKeyJob(job: KeyJob): KeyJobSummary {
  const { task, revision: _revision, after: _after, at: _at, ...facts } = job;
  const selection = task.kind === 'undo' ? null : task.selection;
  return {
    ...facts,
    kind: task.kind,
    prefix: selection?.prefix ?? null,
    listed: {
      keys: selection === null ? 0 : listedKeys(selection),
      prefixes: selection?.prefixes?.length ?? 0,
    },
    to: isRelocation(task) ? task.to : null,
    toBucket: isRelocation(task) ? task.toBucket : null,
    undoes: task.kind === 'undo' ? task.jobId : null,
  };
}

/** A job with its bucket, as the directory notes it for the account. */
export type AccountJob = { readonly bucket: BucketAddress; readonly job: KeyJobSummary };

/** What a job did to one key, stored so that it can be taken back. */
export type KeyJobItem = {
  readonly at: number;
  readonly kind: 'moved' | 'hidden' | 'copied' | 'edited';
  readonly key: ObjectKey;
  /** The new key of a moved or copied object; else null. */
  readonly toKey: ObjectKey | null;
  /** The version at the new key, or the delete marker of a deletion. */
  readonly versionId: VersionId;
  /** The marker that a move left behind; null where there is none. */
  readonly markerId: VersionId | null;
  /** JSON of EditedItem where it was edited; else null. */
  readonly detail: string | null;
};

/** What an edit found at a key, and the tags it left there. */
export type EditedItem = {
  readonly before: EditedAttributes;
  readonly tags: Tags;
  /** The lock that it found and the one that it left; absent: it was to change none. */
  readonly lock?: { readonly before: ObjectLock | null; readonly after: ObjectLock | null };
};

/** A key that a job lists; `toKey`: the new key that it was given, else null. */
export type ListedKey = { readonly key: ObjectKey; readonly toKey: ObjectKey | null };

/** A key that a job left as it was, and why. */
export type KeyJobFailure = {
  readonly key: ObjectKey;
  readonly reason: 'missing' | 'conflict' | 'locked' | 'invalid';
};

/** One thing to do, with the ids that new rows shall have. */
export type KeyAction =
  | {
      readonly kind: 'move';
      readonly key: ObjectKey;
      /** The first of them that is free; at least one. */
      readonly toKeys: readonly ObjectKey[];
      readonly versionId: VersionId;
      readonly markerId: VersionId;
      /** Whether the first is taken even where another object has it. */
      readonly mayReplace: boolean;
    }
  /** Takes back a move, if its version is still the current one of the new key. */
  | {
      readonly kind: 'unmove';
      readonly key: ObjectKey;
      readonly toKey: ObjectKey;
      readonly movedId: VersionId;
      readonly leftMarkerId: VersionId | null;
      readonly versionId: VersionId;
      readonly markerId: VersionId;
    }
  /** Makes a copy at another key: with all that it had but its grants and its lock. */
  | {
      readonly kind: 'copy';
      readonly key: ObjectKey;
      readonly toKeys: readonly ObjectKey[];
      readonly versionId: VersionId;
      readonly mayReplace: boolean;
    }
  /** Takes back a copy, if it is still the current version of its key. */
  | { readonly kind: 'uncopy'; readonly key: ObjectKey; readonly copyId: VersionId }
  /** Changes nothing here: a copy was made in another bucket. */
  | {
      readonly kind: 'record';
      readonly key: ObjectKey;
      readonly toKey: ObjectKey;
      readonly versionId: VersionId;
      readonly sizeBytes: number;
    }
  /** Deletes the current object, with an id only that one. */
  | {
      readonly kind: 'hide';
      readonly key: ObjectKey;
      readonly markerId: VersionId;
      readonly onlyVersionId: VersionId | null;
      /** What the copy elsewhere became, if there is one. */
      readonly movedTo: { readonly key: ObjectKey; readonly versionId: VersionId } | null;
    }
  /**
   * Removes the delete markers that hide the key; with an id only if that one is
   * the newest.
   */
  | { readonly kind: 'unhide'; readonly key: ObjectKey; readonly onlyMarkerId: VersionId | null }
  | { readonly kind: 'purge'; readonly key: ObjectKey }
  /** Removes all versions of a key, the current one last. */
  | { readonly kind: 'erase'; readonly key: ObjectKey }
  /**
   * Gives the current object these attributes, if it is that version still and, with
   * `onlyTags` or `onlyLock`, still has those. Tags and lock change where they stand; all
   * else makes a new version, which gets the lock that is set here as a write would.
   */
  | {
      readonly kind: 'edit';
      readonly key: ObjectKey;
      readonly onlyVersionId: VersionId;
      readonly onlyTags: Tags | null;
      readonly versionId: VersionId;
      readonly attributes: EditedAttributes;
      readonly lock?: EditedLock;
      readonly onlyLock?: ObjectLock | null;
    };

/** `more`: some of it is done, and the same action goes on. */
export type KeyOutcome = 'done' | 'missing' | 'conflict' | 'locked' | 'more';

/**
 * Keys of one step, and so actions of one commit: some 20 ms of the index's time.
 */
export const KEY_STEP_MAX = 500;
/**
 * Things that a job remembers to be able to undo; one that did more can't be
 * undone.
 */
export const UNDO_MAX_ITEMS = 50_000;
/** Keys that a job left and that are stored with their reason, the first. */
export const KEY_FAILURES_STORED = 100;
/** Jobs that a bucket remembers, the newest; those that run among them. */
export const KEY_JOBS_STORED = 100;
/** Jobs of one bucket that run at once. */
export const KEY_JOBS_RUNNING_MAX = 10;
/** Jobs that can be undone of one bucket: the newest. */
export const UNDOABLE_JOBS = 5;
/** Jobs that the directory notes of one account, the newest: 1 KB each. */
export const ACCOUNT_JOBS_STORED = 1000;
