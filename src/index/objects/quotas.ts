// Quotas in the commit: a command that leaves a bucket with more than it had, and
// more than it may have, is refused, and its transaction undone. Totals are those
// of storage-totals.ts, exact inside the transaction, so of commits at once just
// those that fit happen. Nothing that shrinks a bucket is ever refused.
//
// The quota of an account is shared out: each bucket has a grant, a row here, which
// it may use up without a call of the ledger. Where that is too little the commit
// says how much it needs, and core fetches a larger grant from the ledger.

import type { StorageAmount, StorageGrant, StorageQuota } from '../../domain/billing/quotas.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketAddress, BucketRef } from '../../domain/nouns.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { readJoinedPart } from '../parts/joined-parts.ts';
import { requireBucket } from '../require-bucket.ts';
import { readUncounted } from '../usage/storage-totals.ts';
import { versioningOf } from './version-rows.ts';

type QuotaCalls = Pick<IndexApi, 'requireRoom' | 'setStorageGrant' | 'settleStorageGrant'>;
/**
 * Commands by which a bucket can come to store more; no other adds a row that takes
 * up room.
 */
type GrowingCalls = Pick<
  IndexApi,
  | 'commitObject'
  | 'commitPart'
  | 'completeUpload'
  | 'commitDropPiece'
  | 'finishDropFile'
  | 'commitCopies'
  | 'stepKeyJob'
>;

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createQuotaCalls(sql: Sql): QuotaCalls {
  return {
    requireRoom(input) {
      const n = requireBucket(sql, input.bucket);
      const before = storedIn(sql, n);
      const replaced = replacedBy(sql, n, input);
      const added = { bytes: input.sizeBytes, objects: input.part === null ? 1 : 0 };
      requireQuotas(sql, n, input.bucket, before, {
        bytes: before.bytes + added.bytes - replaced.bytes,
        objects: before.objects + added.objects - replaced.objects,
      });
    },

    setStorageGrant({ bucket, grant }) {
      const n = findLive(sql, bucket);
      if (n === null || grantOf(sql, n).sequence >= grant.sequence) return;
      putGrant(sql, n, grant);
    },

    settleStorageGrant({ bucket }) {
      const n = findLive(sql, bucket);
      if (n === null) return null;
      const settled = { ...storedIn(sql, n), sequence: grantOf(sql, n).sequence };
      putGrant(sql, n, settled);
      return settled;
    },
  };
}

/**
 * Wraps the calls that grow a bucket, so that they are refused beyond its quotas.
 * Cost without one: nothing.
 */
export function withinQuotas<Calls extends GrowingCalls>(sql: Sql, calls: Calls): Calls {
  const keep =
    <Input extends { readonly bucket: BucketRef }, Result>(call: (input: Input) => Result) =>
    (input: Input): Result => {
      if (input.bucket.quotas === undefined) return call(input);
      const n = requireBucket(sql, input.bucket);
      const before = storedIn(sql, n);
      const result = call(input);
      requireQuotas(sql, n, input.bucket, before, storedIn(sql, n));
      return result;
    };
  const { commitObject, commitPart, completeUpload, commitCopies, stepKeyJob } = calls;
  const { commitDropPiece, finishDropFile } = calls;
  return {
    ...calls,
    commitObject: keep(commitObject),
    commitPart: keep(commitPart),
    completeUpload: keep(completeUpload),
    commitDropPiece: keep(commitDropPiece),
    finishDropFile: keep(finishDropFile),
    commitCopies: keep(commitCopies),
    stepKeyJob: keep(stepKeyJob),
  };
}

/**
 * QuotaExceeded by the bucket's own quota; StorageGrantNeeded, with what it needs.
 */
function requireQuotas(
  sql: Sql,
  bucket: number,
  { name, quotas }: BucketRef,
  before: StorageAmount,
  after: StorageAmount,
): void {
  if (quotas === undefined) return;
  const { own, isShared } = quotas;
  if (own !== null && isPassed(own, before, after)) {
    const what = own.bytes !== null && after.bytes > own.bytes ? 'stored bytes' : 'objects';
    throw new StorageError('QuotaExceeded', {
      detail:
        `The quota of ${what} of this bucket leaves no room for this. ` +
        'Delete something, or have it raised.',
      fields: { BucketName: name },
    });
  }
  if (!isShared || !isPassed(grantOf(sql, bucket), before, after)) return;
  throw new StorageError('StorageGrantNeeded', {
    fields: { Bytes: `${after.bytes}`, Objects: `${after.objects}` },
  });
}

/**
 * Whether it grew beyond the limit; what is above it already may stay, shrink, and
 * change in kind.
 */
function isPassed(limit: StorageQuota, before: StorageAmount, after: StorageAmount): boolean {
  const passes = (what: keyof StorageAmount) => {
    const most = limit[what];
    return most !== null && after[what] > most && after[what] > before[what];
  };
  return passes('bytes') || passes('objects');
}

function storedIn(sql: Sql, bucket: number): StorageAmount {
  const [row] = sql.all<StorageAmount>(
    `SELECT coalesce(sum(current_bytes + noncurrent_bytes + part_bytes), 0) AS bytes,
       coalesce(sum(current_count + noncurrent_count), 0) AS objects
     FROM storage_totals WHERE bucket = ?`,
    bucket,
  );
  let { bytes, objects } = row ?? { bytes: 0, objects: 0 };
  for (const { partBytes, currentBytes, currentCount } of readUncounted(sql, bucket).values()) {
    bytes += partBytes + currentBytes;
    objects += currentCount;
  }
  return { bytes, objects };
}

/** What a commit of such a body would replace now. */
function replacedBy(
  sql: Sql,
  n: number,
  { bucket, key, part }: Parameters<IndexApi['requireRoom']>[0],
): StorageAmount {
  if (part !== null) {
    const [row] = sql.all<{ bytes: number }>(
      `SELECT size_bytes AS bytes FROM parts
       WHERE bucket = ? AND upload_id = ? AND part_number = ?`,
      n,
      part.uploadId,
      part.partNumber,
    );
    const joined = readJoinedPart(sql, n, part.uploadId, part.partNumber);
    return { bytes: row?.bytes ?? joined?.sizeBytes ?? 0, objects: 0 };
  }
  const versioning = versioningOf(bucket);
  const [row] = sql.all<StorageAmount>(
    `SELECT coalesce(sum(size_bytes), 0) AS bytes, count(*) AS objects FROM (
       SELECT size_bytes FROM objects
       WHERE bucket = ?1 AND key = ?2 AND (?3 = 'off' OR ?3 = 'suspended' AND is_null = 1)
       UNION ALL
       SELECT size_bytes FROM versions
       WHERE bucket = ?1 AND key = ?2 AND ?3 = 'suspended' AND is_null = 1 AND is_marker = 0)`,
    n,
    key,
    versioning,
  );
  return row ?? { bytes: 0, objects: 0 };
}

/**
 * The grant of a bucket. Without one it may store nothing of its account's quota.
 */
function grantOf(sql: Sql, bucket: number): StorageGrant {
  const [row] = sql.all<StorageGrant>(
    'SELECT bytes, objects, sequence FROM storage_grants WHERE bucket = ?',
    bucket,
  );
  return row ?? { bytes: 0, objects: 0, sequence: 0 };
}

function putGrant(sql: Sql, bucket: number, { bytes, objects, sequence }: StorageGrant): void {
  sql.all(
    'INSERT OR REPLACE INTO storage_grants (bucket, bytes, objects, sequence) VALUES (?, ?, ?, ?)',
    bucket,
    bytes,
    objects,
    sequence,
  );
}

function findLive(sql: Sql, { id, name }: BucketAddress): number | null {
  const [row] = sql.all<{ n: number }>(
    'SELECT n FROM buckets WHERE id = ? AND name = ? AND deleted_at_ms IS NULL',
    id,
    name,
  );
  return row?.n ?? null;
}
