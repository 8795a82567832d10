// The bucket index: the vocabulary of ports/metadata-index.ts as plain synchronous
// code over a SQL port. One implementation serves both platforms: on Node over a
// file with all buckets, on Cloudflare in one Durable Object for each bucket name.
// Here the families of calls are put together and made atomic; each family knows
// its tables.
import type { IndexApi, IndexQueries } from '../ports/metadata-index.ts';
import type { Sql } from '../ports/sql.ts';
import { createBucketCalls } from './buckets/buckets.ts';
import { createCommandGroups } from './command-group.ts';
import { withinRoom } from './index-room.ts';
import { createKeyJobCalls } from './key-jobs/key-jobs.ts';
import { createKeyAidCalls } from './keys/key-aids.ts';
import { sortLevel } from './keys/sort-level.ts';
import { createDropFileCalls } from './links/drop/drop-files.ts';
import { createDropLinkCalls } from './links/drop/drop-links.ts';
import { forgetDropRows } from './links/drop/forget-drop-rows.ts';
import { createShareDownloadCalls } from './links/share/share-downloads.ts';
import { createShareLinkCalls } from './links/share/share-links.ts';
import { createShareStatisticsCalls } from './links/share/share-statistics.ts';
import { createBlobCalls } from './maintenance/blobs.ts';
import { createCompressionCalls } from './maintenance/compression.ts';
import { createIncarnationCalls } from './maintenance/incarnations.ts';
import { createLifecycleCalls } from './maintenance/lifecycle.ts';
import { dropOrphanRows } from './maintenance/orphan-rows.ts';
import { createPackCalls } from './maintenance/packs.ts';
import { createSparsePackCalls } from './maintenance/sparse-packs.ts';
import { abortStaleUploads } from './maintenance/stale-uploads.ts';
import { createStorageCalls } from './maintenance/storage-hours.ts';
import { commitCopies } from './objects/commit-copies.ts';
import { listLevel } from './objects/list-level.ts';
import { createListingCalls } from './objects/listing.ts';
import { createObjectCalls } from './objects/objects.ts';
import { createOpenPacks } from './objects/open-packs.ts';
import { createQuotaCalls, withinQuotas } from './objects/quotas.ts';
import { createSelectionCalls } from './objects/selections.ts';
import { createOutboxCalls } from './outbox/outbox.ts';
import { requireBucket } from './require-bucket.ts';
import { createShardCalls } from './shards/shards.ts';
import { inTransactions } from './transactions.ts';
import { createUploadCalls } from './uploads/uploads.ts';
import { createUrlUseCalls } from './uploads/url-uses.ts';

/**
 * Queries of one statement, which is atomic by itself; a transaction around them
 * would cost as much again.
 */
const SINGLE_STATEMENT: ReadonlySet<string> = new Set<keyof IndexQueries>([
  'getBucket',
  'resolve',
  'findUnknownBlobs',
  'findReferencedBlobs',
  'listIncarnations',
]);

/** Commands that change many objects, and so the same totals many times. */
const CHANGES_MANY = [
  'deleteObjects',
  'applyLifecycle',
  'commitCopies',
  'stepKeyJob',
  'completeUpload',
  'abortUpload',
  'abortStaleUploads',
  'giveUpSlice',
  'adoptSlice',
] as const satisfies readonly (keyof IndexApi)[];

/**
 * The calls over a database whose tables `migrate(sql, INDEX_SCHEMA)` made. Each
 * runs in a transaction of its own: a command happens whole or not at all, a query
 * sees one state. Calls throw StorageError; what SQL throws passes.
 */
export function createBucketIndex(base: Sql): IndexApi {
  const groups = createCommandGroups(base);
  const { sql } = groups;
  const packs = createOpenPacks(sql);
  const calls: IndexApi = {
    ...createBucketCalls(sql),
    ...createIncarnationCalls(sql),
    ...createObjectCalls(sql, packs),
    ...createListingCalls(sql),
    ...createUploadCalls(sql),
    ...createBlobCalls(sql),
    ...createLifecycleCalls(sql),
    ...createCompressionCalls(sql),
    ...createPackCalls(sql),
    ...createSparsePackCalls(sql),
    ...createKeyJobCalls(sql, packs),
    ...createKeyAidCalls(sql),
    ...createOutboxCalls(sql),
    ...createStorageCalls(sql),
    ...createQuotaCalls(sql),
    ...createSelectionCalls(sql),
    ...createUrlUseCalls(sql),
    ...createShareLinkCalls(sql),
    ...createShareDownloadCalls(sql),
    ...createShareStatisticsCalls(sql),
    ...createDropLinkCalls(sql),
    ...createDropFileCalls(sql, createUploadCalls(sql)),
    ...createShardCalls(sql),
    forgetDropRows: (input) => forgetDropRows(sql, input),
    dropOrphanRows: (input) => dropOrphanRows(sql, input),
    commitCopies: (input) => commitCopies(sql, packs, input),
    abortStaleUploads: (input) => abortStaleUploads(sql, input),
    listLevel: (input) => listLevel(sql, input),
    sortLevel: (input) => sortLevel(sql, requireBucket(sql, input.bucket), input),
  };
  const sharing = Object.fromEntries(
    CHANGES_MANY.map((name) => [name, (input: never) => groups.once(() => calls[name](input))]),
  );
  const all = { ...calls, ...sharing };
  return inTransactions(sql, withinRoom(sql, withinQuotas(sql, all)), SINGLE_STATEMENT);
}
