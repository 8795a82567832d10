// One folder as a console shows it: the keys directly below a prefix, by key, size
// or date. By key, ascending, it is a page of a listing, at any size. Any other
// order needs all keys: so many are read and sorted, and the response says when
// there were more.
import type { ObjectSummary } from '../../domain/nouns.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import { LIST_MAX_KEYS } from '../limits.ts';
import { type KeySort, sortObjects } from './search-keys.ts';
import { cutPage, type PageEnd, type PageInput, SORT_MAX_KEYS } from './sorted-page.ts';

export type FolderEntry =
  | { readonly kind: 'folder'; readonly prefix: string }
  | { readonly kind: 'object'; readonly object: ObjectSummary };

export type FolderPage = PageEnd & { readonly entries: readonly FolderEntry[] };

export type FolderInput = PageInput & {
  /**
   * The delimiter of folders; '' lists everything below the prefix, at any depth.
   */
  readonly delimiter: string;
  readonly sort: KeySort;
};

/**
 * Lists a folder. Cost: one index read; at most ten when it is sorted otherwise
 * than by key.
 */
export async function listFolder(bucket: BucketHandle, input: FolderInput): Promise<FolderPage> {
  const { prefix, delimiter, sort, isDescending, limit, cursor } = input;
  if (sort === 'name' && !isDescending) {
    const page = await bucket.call('listObjects', {
      prefix,
      delimiter,
      after: cursor,
      maxKeys: limit,
    });
    const entries = mergeByKey(page.commonPrefixes, page.objects);
    return { entries, next: page.isTruncated ? page.lastName : null, isComplete: true };
  }

  const { entries, isComplete } = await readAll(bucket, prefix, delimiter);
  const sorted = sort === 'name' ? entries.toReversed() : foldersFirst(entries, sort, isDescending);
  const { page, next } = cutPage(sorted, input);
  return { entries: page, next, isComplete };
}

/**
 * Sorts folders, which have neither size nor date, by name, and behind them the
 * objects.
 */
function foldersFirst(
  entries: readonly FolderEntry[],
  sort: KeySort,
  isDescending: boolean,
): readonly FolderEntry[] {
  const folders = entries.filter(({ kind }) => kind === 'folder');
  const objects = entries.flatMap((entry) => (entry.kind === 'object' ? [entry.object] : []));
  return [...folders, ...sortObjects(objects, sort, isDescending).map(toEntry)];
}

const toEntry = (object: ObjectSummary): FolderEntry => ({ kind: 'object', object });

/**
 * Merges folders and objects of one page of the index, both in order of their keys.
 * Keys above U+FFFF may be out of order within a page.
 */
function mergeByKey(
  folders: readonly string[],
  objects: readonly ObjectSummary[],
): readonly FolderEntry[] {
  const entries: FolderEntry[] = [];
  let at = 0;
  for (const prefix of folders) {
    for (let next = objects[at]; next !== undefined && next.key < prefix; next = objects[++at]) {
      entries.push(toEntry(next));
    }
    entries.push({ kind: 'folder', prefix });
  }
  return [...entries, ...objects.slice(at).map(toEntry)];
}

async function readAll(bucket: BucketHandle, prefix: string, delimiter: string) {
  const entries: FolderEntry[] = [];
  for (let after = ''; entries.length < SORT_MAX_KEYS; ) {
    const page = await bucket.call('listObjects', {
      prefix,
      delimiter,
      after,
      maxKeys: LIST_MAX_KEYS,
    });
    entries.push(...mergeByKey(page.commonPrefixes, page.objects));
    if (!page.isTruncated) return { entries, isComplete: true };
    after = page.lastName ?? '';
  }
  return { entries, isComplete: false };
}
