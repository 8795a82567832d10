// What the actions of a job have in common: what they may use, what they give back,
// and how they find a new key. Called by key-actions.ts and copy-actions.ts.

import type { KeyAction, KeyOutcome } from '../../domain/keys/key-jobs.ts';
import type { BucketRef, ObjectKey, VersionId } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import type { PackSlots } from '../objects/pack-slots.ts';
import { readCurrent, type StoredVersion } from '../objects/stored-versions.ts';

export type ActionOfKind<Kind extends KeyAction['kind']> = Extract<KeyAction, { kind: Kind }>;

export type ActionContext = {
  readonly n: number;
  readonly bucket: BucketRef;
  readonly nowMs: number;
  /** Rows that may still be removed in this commit. */
  readonly room: { rows: number };
  /** Places for bodies that stand inline. */
  readonly slots: PackSlots;
};

/** The result of an action, and what is needed to take it back. */
export type ActionResult = {
  readonly outcome: KeyOutcome;
  readonly sizeBytes: number;
  readonly versionId: VersionId | null;
  readonly markerId: VersionId | null;
  /** The new key of a moved or copied object; else null. */
  readonly toKey: ObjectKey | null;
  /** What taking it back needs besides; null: nothing. */
  readonly detail: string | null;
};

const NO_RESULT = { sizeBytes: 0, versionId: null, markerId: null, toKey: null, detail: null };
/** An action that changed nothing. */
export const failed = (outcome: KeyOutcome): ActionResult => ({ ...NO_RESULT, outcome });
/** An action that was done, with what is known of it. */
export const done = (facts: Partial<ActionResult>): ActionResult => ({
  ...NO_RESULT,
  ...facts,
  outcome: 'done',
});

export type ActionTarget = {
  readonly toKey: ObjectKey;
  /** The stored version that `toKey` has now. */
  readonly replaced: StoredVersion | null;
};

/** The first key that is free or may be taken; null: there is none. */
export function findTarget(
  sql: Sql,
  n: number,
  { toKeys, mayReplace }: ActionOfKind<'move' | 'copy'>,
): ActionTarget | null {
  for (const toKey of toKeys) {
    const replaced = readCurrent(sql, n, toKey);
    if (replaced === null || mayReplace) return { toKey, replaced };
  }
  return null;
}
