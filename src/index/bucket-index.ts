// The bucket index: the vocabulary of ports/metadata-index.ts as plain synchronous code over a SQL port. One
// implementation serves both homes: on Node over a file with all buckets, on Cloudflare in one Durable Object for
// each bucket name. Here the families are put together and each call becomes atomic; they know their tables.
import type { IndexApi, IndexQueries } from '../ports/metadata-index.ts';
import type { Sql } from '../ports/sql.ts';
import { createBlobCalls } from './blobs.ts';
import { createBucketLifeCalls } from './bucket-lives.ts';
import { createBucketCalls } from './buckets.ts';
import { commitCopies } from './commit-copies.ts';
import { dropRestsOfLife } from './life-rests.ts';
import { createLifecycleCalls } from './lifecycle.ts';
import { listObjects, listVersions } from './listing.ts';
import { createNameAidCalls } from './name-aids.ts';
import { createNameJobCalls } from './name-jobs.ts';
import { createObjectCalls } from './objects.ts';
import { createOutboxCalls } from './outbox.ts';
import { createPackingCalls } from './packing.ts';
import { createQuotaCalls, withinQuotas } from './quotas.ts';
import { abortStaleUploads } from './stale-uploads.ts';
import { createStorageCalls } from './storage-hours.ts';
import { createUploadCalls } from './uploads.ts';

/** Queries of one statement, which is atomic by itself; a transaction around them would cost as much again. */
const SINGLE_STATEMENT: ReadonlySet<string> = new Set<keyof IndexQueries>([
  'getBucket',
  'resolve',
  'findUnknownBlobs',
  'findHeldBlobs',
  'listBucketLives',
]);

/**
 * The calls over a database whose tables `migrate(sql, INDEX_SCHEMA)` made. Each runs in a transaction of its own:
 * a command happens whole or not at all, a query sees one state. Calls throw StorageError; what SQL throws passes.
 */
export function createBucketIndex(sql: Sql): IndexApi {
  const calls: IndexApi = {
    ...createBucketCalls(sql),
    ...createBucketLifeCalls(sql),
    ...createObjectCalls(sql),
    ...createUploadCalls(sql),
    ...createBlobCalls(sql),
    ...createLifecycleCalls(sql),
    ...createPackingCalls(sql),
    ...createNameJobCalls(sql),
    ...createNameAidCalls(sql),
    ...createOutboxCalls(sql),
    ...createStorageCalls(sql),
    ...createQuotaCalls(sql),
    dropRestsOfLife: (input) => dropRestsOfLife(sql, input),
    commitCopies: (input) => commitCopies(sql, input),
    abortStaleUploads: (input) => abortStaleUploads(sql, input),
    listObjects: (input) => listObjects(sql, input),
    listVersions: (input) => listVersions(sql, input),
  };
  return inTransactions(sql, withinQuotas(sql, calls), SINGLE_STATEMENT);
}

/** The same calls, each in one transaction but for those named in `bare`. */
export function inTransactions<Api extends Readonly<Record<keyof Api, (input: never) => unknown>>>(
  sql: Sql,
  api: Api,
  bare: ReadonlySet<string>,
): Api {
  const entries = Object.entries<(input: never) => unknown>(api).map(([name, call]) => [
    name,
    bare.has(name) ? call : (input: never) => sql.transaction(() => call(input)),
  ]);
  return Object.fromEntries(entries) as Api;
}
