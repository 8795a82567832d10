// Sends a small bucket whole to the colos that read it much: each reply to a look-up
// brings some pages that nobody asked for, in the order of their keys. So a colo
// calls the bucket's object a few times, and not once for each of its pages.
// reader-feed.ts asks it.
import type { BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import { justAfter } from '../../../index/keys/key-order.ts';
import { hasMoreObjects } from '../../../index/objects/neighbours.ts';
import type { Sql } from '../../../ports/sql.ts';
import { type PointerPage, sizeOfPage } from '../pointers/pointer-page.ts';

/** Objects of a bucket that colos may have all of. */
const OBJECTS_MAX = 8192;
/** Pages of one reply, none begun after so many bytes. */
const PAGES_MAX = 8;
const BYTES_MAX = 1024 * 1024;

/** `filledTo`: see FeedNews. */
export type Fill = {
  readonly filledTo: ObjectKey | null;
  readonly pages: readonly PointerPage[];
};

/** Gives the pages from a key on for one reply. Cost: rows of up to 512 objects. */
export function createBucketFill(
  sql: Sql,
): (
  bucket: BucketRecord,
  from: ObjectKey | null,
  readPage: (key: ObjectKey) => PointerPage,
) => Fill {
  /** Whether the bucket is small, or was when that was looked up; null: not yet. */
  let isSmall: boolean | null = null;

  return (bucket, from, readPage) => {
    isSmall ??= !hasMoreObjects(sql, bucket.name, OBJECTS_MAX);
    const pages: PointerPage[] = [];
    let next = isSmall ? from : null;
    let sizeBytes = 0;
    while (next !== null && pages.length < PAGES_MAX && sizeBytes < BYTES_MAX) {
      const page = readPage(next);
      pages.push(page);
      sizeBytes += sizeOfPage(page);
      // A page of nothing but that key: no more may be cut.
      next = page.to === justAfter(next) ? null : (page.to as ObjectKey | null);
    }
    return { filledTo: next, pages };
  };
}
