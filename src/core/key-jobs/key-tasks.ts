// The tasks of jobs over many keys: their checks, and the new key that a move gives
// each key. Called by those who start and run jobs. Pure.

import { StorageError } from '../../domain/errors.ts';
import type { KeyJobTask } from '../../domain/key-jobs.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import { KEY_MAX_BYTES } from '../limits.ts';
import { parseObjectKey } from '../parse-names.ts';

/** Keys that one job can list; a prefix stands for any number. */
export const TASK_MAX_KEYS = 1000;
/**
 * Keys that are tried before a key stays where it is: `a (1).txt` to `a (20).txt`.
 */
const NUMBERED_MAX = 20;

const encoder = new TextEncoder();

const invalid = (detail: string): StorageError => new StorageError('InvalidRequest', { detail });

/**
 * Checks a task and brings its keys in order, each once. InvalidRequest,
 * InvalidURI, KeyTooLongError.
 */
export function checkTask(task: KeyJobTask): KeyJobTask {
  if (task.kind === 'undo') return task;
  const { prefix, keys } = task.selection;
  requirePrefix(prefix);
  if (task.kind === 'move') {
    requirePrefix(task.to);
    if (task.to === prefix && task.toBucket === null)
      throw invalid('The names would stay the same.');
  }

  if (keys === null) return task;
  if (keys.length === 0 || keys.length > TASK_MAX_KEYS) {
    throw invalid(`List 1 to ${TASK_MAX_KEYS} keys, or give a prefix alone.`);
  }
  const sorted = [...new Set(keys.map(parseObjectKey))].sort();
  if (sorted.some((key) => !key.startsWith(prefix)))
    throw invalid('A key does not start with the prefix.');
  return { ...task, selection: { prefix, keys: sorted } };
}

function requirePrefix(prefix: string): void {
  if (!prefix.isWellFormed() || encoder.encode(prefix).length > KEY_MAX_BYTES) {
    throw invalid(`A prefix is well-formed Unicode of at most ${KEY_MAX_BYTES} bytes.`);
  }
}

type Move = Extract<KeyJobTask, { kind: 'move' }>;

/**
 * Lists the new keys that a move may give a key, the best first; none when none is
 * valid.
 */
export function newKeys({ selection, to, conflict }: Move, key: ObjectKey): readonly ObjectKey[] {
  const moved = to + key.slice(selection.prefix.length);
  const candidates = conflict === 'keep-both' ? [moved, ...numbered(moved)] : [moved];
  return candidates.flatMap((text) => asKey(text) ?? []);
}

function asKey(text: string): ObjectKey | null {
  try {
    return parseObjectKey(text);
  } catch (error) {
    if (error instanceof StorageError) return null;
    throw error;
  }
}

/**
 * Numbers a key: `folder/photo.tar.gz` becomes `folder/photo (1).tar.gz`, before
 * the first dot that does not begin the file name.
 */
function numbered(key: string): string[] {
  const nameAt = key.lastIndexOf('/') + 1;
  const dotAt = key.indexOf('.', nameAt + 1);
  const end = dotAt === -1 ? key.length : dotAt;
  return Array.from(
    { length: NUMBERED_MAX },
    (_, i) => `${key.slice(0, end)} (${i + 1})${key.slice(end)}`,
  );
}

/**
 * Finds the prefix below which keys stay, so that the job does not move what it has
 * moved there. A folder that moves into one of its own moves all but that one.
 * Null: there is no such prefix.
 */
export function stayingPrefix({ selection, to, toBucket }: Move): string | null {
  return toBucket === null && to.startsWith(selection.prefix) ? to : null;
}

/**
 * Finds the prefix below which no key may be when a folder moves up: its new key
 * would be below the old prefix. Null: the folder does not move up.
 */
export function collidingPrefix({ selection, to, toBucket }: Move): string | null {
  const { prefix } = selection;
  const isUpwards = toBucket === null && prefix.startsWith(to) && prefix !== to;
  return isUpwards ? prefix + prefix.slice(to.length) : null;
}
