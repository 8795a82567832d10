// Which objects a rename by pattern is about, and the new key of each: decided when
// the job starts, so that a preview shows exactly what the job will do, and a renamed
// object is never met again. Called by start-key-job.ts and preview-rename.ts.

import { StorageError } from '../../domain/errors.ts';
import type { KeySelection } from '../../domain/keys/key-jobs.ts';
import { type NamePattern, renameKey, WILDCARDS_MAX } from '../../domain/keys/name-pattern.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { asKey, TASK_MAX_KEYS } from './key-tasks.ts';

/** Keys that one call of the index lists. */
const LISTED_AT_ONCE = 1000;

/** A key with its new one; null: the new name is none that a key can have. */
export type Renaming = { readonly key: ObjectKey; readonly toKey: ObjectKey | null };

/** Checks what a schema can't. InvalidRequest. */
export function checkPattern({ find, prefix, suffix, replace, counter }: NamePattern): void {
  if ((find ?? '').split('*').length - 1 > WILDCARDS_MAX)
    throw new StorageError('InvalidRequest', {
      detail: `A pattern has at most ${WILDCARDS_MAX} wildcards.`,
    });
  const texts = [find ?? '', prefix, suffix, replace, counter?.separator ?? ''];
  if (texts.some((text) => !text.isWellFormed()))
    throw new StorageError('InvalidRequest', { detail: 'A text has half a character.' });
}

/**
 * Lists the selected keys with their new ones, in the order in which they are
 * numbered; those that stay as they are count but are left out. `keys` are the listed
 * keys of the checked selection. InvalidRequest (too many). Cost: an index read for
 * each 1,000 keys below prefixes.
 */
export async function planRename(
  bucket: BucketHandle,
  { selection, pattern }: { readonly selection: KeySelection; readonly pattern: NamePattern },
  keys: readonly ObjectKey[],
): Promise<readonly Renaming[]> {
  const all = [...keys];
  const prefixes = selection.prefixes ?? (keys.length === 0 ? [selection.prefix] : []);
  for (const prefix of prefixes) {
    for (let after = ''; ; ) {
      const page = await bucket.call('listObjects', {
        prefix,
        delimiter: '',
        after,
        maxKeys: LISTED_AT_ONCE,
      });
      all.push(...page.objects.map(({ key }) => key));
      if (all.length > TASK_MAX_KEYS) throw tooMany();
      if (!page.isTruncated || page.lastName === null) break;
      after = page.lastName;
    }
  }
  return all.flatMap((key, position) => {
    const renamed = renameKey(pattern, key, position);
    return renamed === key ? [] : [{ key, toKey: renamed === null ? null : asKey(renamed) }];
  });
}

function tooMany(): StorageError {
  return new StorageError('InvalidRequest', {
    detail: `A pattern renames at most ${TASK_MAX_KEYS} objects. Select fewer.`,
  });
}

/**
 * Orders renamings so that a name is free before another object gets it: whoever has
 * it goes first. In a ring of names the first finds its new one taken.
 */
export function inFreeingOrder(renamings: readonly Renaming[]): readonly Renaming[] {
  const byKey = new Map(renamings.map((renaming) => [renaming.key, renaming]));
  const ordered = new Set<Renaming>();
  for (const renaming of renamings) {
    const chain: Renaming[] = [];
    const inChain = new Set<Renaming>();
    let next: Renaming | undefined = renaming;
    while (next !== undefined && !ordered.has(next) && !inChain.has(next)) {
      chain.push(next);
      inChain.add(next);
      next = next.toKey === null ? undefined : byKey.get(next.toKey);
    }
    for (const each of chain.reverse()) ordered.add(each);
  }
  return [...ordered];
}
