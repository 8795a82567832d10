// What may be asked of a job over many keys, and which name each key gets. Pure.

import { StorageError } from '../../domain/errors.ts';
import type { KeyJobTask } from '../../domain/key-jobs.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import { KEY_MAX_BYTES } from '../limits.ts';
import { parseObjectKey } from '../parse-names.ts';

/** Keys that one job can list by name; a prefix stands for any number. */
export const TASK_MAX_KEYS = 1000;
/** Names that are tried before a key stays where it is: `a (1).txt` to `a (20).txt`. */
const NUMBERED_MAX = 20;

const encoder = new TextEncoder();

const invalid = (detail: string): StorageError => new StorageError('InvalidRequest', { detail });

/** A task with its keys in order, each once. InvalidRequest, InvalidURI, KeyTooLongError. */
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

/** The names that a key may get, the best first; none when there is no such name. */
export function newKeys({ selection, to, conflict }: Move, key: ObjectKey): readonly ObjectKey[] {
  const name = to + key.slice(selection.prefix.length);
  const wanted = conflict === 'keep-both' ? [name, ...numbered(name)] : [name];
  return wanted.flatMap((text) => asKey(text) ?? []);
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
 * `folder/photo.tar.gz` becomes `folder/photo (1).tar.gz`: before the first dot that does not begin
 * the name.
 */
function numbered(name: string): string[] {
  const base = name.lastIndexOf('/') + 1;
  const dot = name.indexOf('.', base + 1);
  const end = dot === -1 ? name.length : dot;
  return Array.from(
    { length: NUMBERED_MAX },
    (_, at) => `${name.slice(0, end)} (${at + 1})${name.slice(end)}`,
  );
}

/**
 * Keys below this prefix stay: what is moved there must not be met, and moved, again. Null: there
 * is no such part. A folder that goes into one of its own moves all but that one.
 */
export function stayingPrefix({ selection, to, toBucket }: Move): string | null {
  return toBucket === null && to.startsWith(selection.prefix) ? to : null;
}

/**
 * The prefix below which no key may be when a folder moves up: its new name would be below the old
 * prefix.
 */
export function collidingPrefix({ selection, to, toBucket }: Move): string | null {
  const { prefix } = selection;
  const isUpwards = toBucket === null && prefix.startsWith(to) && prefix !== to;
  return isUpwards ? prefix + prefix.slice(to.length) : null;
}
