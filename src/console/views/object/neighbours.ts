// The objects beside one in its folder, in the folder's order, so that the arrows
// walk them. Pages of the listing are read until the object is found, within bounds.
import type { Answer } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { keyOf } from '../browse/list/row-list.ts';
import { bytesUrl } from '../viewers/bytes.ts';
import { kindOf } from '../viewers/kinds.ts';

type Sort = 'name' | 'size' | 'modified';
type Listing = Answer<'GET /buckets/{bucket}/objects'>;

/** Names of one page of the listing: the most that the API gives. */
const PAGE_LENGTH = 1000;
/** Pages that are looked through: what sorts by size or date has no more than 10,000. */
const PAGES_MAX = 10;
/** Pictures above this are not loaded before they are shown, bytes. */
const PRELOADED_MAX_BYTES = 10_000_000;

export type Neighbours = {
  /** Position in the folder, from 1; null: not found within the bounds. */
  readonly position: number | null;
  /** Objects of the folder, without the folders in it. */
  readonly total: number | null;
  readonly previous: string | null;
  readonly next: string | null;
};

/** The folder of a key: `2026/` of `2026/a.jpg`. */
export const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);

/** Parses an order such as `-size` for the listing. */
export function sortOf(text: string | null): { sort: Sort; order: 'asc' | 'desc' } {
  const isDown = text?.startsWith('-') ?? false;
  const name = isDown ? text?.slice(1) : text;
  const sort = name === 'size' || name === 'modified' ? name : 'name';
  return { sort, order: isDown ? 'desc' : 'asc' };
}

type Keys = {
  readonly keys: readonly string[];
  /** Entries of the folder before the first of the keys; null: not counted yet. */
  readonly before: number | null;
  readonly total: number | null;
};

/**
 * The neighbours of an object. The first page of its folder is read once for the
 * whole walk; what lies behind it is found by its name.
 */
export function useNeighbours(bucket: string, key: string, sort: string | null): Neighbours {
  const prefix = folderOf(key);
  const name = `folder ${bucket} ${prefix} keys ${sort ?? ''}`;
  const first = useQuery(name, (signal) => readFirst(bucket, prefix, key, sort, signal)).data.value;
  const isMissing = first !== null && !isAmong(first, key);
  const around = useQuery(isMissing ? `${name} around ${key}` : null, (signal) =>
    readAround(bucket, key, sort, signal),
  );
  const found = isMissing ? around.data.value : first;
  const index = found?.keys.indexOf(key) ?? -1;
  if (found === null || index === -1) {
    return { position: null, total: null, previous: null, next: null };
  }
  return {
    position: found.before === null ? null : found.before + index + 1,
    total: found.total,
    previous: found.keys[index - 1] ?? null,
    next: found.keys[index + 1] ?? null,
  };
}

/** Whether the key is there with its next neighbour, or as the last of all. */
function isAmong({ keys, total }: Keys, key: string): boolean {
  const index = keys.indexOf(key);
  return index !== -1 && (index < keys.length - 1 || total !== null);
}

type Asked = { readonly cursor: string } | { readonly from: string } | { readonly at: number };

const list = (
  bucket: string,
  prefix: string,
  sort: string | null,
  limit: number,
  asked: Asked | null,
  signal: AbortSignal,
): Promise<Listing> =>
  client.request('GET /buckets/{bucket}/objects', {
    path: { bucket },
    query: { prefix, delimiter: '/', limit, ...sortOf(sort), ...asked },
    signal,
  });

/** Keys of objects; the folder's own is no neighbour of what is in it. */
const objectsOf = ({ items }: Listing): string[] =>
  items
    .filter((entry) => entry.kind === 'object' && !entry.key.endsWith('/'))
    .map((entry) => keyOf(entry));

/** The folder from its start, as far as it takes to find the object. */
async function readFirst(
  bucket: string,
  prefix: string,
  wanted: string,
  sort: string | null,
  signal: AbortSignal,
): Promise<Keys> {
  const keys: string[] = [];
  let cursor: string | null = null;
  // By name the object is found without reading all before it.
  const pages = sortOf(sort).sort === 'name' ? 1 : PAGES_MAX;
  for (let page = 0; page < pages; page++) {
    const asked = cursor === null ? null : { cursor };
    const listing: Listing = await list(bucket, prefix, sort, PAGE_LENGTH, asked, signal);
    keys.push(...objectsOf(listing));
    cursor = listing.nextCursor;
    if (cursor === null) return { keys, before: 0, total: listing.isComplete ? keys.length : null };
    // One more than the object itself, so that its next neighbour is known too.
    const index = keys.indexOf(wanted);
    if (index !== -1 && index < keys.length - 1) break;
  }
  return { keys, before: 0, total: null };
}

/** Entries before and after an object that is sought by its name. */
const AROUND_LENGTH = 20;

/** The entries around an object of a large folder, by its rank in it. */
async function readAround(
  bucket: string,
  key: string,
  sort: string | null,
  signal: AbortSignal,
): Promise<Keys> {
  const prefix = folderOf(key);
  if (sortOf(sort).sort !== 'name') return { keys: [], before: 0, total: null };
  const behind = await list(bucket, prefix, sort, AROUND_LENGTH, { from: key }, signal);
  const total = behind.totalIsExact ? behind.total : null;
  // Where the folder is still being counted, what comes after is known all the same.
  if (behind.rank === null) return { keys: objectsOf(behind), before: null, total: null };
  const at = Math.max(0, behind.rank - AROUND_LENGTH);
  if (at === behind.rank) return { keys: objectsOf(behind), before: at, total };
  const window = await list(bucket, prefix, sort, 2 * AROUND_LENGTH, { at }, signal);
  const folders = window.items.findIndex((entry) => entry.kind === 'object');
  return { keys: objectsOf(window), before: at + Math.max(0, folders), total };
}

/** Asks for what a neighbour needs before it is shown: its URL, and a picture's bytes. */
export async function preload(bucket: string, key: string): Promise<void> {
  if (kindOf(key, null) !== 'image') return;
  try {
    const detail = await client.request('GET /buckets/{bucket}/object', {
      path: { bucket },
      query: { key },
    });
    if (Number(detail.size) > PRELOADED_MAX_BYTES) return;
    new Image().src = await bytesUrl({ bucket, key, versionId: detail.versionId });
  } catch {
    // It is read again, with its error, when it is shown.
  }
}
