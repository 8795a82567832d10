// What a rename by pattern would do: each new name, and which of them clash. Called by
// the JSON API; the job itself decides again, when it comes to each key.

import type { KeySelection } from '../../domain/keys/key-jobs.ts';
import type { NamePattern } from '../../domain/keys/name-pattern.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { checkTask } from './key-tasks.ts';
import { checkPattern, planRename, type Renaming } from './plan-rename.ts';

/** Names that one preview shows; the first of the job. */
export const PREVIEW_MAX_NAMES = 1000;
/** Keys that the index looks up in one call. */
const LOOKED_UP_AT_ONCE = 100;

/**
 * Why a name can't be given: `taken` by an object that keeps it, `duplicate` of
 * another new name, `invalid` as a key.
 */
export type NameClash = 'taken' | 'duplicate' | 'invalid';
export type PreviewedName = Renaming & { readonly clash: NameClash | null };

export type RenamePreview = {
  /** Objects whose name changes. */
  readonly total: number;
  readonly names: readonly PreviewedName[];
};

/**
 * Previews a rename. InvalidRequest. Cost: what planRename costs, and up to ten index
 * reads for names that may be taken.
 */
export async function previewRename(
  bucket: BucketHandle,
  input: { readonly selection: KeySelection; readonly pattern: NamePattern },
): Promise<RenamePreview> {
  checkPattern(input.pattern);
  const checked = checkTask({ kind: 'rename', conflict: 'refuse', ...input });
  const selection = checked.task.kind === 'rename' ? checked.task.selection : input.selection;
  const all = await planRename(bucket, { ...input, selection }, checked.keys);

  const leaving = new Set<string>(all.map(({ key }) => key));
  const times = new Map<ObjectKey, number>();
  for (const { toKey } of all) if (toKey !== null) times.set(toKey, (times.get(toKey) ?? 0) + 1);

  const shown = all.slice(0, PREVIEW_MAX_NAMES);
  const wanted = shown.flatMap(({ toKey }) =>
    toKey === null || leaving.has(toKey) ? [] : [toKey],
  );
  const taken = await findTaken(bucket, [...new Set(wanted)]);
  const clashOf = (toKey: ObjectKey | null): NameClash | null => {
    if (toKey === null) return 'invalid';
    if ((times.get(toKey) ?? 0) > 1) return 'duplicate';
    return taken.has(toKey) ? 'taken' : null;
  };
  return {
    total: all.length,
    names: shown.map((each) => ({ ...each, clash: clashOf(each.toKey) })),
  };
}

async function findTaken(
  bucket: BucketHandle,
  keys: readonly ObjectKey[],
): Promise<ReadonlySet<ObjectKey>> {
  const taken = new Set<ObjectKey>();
  for (let at = 0; at < keys.length; at += LOOKED_UP_AT_ONCE) {
    const page = keys.slice(at, at + LOOKED_UP_AT_ONCE);
    for (const object of await bucket.call('getObjects', { keys: page }))
      if (object !== null) taken.add(object.key);
  }
  return taken;
}
