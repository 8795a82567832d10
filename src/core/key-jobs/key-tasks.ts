// The tasks of jobs over many keys: their checks, and the new key that a move gives
// each key. Called by those who start and run jobs. Pure.

import { StorageError } from '../../domain/errors.ts';
import {
  type ConflictPolicy,
  isRelocation,
  type KeyJobTask,
  type KeySelection,
  type RelocationTask,
} from '../../domain/keys/key-jobs.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import { KEY_MAX_BYTES } from '../limits.ts';
import { parseObjectKey } from '../parse-names.ts';

/** Keys that one job can list; a prefix stands for any number. Ours. */
export const TASK_MAX_KEYS = 10_000;
/** Prefixes that one job can list. Ours. */
export const TASK_MAX_PREFIXES = 1000;
/** Bytes of them all, UTF-8: each step writes them anew with the job. Ours. */
const PREFIXES_MAX_BYTES = 64 * 1024;
/**
 * Keys that are tried before a key stays where it is: `a (1).txt` to `a (20).txt`.
 */
const NUMBERED_MAX = 20;

const encoder = new TextEncoder();

const invalid = (detail: string): StorageError => new StorageError('InvalidRequest', { detail });

/** A checked task, and apart from it the keys that it lists. */
export type CheckedTask = { readonly task: KeyJobTask; readonly keys: readonly ObjectKey[] };

/**
 * Checks a task and brings its keys and prefixes in order, each once.
 * InvalidRequest, InvalidURI, KeyTooLongError.
 */
export function checkTask(task: KeyJobTask): CheckedTask {
  if (task.kind === 'undo') return { task, keys: [] };
  const { selection, keys } = checkSelection(task.selection);
  // A rename numbers objects in the order of the request.
  if (task.kind === 'rename' && task.selection.keys !== null) {
    const listed = new Set<string>(keys);
    const inOrder = [...new Set(task.selection.keys)].filter((key) => listed.has(key));
    return { task: { ...task, selection }, keys: inOrder };
  }
  if (isRelocation(task)) requireOtherNames(task);
  return { task: { ...task, selection }, keys };
}

/** Refuses a move to where the keys are, and a copy that would meet itself there. */
function requireOtherNames({ kind, selection, to, toBucket, conflict }: RelocationTask): void {
  requirePrefix(to);
  if (to !== selection.prefix || toBucket !== null) return;
  if (kind === 'move') throw invalid('The names would stay the same.');
  if (conflict !== 'keep-both' || selection.keys === null || selection.prefixes !== undefined)
    throw invalid('Only listed keys are copied to where they are, and with keep-both.');
}

/** Checks a selection, and takes the listed keys out of it. */
function checkSelection({ prefix, keys, prefixes, dropLink }: KeySelection) {
  requirePrefix(prefix);
  if (keys !== null && (keys.length === 0 || keys.length > TASK_MAX_KEYS))
    throw invalid(`List 1 to ${TASK_MAX_KEYS} keys, or give a prefix alone.`);

  const ranges = prefixes === undefined ? null : checkPrefixes(prefix, prefixes);
  const sorted = [...new Set((keys ?? []).map(parseObjectKey))].sort();
  if (sorted.some((key) => !key.startsWith(prefix)))
    throw invalid('A key does not start with the prefix.');

  const single = withoutThoseBelow(sorted, ranges ?? []);
  const selection: KeySelection = {
    prefix,
    keys: null,
    ...(ranges === null ? {} : { prefixes: ranges }),
    ...(dropLink === undefined ? {} : { dropLink }),
    ...(single.length === 0 ? {} : { storedKeys: single.length }),
  };
  return { selection, keys: single };
}

/** Checks listed prefixes, and leaves out those below another. */
function checkPrefixes(prefix: string, prefixes: readonly string[]): readonly string[] {
  const bytes = prefixes.reduce((sum, each) => sum + encoder.encode(each).length, 0);
  if (prefixes.length === 0 || prefixes.length > TASK_MAX_PREFIXES || bytes > PREFIXES_MAX_BYTES) {
    throw invalid(
      `List 1 to ${TASK_MAX_PREFIXES} prefixes, together at most ${PREFIXES_MAX_BYTES} bytes.`,
    );
  }
  for (const each of prefixes) {
    requirePrefix(each);
    if (!each.startsWith(prefix)) throw invalid('A listed prefix does not start with the prefix.');
  }
  const sorted = [...prefixes].sort();
  const outer: string[] = [];
  for (const each of sorted) {
    const last = outer.at(-1);
    if (last === undefined || !each.startsWith(last)) outer.push(each);
  }
  return outer;
}

/** Leaves out keys below the prefixes. Both are sorted, so one pass is enough. */
function withoutThoseBelow(
  keys: readonly ObjectKey[],
  prefixes: readonly string[],
): readonly ObjectKey[] {
  let at = 0;
  return keys.filter((key) => {
    // The last prefix that is not behind the key is the only one it can be below.
    while (at + 1 < prefixes.length && (prefixes[at + 1] ?? '') <= key) at++;
    const prefix = prefixes[at];
    return prefix === undefined || !key.startsWith(prefix);
  });
}

function requirePrefix(prefix: string): void {
  if (!prefix.isWellFormed() || encoder.encode(prefix).length > KEY_MAX_BYTES) {
    throw invalid(`A prefix is well-formed Unicode of at most ${KEY_MAX_BYTES} bytes.`);
  }
}

/**
 * Lists the new keys that a move or copy may give a key, the best first; none when none is
 * valid.
 */
export function newKeys(
  { selection, to, conflict }: RelocationTask,
  key: ObjectKey,
): readonly ObjectKey[] {
  return candidatesOf(to + key.slice(selection.prefix.length), conflict);
}

/** The keys that an object may get instead of a new key that is taken, that one first. */
export function candidatesOf(newKey: string, conflict: ConflictPolicy): readonly ObjectKey[] {
  const candidates = conflict === 'keep-both' ? [newKey, ...numbered(newKey)] : [newKey];
  return candidates.flatMap((text) => asKey(text) ?? []);
}

/** The text as a key; null: it is none. */
export function asKey(text: string): ObjectKey | null {
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
export function stayingPrefix({ selection, to, toBucket }: RelocationTask): string | null {
  const isInside = to.startsWith(selection.prefix) && to !== selection.prefix;
  return toBucket === null && isInside ? to : null;
}

/**
 * Finds the prefix below which no key may be when a folder moves up: its new key
 * would be below the old prefix. Null: the folder does not move up.
 */
export function collidingPrefix({ selection, to, toBucket }: RelocationTask): string | null {
  const { prefix, dropLink } = selection;
  // Each file of a drop link is moved once, wherever it comes to.
  if (dropLink !== undefined) return null;
  const isUpwards = toBucket === null && prefix.startsWith(to) && prefix !== to;
  return isUpwards ? prefix + prefix.slice(to.length) : null;
}
