// Search by a part of the name, and the care for the index behind it. Small buckets are looked
// through; a larger one gets a search index at its first search, made behind the answers, and loses
// it when nobody has searched for a month.

import { StorageError } from '../../domain/errors.ts';
import { foldName, type KeyMatches, SEARCH_MIN_INDEXED } from '../../domain/key-aids.ts';
import type { BucketAddress, ObjectSummary } from '../../domain/nouns.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import { openBucket } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';

/** Noted changes from which they are taken in behind a search. */
const CHANGES_TO_TAKE_IN = 200;
/** Without a search for so long the search index goes. */
const UNSEARCHED_MS = 30 * DAY_MS;
/** An index that moved on so lately has somebody who drives it, milliseconds. */
const DRIVEN_MS = 3000;
/** Steps of care in one sweep and bucket. */
const MAINTENANCE_STEPS_MAX = 1000;
const NEEDLE_MAX_LENGTH = 255;

export type SearchInput = {
  readonly prefix: string;
  readonly needle: string;
  readonly limit: number;
  /** Where a look at names goes on; null begins. */
  readonly after: string | null;
};

/**
 * Objects below the prefix whose key has the text behind it, without regard to case and accents, by
 * key; at most 1,000. InvalidRequest. Cost: one index read of 20 ms at most; a first search of a
 * large bucket begins its search index.
 */
export async function searchKeys(
  core: Core,
  bucket: BucketHandle,
  input: SearchInput,
): Promise<KeyMatches> {
  const folded = foldName(input.needle);
  if (folded === '' || input.needle.length > NEEDLE_MAX_LENGTH || input.needle.includes('\0')) {
    throw new StorageError('InvalidRequest', {
      detail: `Search for 1 to ${NEEDLE_MAX_LENGTH} characters.`,
    });
  }
  const found = await bucket.call('searchKeys', input);
  const idleMs = core.ports.clock.nowMs() - found.searchedAtMs;
  const wantsIndex = found.state !== 'ready' && found.nextAfter !== null && isIndexable(folded);
  const hasNews =
    found.state === 'ready' && (found.pending >= CHANGES_TO_TAKE_IN || idleMs > DAY_MS);
  if ((wantsIndex || hasNews) && idleMs > DRIVEN_MS)
    core.ports.background.run('index-names', () => indexAll(core, bucket));
  return found;
}

function isIndexable(folded: string): boolean {
  return Array.from(folded).length >= SEARCH_MIN_INDEXED;
}

/** Makes the search index, or takes in what changed, step by step: others can write in between. */
async function indexAll(core: Core, bucket: BucketHandle): Promise<void> {
  for (;;) {
    const { isDone } = await bucket.call('indexNames', { nowMs: core.ports.clock.nowMs() });
    if (isDone) return;
  }
}

/** For the sweep: takes in what changed, or forgets an index that nobody searches. */
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
      ? await core.ports.metadataIndex.call(address.name, 'forgetNames', {
          bucket: address,
          what: 'search',
        })
      : await bucket.call('indexNames', { nowMs: searchedAtMs });
    if (isDone) return;
  }
}

export type KeySort = 'name' | 'size' | 'modified';

/** Sorts what was found; equals stand by name. */
export function sortObjects(
  objects: readonly ObjectSummary[],
  by: KeySort,
  isDescending: boolean,
): readonly ObjectSummary[] {
  const sign = isDescending ? -1 : 1;
  // They come by name, and sort() keeps the order of equals.
  if (by === 'name') return isDescending ? objects.toReversed() : objects;
  const value = (object: ObjectSummary) =>
    by === 'size' ? object.sizeBytes : object.lastModifiedMs;
  return objects.toSorted((a, b) => sign * (value(a) - value(b)));
}
