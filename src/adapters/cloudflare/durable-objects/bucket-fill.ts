// Sends a small bucket whole to the colos that read it much: each reply to a look-up
// brings some pages that nobody asked for, in the order of their keys. So a colo
// calls the bucket's object a few times, and not once for each of its pages.
// reader-feed.ts asks it.
import { LRUCache } from 'lru-cache';
import type { BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import { justAfter } from '../../../index/keys/key-order.ts';
import { hasMoreObjects } from '../../../index/objects/neighbours.ts';
import type { Sql } from '../../../ports/sql.ts';
import type { Clock } from '../../../ports/system.ts';
import { coversKey, type PointerPage, sizeOfPage } from '../pointers/pointer-page.ts';

/** Objects of a bucket that colos may have all of. */
const OBJECTS_MAX = 8192;
/** Pages of one reply, none begun after so many bytes. */
const PAGES_MAX = 8;
const BYTES_MAX = 1024 * 1024;

/**
 * Pages that are kept for the next colo, since reading eight takes the object 4 to 8 ms
 * and sending them 1 to 2 (measured 2026-11 in Node, on a busy machine). Bytes of all,
 * and for how long they are kept, milliseconds.
 */
const CACHE_MAX_BYTES = 16 * 1024 * 1024;
const CACHE_TTL_MS = 600_000;

/** `filledTo`: see FeedNews. */
export type Fill = {
  readonly filledTo: ObjectKey | null;
  readonly pages: readonly PointerPage[];
};

export type PageReader = {
  readonly readPage: (key: ObjectKey) => PointerPage;
  /** Whether the bucket still has what the page says, and the feed proves it. */
  readonly isCurrent: (page: PointerPage) => boolean;
};

export type BucketFill = {
  /** Gives the pages from a key on for one reply. Cost: rows of up to 512 objects. */
  read(bucket: BucketRecord, from: ObjectKey | null, reader: PageReader): Fill;
  /** The page of a key, which begins at `start` if it is kept. Cost: as `readPage`. */
  readPage(start: ObjectKey, key: ObjectKey, reader: PageReader): PointerPage;
};

export function createBucketFill(sql: Sql, clock: Clock): BucketFill {
  const sized = { maxSize: CACHE_MAX_BYTES, sizeCalculation: sizeOfPage };
  const cache = new LRUCache<ObjectKey, PointerPage>(sized);
  /** Whether the bucket is small, or was when that was looked up; null: not yet. */
  let isSmall: boolean | null = null;

  function readCached(
    start: ObjectKey,
    key: ObjectKey,
    { readPage, isCurrent }: PageReader,
  ): PointerPage {
    const known = cache.get(start);
    const isYoung = known !== undefined && clock.nowMs() - known.readAtMs < CACHE_TTL_MS;
    if (isYoung && coversKey(known, key) && isCurrent(known)) return known;
    const page = readPage(key);
    // A page of nothing but that key helps nobody else.
    if (page.to !== justAfter(page.from)) cache.set(page.from, page);
    return page;
  }

  function read(bucket: BucketRecord, from: ObjectKey | null, reader: PageReader): Fill {
    isSmall ??= !hasMoreObjects(sql, bucket.name, OBJECTS_MAX);
    const pages: PointerPage[] = [];
    let next = isSmall ? from : null;
    let sizeBytes = 0;
    while (next !== null && pages.length < PAGES_MAX && sizeBytes < BYTES_MAX) {
      const page = readCached(next, next, reader);
      pages.push(page);
      sizeBytes += sizeOfPage(page);
      // A page of nothing but that key: no more may be cut.
      next = page.to === justAfter(next) ? null : (page.to as ObjectKey | null);
    }
    return { filledTo: next, pages };
  }

  return { read, readPage: readCached };
}
