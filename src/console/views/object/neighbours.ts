// The objects beside one in its folder, in the folder's order, so that the arrows
// walk them. Pages of the listing are read until the object is found, within bounds.
import type { Answer } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
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

/** Reads `-size` as the listing wants it. */
export function sortOf(text: string | null): { sort: Sort; order: 'asc' | 'desc' } {
  const isDown = text?.startsWith('-') ?? false;
  const name = isDown ? text?.slice(1) : text;
  const sort = name === 'size' || name === 'modified' ? name : 'name';
  return { sort, order: isDown ? 'desc' : 'asc' };
}

/** The neighbours of an object; kept for the whole folder, so that a walk reads once. */
export function useNeighbours(bucket: string, key: string, sort: string | null): Neighbours {
  const prefix = folderOf(key);
  const list = useQuery(`folder ${bucket} ${prefix} keys ${sort ?? ''}`, (signal) =>
    readKeys(bucket, prefix, key, sort, signal),
  );
  const keys = list.data.value;
  const index = keys?.keys.indexOf(key) ?? -1;
  if (keys === null || index === -1) {
    return { position: null, total: null, previous: null, next: null };
  }
  return {
    position: index + 1,
    total: keys.isWhole ? keys.keys.length : null,
    previous: keys.keys[index - 1] ?? null,
    next: keys.keys[index + 1] ?? null,
  };
}

async function readKeys(
  bucket: string,
  prefix: string,
  wanted: string,
  sort: string | null,
  signal: AbortSignal,
): Promise<{ keys: readonly string[]; isWhole: boolean }> {
  const keys: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const listing: Listing = await client.request('GET /buckets/{bucket}/objects', {
      path: { bucket },
      query: {
        prefix,
        delimiter: '/',
        limit: PAGE_LENGTH,
        ...sortOf(sort),
        ...(cursor === null ? {} : { cursor }),
      },
      signal,
    });
    for (const entry of listing.items) if (entry.kind === 'object') keys.push(entry.key);
    cursor = listing.nextCursor;
    if (cursor === null) return { keys, isWhole: listing.isComplete };
    // One more than the object itself, so that its next neighbour is known too.
    const index = keys.indexOf(wanted);
    if (index !== -1 && index < keys.length - 1) return { keys, isWhole: false };
  }
  return { keys, isWhole: false };
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
