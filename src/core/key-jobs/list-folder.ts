// One folder as a console shows it: the keys directly below a prefix, by key, size,
// date or type. By key it is a page of a listing, at any size, and can begin at a
// rank or a name; any other order is sort-folder.ts's.
import { StorageError } from '../../domain/errors.ts';
import type { ObjectSummary } from '../../domain/nouns.ts';
import type { LevelPage, LevelSort, LevelStart } from '../../ports/index-calls/level-calls.ts';
import type { Core } from '../core.ts';
import { LIST_MAX_KEYS } from '../limits.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { seekFolder } from './seek-folder.ts';
import { sortFolder } from './sort-folder.ts';
import {
  cutPage,
  type PageEnd,
  type PageInput,
  type PagePosition,
  SORT_MAX_KEYS,
} from './sorted-page.ts';

export type FolderEntry =
  | { readonly kind: 'folder'; readonly prefix: string }
  | { readonly kind: 'object'; readonly object: ObjectSummary };

export type FolderPage = PageEnd & PagePosition & { readonly entries: readonly FolderEntry[] };

export type FolderInput = PageInput & {
  /**
   * The delimiter of folders; '' lists everything below the prefix, at any depth.
   */
  readonly delimiter: string;
  readonly sort: FolderSort;
  /**
   * Where the page begins, in place of a cursor: at a rank, or with the first row at
   * or behind a name, which only a folder sorted by name knows.
   */
  readonly start: FolderStart | null;
  /** Called before each slice of a sort; TooManyRequests where an account sorts too much. */
  readonly countSlice?: () => void;
};

export type FolderSort = 'name' | LevelSort;
export type FolderStart = { readonly at: number } | { readonly from: string };

const UNCOUNTED: PagePosition = { total: null, totalIsExact: false, rank: null };

/**
 * Lists a folder. InvalidInput: `at` too far behind in an order that has no ranks. Cost:
 * one index read; that of `seekFolder` for a seek and for names in descending order;
 * that of `sortFolder` in another order.
 */
export async function listFolder(
  core: Core,
  bucket: BucketHandle,
  input: FolderInput,
): Promise<FolderPage> {
  const { sort, isDescending, start } = input;
  if (sort !== 'name') return listSorted(bucket, { ...input, sort });
  if (isDescending) return listDescending(core, bucket, input);
  if (start === null) return listAfter(bucket, input);

  const levelStart: LevelStart =
    'at' in start
      ? { by: 'rank', rank: start.at, isFromEnd: false }
      : { by: 'name', name: start.from };
  const page = await seekFolder(core, bucket, { ...input, start: levelStart });
  const next = page.isTruncated ? page.lastName : null;
  return { entries: entriesOf(page), next, isComplete: true, ...positionOf(page) };
}

/** A page by name behind a cursor; it knows its place where it is the only page. */
async function listAfter(bucket: BucketHandle, input: FolderInput): Promise<FolderPage> {
  const { prefix, delimiter, limit, cursor } = input;
  const page = await bucket.call('listObjects', {
    prefix,
    delimiter,
    after: cursor,
    maxKeys: limit,
  });
  const entries = entriesOf(page);
  const isAll = cursor === '' && !page.isTruncated;
  const position = isAll ? { total: entries.length, totalIsExact: true, rank: 0 } : UNCOUNTED;
  const next = page.isTruncated ? page.lastName : null;
  return { entries, next, isComplete: true, ...position };
}

/**
 * A page by name in descending order, whose cursor is its rank from the end. A folder
 * that takes long to count shows the first 10,000 names, meanwhile.
 */
async function listDescending(
  core: Core,
  bucket: BucketHandle,
  input: FolderInput,
): Promise<FolderPage> {
  const rank = await rankFromEnd(core, bucket, input);
  const start: LevelStart = { by: 'rank', rank, isFromEnd: true };
  const page = await seekFolder(core, bucket, { ...input, start });
  if (!page.isExact) return listFirstDescending(bucket, input, rank);

  const entries = entriesOf(page).toReversed();
  const end = (page.rank ?? 0) + entries.length;
  const next = end < page.total ? `${end}` : null;
  return { entries, next, isComplete: true, ...positionOf(page) };
}

async function rankFromEnd(
  core: Core,
  bucket: BucketHandle,
  { start, cursor, ...input }: FolderInput,
): Promise<number> {
  if (start === null) return Number(cursor);
  if ('at' in start) return start.at;

  const seek = { ...input, limit: 1, start: { by: 'name', name: start.from } as const };
  const { rank, total, ...page } = await seekFolder(core, bucket, seek);
  const isThere = page.lastName === start.from;
  return Math.max(0, total - (rank ?? total) - (isThere ? 1 : 0));
}

/** A page by size, date or type; one that begins at a rank selects all before it. */
async function listSorted(
  bucket: BucketHandle,
  { start, ...input }: FolderInput & { readonly sort: LevelSort },
): Promise<FolderPage> {
  const { prefix, delimiter, limit } = input;
  const at = start !== null && 'at' in start ? start.at : 0;
  if (at + limit > SORT_MAX_KEYS) {
    throw new StorageError('InvalidInput', {
      detail: `Sorted otherwise than by name, at is up to ${SORT_MAX_KEYS} less the limit.`,
    });
  }
  const sorted = await sortFolder(bucket, { ...input, limit: at + limit });
  const folders = sorted.folders.map((folder): FolderEntry => ({ kind: 'folder', prefix: folder }));
  const entries = [...folders, ...sorted.objects.map(toEntry)].slice(at);

  const levelStart: LevelStart = { by: 'rank', rank: 0, isFromEnd: false };
  const level = { prefix, delimiter, maxKeys: 1, start: levelStart };
  const { total, isExact } = await bucket.call('listLevel', level);
  const position = { total: isExact ? total : null, totalIsExact: isExact };
  const rank = sorted.rank + at;
  return { entries, next: sorted.next, isComplete: sorted.isExact, ...position, rank };
}

/** The first names in descending order, of a folder that is not counted yet. */
async function listFirstDescending(
  bucket: BucketHandle,
  input: FolderInput,
  rank: number,
): Promise<FolderPage> {
  const { entries, isComplete } = await readAll(bucket, input.prefix, input.delimiter);
  const { page, next } = cutPage(entries.toReversed(), { ...input, cursor: `${rank}` });
  const position = { total: entries.length, totalIsExact: isComplete, rank };
  return { entries: page, next, isComplete, ...position };
}

function positionOf({ total, isExact, rank }: LevelPage): PagePosition {
  return { total, totalIsExact: isExact, rank };
}

const toEntry = (object: ObjectSummary): FolderEntry => ({ kind: 'object', object });

/**
 * Merges folders and objects of one page of the index, both in order of their keys.
 * Keys above U+FFFF may be out of order within a page.
 */
function entriesOf({
  commonPrefixes: folders,
  objects,
}: Pick<LevelPage, 'commonPrefixes' | 'objects'>): readonly FolderEntry[] {
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
    entries.push(...entriesOf(page));
    if (!page.isTruncated) return { entries, isComplete: true };
    after = page.lastName ?? '';
  }
  return { entries, isComplete: false };
}
