// Finds orphans: files of blobs that the index does not know. A crash leaves a few
// for the sweeper; many mean that the index has lost rows.
import { statSync } from 'node:fs';
import type { BlobId, BucketId } from '../../../domain/nouns.ts';
import { filterKnown } from '../../../index/maintenance/inventory.ts';
import type { Sql } from '../../../ports/sql.ts';
import type { Ids } from '../../../ports/system.ts';
import { walkBlobs } from '../blobs/blob-list.ts';
import { blobPath } from '../blobs/blob-path.ts';

export type Orphans = {
  /** Files that are older than the grace. */
  readonly count: number;
  readonly bytes: number;
  /** Their ids, the first thousand. */
  readonly blobIds: readonly BlobId[];
  /**
   * Younger ones: uploads that are under way, and what a crash left within the
   * grace.
   */
  readonly young: number;
};

const NAMED_MAX = 1000;

/**
 * Compares all files with the index. `leastYoungId`: the least id of a blob that is
 * younger than the grace.
 */
export function findOrphans(
  index: Sql,
  blobRoot: string,
  leastYoungId: (bucket: BucketId) => string,
): Orphans {
  const blobIds: BlobId[] = [];
  let count = 0;
  let bytes = 0;
  let young = 0;
  for (const listed of walkBlobs(blobRoot)) {
    const known = filterKnown(index, listed);
    for (const blobId of listed) {
      if (known.has(blobId)) continue;
      // A blob that was swept between its listing and the query has no file any
      // more.
      const file = statSync(blobPath(blobRoot, blobId).file, { throwIfNoEntry: false });
      if (file === undefined) continue;
      if (blobId >= leastYoungId(blobId.slice(0, blobId.indexOf('/')) as BucketId)) {
        young += 1;
        continue;
      }
      count += 1;
      bytes += file.size;
      if (blobIds.length < NAMED_MAX) blobIds.push(blobId);
    }
  }
  return { count, bytes, blobIds, young };
}

/** Makes `leastYoungId` for a grace: ids sort by their time. */
export function leastYoungIdOf(
  ids: Ids,
  nowMs: number,
  graceSeconds: number,
): (bucket: BucketId) => string {
  return (bucket) => ids.blobIdLowerBound(bucket, nowMs - graceSeconds * 1000);
}
