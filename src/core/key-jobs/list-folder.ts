// One folder as a console shows it: what stands directly below a prefix, by name, size or date. By
// name, ascending, it is a page of a listing, at any size. Any other order needs all of it: so many
// names are read and sorted, and the answer says when there were more.
import type { ObjectSummary } from '../../domain/nouns.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import { LIST_MAX_KEYS } from '../limits.ts';
import { type KeySort, sortObjects } from './search-keys.ts';

/** Names that are read to be sorted: ten pages of the index, some 15 ms. */
export const SORT_MAX_KEYS = 10_000;

export type FolderEntry =
  | { readonly kind: 'folder'; readonly prefix: string }
  | { readonly kind: 'object'; readonly object: ObjectSummary };

export type FolderPage = {
  readonly entries: readonly FolderEntry[];
  /** For the next page; null: this was the last. */
  readonly next: string | null;
  /** Whether all names took part in the order. */
  readonly isComplete: boolean;
};

export type FolderInput = {
  readonly prefix: string;
  /** '' shows all that is below, at any depth. */
  readonly delimiter: string;
  readonly sort: KeySort;
  readonly isDescending: boolean;
  readonly limit: number;
  /** The `next` of the page before; '' begins. */
  readonly place: string;
};

/** Cost: one index read; ten at most when it is sorted otherwise than by name. */
export async function listFolder(bucket: BucketHandle, input: FolderInput): Promise<FolderPage> {
  const { prefix, delimiter, sort, isDescending, limit, place } = input;
  if (sort === 'name' && !isDescending) {
    const page = await bucket.call('listObjects', {
      prefix,
      delimiter,
      after: place,
      maxKeys: limit,
    });
    const entries = inOrderOfNames(page.commonPrefixes, page.objects);
    return { entries, next: page.isTruncated ? page.lastName : null, isComplete: true };
  }
  const { entries, isComplete } = await readAll(bucket, prefix, delimiter);
  const sorted = sort === 'name' ? entries.toReversed() : foldersFirst(entries, sort, isDescending);
  const from = Number(place);
  const end = from + limit;
  return {
    entries: sorted.slice(from, end),
    next: end < sorted.length ? `${end}` : null,
    isComplete,
  };
}

/** Folders, which have neither size nor date, by name; then the objects. */
function foldersFirst(
  entries: readonly FolderEntry[],
  sort: KeySort,
  isDescending: boolean,
): readonly FolderEntry[] {
  const folders = entries.filter(({ kind }) => kind === 'folder');
  const objects = entries.flatMap((entry) => (entry.kind === 'object' ? [entry.object] : []));
  return [...folders, ...sortObjects(objects, sort, isDescending).map(toObject)];
}

const toObject = (object: ObjectSummary): FolderEntry => ({ kind: 'object', object });

/**
 * One page of the index as one list. Both lists come in order; names above U+FFFF may stand
 * otherwise within a page.
 */
function inOrderOfNames(
  folders: readonly string[],
  objects: readonly ObjectSummary[],
): readonly FolderEntry[] {
  const entries: FolderEntry[] = [];
  let at = 0;
  for (const prefix of folders) {
    for (let next = objects[at]; next !== undefined && next.key < prefix; next = objects[++at]) {
      entries.push(toObject(next));
    }
    entries.push({ kind: 'folder', prefix });
  }
  return [...entries, ...objects.slice(at).map(toObject)];
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
    entries.push(...inOrderOfNames(page.commonPrefixes, page.objects));
    if (!page.isTruncated) return { entries, isComplete: true };
    after = page.lastName ?? '';
  }
  return { entries, isComplete: false };
}
