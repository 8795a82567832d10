// Cuts the keys of a bucket into pages of neighbours, where readers ask, and reads
// them. A page begins at a cut and ends at the next one; cuts are never taken back,
// so every colo names the same pages. Lives in the bucket's Durable Object, in
// memory: a restart cuts anew. reader-feed.ts owns it.
import { compareUtf8 } from '../../../domain/keys/compare-utf8.ts';
import type { BucketName, BucketRecord, ObjectKey, ObjectVersion } from '../../../domain/nouns.ts';
import { canBePublic, toPointer } from '../../../domain/pointer.ts';
import { justAfter } from '../../../index/keys/key-order.ts';
import { readNeighbourKeys, readNeighbours } from '../../../index/objects/neighbours.ts';
import type { Sql } from '../../../ports/sql.ts';
import { countUpTo } from '../pointers/bucket-feeds.ts';
import type { PointerPage } from '../pointers/pointer-page.ts';

/** Keys of a page. */
const PAGE_MAX_KEYS = 64;
/** Bytes of inline bodies in a page, beside those of its first key. */
const PAGE_MAX_INLINE_BYTES = 64 * 1024;
/**
 * Cuts of a bucket, and their bytes: readers keep them all. Keys of a larger
 * catalogue get pages of their own.
 */
const CUTS_MAX = 2048;
const CUTS_MAX_LENGTH = 64 * 1024;

/** What stands in every page of a call. */
export type PageStamp = Pick<PointerPage, 'feedId' | 'sequence' | 'readAtMs'>;

export type PointerPages = {
  /** All cuts in the order in which they were made. */
  cuts(): readonly ObjectKey[];
  /** Where the page of a key begins, if it has been cut. */
  startOf(key: ObjectKey): ObjectKey;
  /** A page that has the key and its neighbours. Cost: up to 200 rows read. */
  readPage(bucket: BucketRecord, key: ObjectKey, stamp: PageStamp): PointerPage;
  /**
   * A page of that key alone, but where a page begins with it, whose place that would
   * take. Cost: up to three rows read, there as `readPage`.
   */
  readSingle(bucket: BucketRecord, key: ObjectKey, stamp: PageStamp): PointerPage;
  /** A page of that key alone for readers who come by a link, whoever else may read it. */
  readInvited(bucket: BucketRecord, key: ObjectKey, stamp: PageStamp): PointerPage;
};

type Range = { readonly from: ObjectKey; readonly to: string | null };

/** A page of nothing but that key. */
export function pageOfOne(
  bucket: BucketRecord,
  key: ObjectKey,
  object: ObjectVersion | null,
  stamp: PageStamp,
): PointerPage {
  const range = { from: key, to: justAfter(key) };
  return toPage(bucket, range, object === null ? [] : [object], stamp);
}

export function createPointerPages(sql: Sql, name: BucketName): PointerPages {
  const cuts: ObjectKey[] = [];
  const sorted: ObjectKey[] = [];
  /** Where pages of neighbours begin that have been read. */
  const starts = new Set<ObjectKey>();
  let length = 0;

  /** Makes a page begin there. False when there are too many. */
  function cut(key: ObjectKey): boolean {
    const at = countUpTo(sorted, key);
    if (sorted[at - 1] === key) return true;
    if (cuts.length >= CUTS_MAX || length + key.length > CUTS_MAX_LENGTH) return false;
    cuts.push(key);
    sorted.splice(at, 0, key);
    length += key.length;
    return true;
  }

  function regionOf(key: ObjectKey): Range {
    const at = countUpTo(sorted, key);
    return { from: sorted[at - 1] ?? ('' as ObjectKey), to: sorted[at] ?? null };
  }

  /** The part of a range that fits into a page; null where it does not reach the key. */
  function firstPart({ from, to }: Range, key: ObjectKey): Range | null {
    const keys = readNeighbourKeys(sql, { name, from, to }, PAGE_MAX_KEYS + 1);
    const next = keys[PAGE_MAX_KEYS];
    if (next === undefined) return { from, to };
    return compareUtf8(key, next) < 0 ? { from, to: next } : null;
  }

  /** The range of a page that has the key, cut out; null where no more may be cut. */
  function rangeOf(key: ObjectKey): Range | null {
    const region = regionOf(key);
    // Nothing may be cut any more: what is no page by now becomes none.
    if (cuts.length >= CUTS_MAX && !starts.has(region.from)) return null;
    if (region.from === '' && !cut('' as ObjectKey)) return null;
    const range = firstPart(region, key) ?? firstPart({ from: key, to: region.to }, key);
    if (range === null || !cut(range.from)) return null;
    if (range.to !== null && !cut(range.to as ObjectKey)) return null;
    starts.add(range.from);
    return range;
  }

  function readWithin(range: Range): readonly ObjectVersion[] {
    return readNeighbours(sql, { name, ...range });
  }

  function readAlone(bucket: BucketRecord, key: ObjectKey, stamp: PageStamp): PointerPage {
    const [object] = readWithin({ from: key, to: justAfter(key) });
    return pageOfOne(bucket, key, object ?? null, stamp);
  }

  function readInvited(bucket: BucketRecord, key: ObjectKey, stamp: PageStamp): PointerPage {
    const to = justAfter(key);
    const [object] = readWithin({ from: key, to });
    const pointers = new Map(object === undefined ? [] : [[key, toPointer(object)]]);
    return { ...stampOf(bucket, stamp), from: key, to, isInvited: true, pointers };
  }

  function readPage(bucket: BucketRecord, key: ObjectKey, stamp: PageStamp): PointerPage {
    const range = rangeOf(key);
    if (range === null) return readAlone(bucket, key, stamp);

    const objects = readWithin(range);
    const end = objects[firstTooMuch(objects)]?.key;
    if (end === undefined) return toPage(bucket, range, objects, stamp);
    // Small bodies fill the page before its end: it ends where they do.
    if (!cut(end) || compareUtf8(key, end) >= 0) return readAlone(bucket, key, stamp);
    const before = objects.filter((object) => compareUtf8(object.key, end) < 0);
    return toPage(bucket, { from: range.from, to: end }, before, stamp);
  }

  return {
    cuts: () => cuts,
    startOf: (key) => regionOf(key).from,
    readPage,
    readSingle: (bucket, key, stamp) =>
      regionOf(key).from === key ? readPage(bucket, key, stamp) : readAlone(bucket, key, stamp),
    readInvited,
  };
}

/** Where a page of these has to end for its inline bodies; -1: it has room for all. */
function firstTooMuch(objects: readonly ObjectVersion[]): number {
  let inlineBytes = 0;
  return objects.findIndex((object, at) => {
    inlineBytes += object.inlineBytes?.length ?? 0;
    return at > 0 && inlineBytes > PAGE_MAX_INLINE_BYTES;
  });
}

/** What nobody may read, whatever its ACL says, leaves the object for no tier. */
function toPage(
  bucket: BucketRecord,
  { from, to }: Range,
  objects: readonly ObjectVersion[],
  stamp: PageStamp,
): PointerPage {
  const shown = objects.filter(({ key }) => canBePublic(bucket.access, key));
  const pointers = new Map(shown.map((object) => [object.key, toPointer(object)]));
  return { ...stampOf(bucket, stamp), from, to, pointers };
}

function stampOf({ id: bucketId, revision }: BucketRecord, stamp: PageStamp) {
  return { ...stamp, bucketId, revision };
}
