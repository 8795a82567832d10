// Search by a part of the key, and maintenance of the search index. Small buckets
// are scanned. A larger one gets a search index at its first search, built in the
// background, and loses it a month after the last search.

import { StorageError } from '../../domain/errors.ts';
import { foldKey, type KeyMatches, SEARCH_MIN_INDEXED } from '../../domain/keys/key-aids.ts';
import type { BucketAddress, ObjectSummary } from '../../domain/nouns.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { openBucket } from '../opened-bucket/bucket-handle.ts';

/**
 * Pending changes from which a search starts an update of its index. Our own limit.
 */
const PENDING_MAX = 200;
/** Time without a search after which the search index is deleted, milliseconds. */
const UNSEARCHED_MS = 30 * DAY_MS;
/**
 * Time for which an index that was updated counts as being updated, milliseconds.
 */
const UPDATING_MS = 3000;
/** Steps of maintenance in one sweep of a bucket. */
const MAINTENANCE_STEPS_MAX = 1000;
/** Longest text to search for, UTF-16 units. */
const NEEDLE_MAX_LENGTH = 255;

export type SearchInput = {
  readonly prefix: string;
  readonly needle: string;
  readonly limit: number;
  /** The key after which a scan goes on; null begins. */
  readonly after: string | null;
};

/**
 * Searches for objects below the prefix whose key contains the text behind it,
 * whatever its case and accents; by key, at most 1,000. InvalidRequest. Cost: one
 * index read of 20 ms at most; a first search of a large bucket starts its search
 * index.
 */
export async function searchKeys(
  core: Core,
  bucket: BucketHandle,
  input: SearchInput,
): Promise<KeyMatches> {
  const folded = foldKey(input.needle);
  if (folded === '' || input.needle.length > NEEDLE_MAX_LENGTH || input.needle.includes('\0')) {
    throw new StorageError('InvalidRequest', {
      detail: `Search for 1 to ${NEEDLE_MAX_LENGTH} characters.`,
    });
  }
  const matches = await bucket.call('searchKeys', input);
  const idleMs = core.ports.clock.nowMs() - matches.searchedAtMs;
  const needsIndex = matches.state !== 'ready' && matches.nextAfter !== null && isIndexable(folded);
  const hasChanges =
    matches.state === 'ready' && (matches.pending >= PENDING_MAX || idleMs > DAY_MS);
  if ((needsIndex || hasChanges) && idleMs > UPDATING_MS)
    core.ports.background.run('index-names', () => indexAll(core, bucket));
  return matches;
}

function isIndexable(folded: string): boolean {
  return Array.from(folded).length >= SEARCH_MIN_INDEXED;
}

/** Builds or updates the search index in steps, between which others can write. */
async function indexAll(core: Core, bucket: BucketHandle): Promise<void> {
  for (;;) {
    const { isDone } = await bucket.call('indexKeys', { nowMs: core.ports.clock.nowMs() });
    if (isDone) return;
  }
}

/** Updates the search index for the sweep, or deletes one that nobody searches. */
export async function maintainSearchIndex(
  core: Core,
  address: BucketAddress,
  searchedAtMs: number,
  stopping: AbortSignal | null,
): Promise<void> {
  const isUnsearched = searchedAtMs < core.ports.clock.nowMs() - UNSEARCHED_MS;
  const bucket = await openBucket(core, address.name, () => undefined);
  for (let step = 0; step < MAINTENANCE_STEPS_MAX && stopping?.aborted !== true; step++) {
    const { isDone } = isUnsearched
      ? await core.ports.metadataIndex.call(address.name, 'forgetKeyIndex', {
          bucket: address,
          what: 'search',
        })
      : await bucket.call('indexKeys', { nowMs: searchedAtMs });
    if (isDone) return;
  }
}

export type KeySort = 'name' | 'size' | 'modified';

/** Sorts objects that are in order of their keys; equal ones stay in that order. */
export function sortObjects(
  objects: readonly ObjectSummary[],
  by: KeySort,
  isDescending: boolean,
): readonly ObjectSummary[] {
  const sign = isDescending ? -1 : 1;
  // sort() is stable.
  if (by === 'name') return isDescending ? objects.toReversed() : objects;
  const value = (object: ObjectSummary) =>
    by === 'size' ? object.sizeBytes : object.lastModifiedMs;
  return objects.toSorted((a, b) => sign * (value(a) - value(b)));
}
