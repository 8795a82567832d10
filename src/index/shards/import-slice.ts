// Puts the rows of a slice beside those of its target, and there makes them its own or
// drops them. Until then they stand under the negative number of the bucket. Their blobs
// are referenced from the first, so that no sweep takes one from under a slice that
// waits; the totals hear of them when they are adopted. Called by the steps of a move
// (shards.ts).
import type { ObjectKey, UploadId, VersionId } from '../../domain/nouns.ts';
import type { MovedRow } from '../../ports/index-calls/shard-calls.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { addReferences, dropReferences, referencesOf } from '../objects/blob-references.ts';
import { rowChanged } from '../objects/row-changes.ts';
import { readCurrent, readOther } from '../objects/stored-versions.ts';
import { deleteBody, writeCurrent } from '../objects/version-details.ts';
import { copyToOlder, writeMarker } from '../objects/version-rows.ts';
import {
  decodeUpload,
  deleteUpload,
  readStoredParts,
  stateOfParts,
  type UploadRow,
  writePart,
  writeUpload,
} from '../uploads/upload-rows.ts';
import { oneRow } from '../usage/row-state.ts';
import { segmentsOf } from './export-slice.ts';

/** What deduplication saves by rows, by storage class. */
export type Savings = Readonly<Record<string, number>>;

/** Bytes of each storage class together. */
export function addSavings(a: Savings, b: Savings): Savings {
  const sum: Record<string, number> = { ...a };
  for (const [storageClass, bytes] of Object.entries(b))
    sum[storageClass] = (sum[storageClass] ?? 0) + bytes;
  return sum;
}

/** The number under which rows wait that came into a bucket. */
const waiting = (n: number): number => -n;

/** Writes the rows of a slice, and gives what they save beside those that are there. */
export function writeIncoming(
  sql: Sql,
  n: number,
  rows: readonly MovedRow[],
  newReferences: readonly NewBlobReference[],
): Savings {
  const saved: Record<string, number> = {};
  const refer = (storageClass: string, segments: ReturnType<typeof segmentsOf>) => {
    const bytes = addReferences(sql, n, storageClass, referencesOf(segments), newReferences);
    saved[storageClass] = (saved[storageClass] ?? 0) + bytes;
  };
  // An older version is written as a current one first, in the place of that.
  const order = ['older', 'marker', 'current', 'upload'];
  for (const row of rows.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))) {
    if (row.kind === 'upload') {
      for (const { segments } of row.parts) refer(row.upload.storageClass, segments);
    } else if (row.kind !== 'marker') refer(row.object.storageClass, segmentsOf(row));
    writeRow(sql, waiting(n), row);
  }
  return saved;
}

function writeRow(sql: Sql, bucket: number, row: MovedRow): void {
  switch (row.kind) {
    case 'marker':
      writeMarker(sql, bucket, row.marker, row.replacedAtMs);
      return;
    case 'upload':
      writeUpload(sql, bucket, row.upload, row.activeAtMs);
      for (const part of row.parts) writePart(sql, bucket, row.upload.uploadId, part);
      return;
    default: {
      const { key } = row.object;
      writeCurrent(sql, bucket, row.object, null, row.classSinceMs, null);
      if (row.kind === 'current') return;
      copyToOlder(sql, bucket, key, row.replacedAtMs);
      sql.all('DELETE FROM objects WHERE bucket = ? AND key = ?', bucket, key);
    }
  }
}

type NamedVersion = { readonly key: ObjectKey; readonly version_id: VersionId };

const currentKeys = (sql: Sql, bucket: number) =>
  sql.all<{ key: ObjectKey }>('SELECT key FROM objects WHERE bucket = ? ORDER BY key', bucket);
const olderNames = (sql: Sql, bucket: number) =>
  sql.all<NamedVersion>(
    'SELECT key, version_id FROM versions WHERE bucket = ? ORDER BY key, version_id DESC',
    bucket,
  );
const uploadsOf = (sql: Sql, bucket: number) =>
  sql
    .all<UploadRow>(
      `SELECT key, upload_id, created_at_ms, attributes FROM uploads WHERE bucket = ?
       ORDER BY key, upload_id`,
      bucket,
    )
    .map(decodeUpload);

/** Makes all rows that wait the bucket's own, and reports each to its totals. */
export function adoptIncoming(sql: Sql, n: number, saved: Savings, atMs: number): void {
  const from = waiting(n);
  for (const { key } of currentKeys(sql, from)) {
    const stored = readCurrent(sql, from, key);
    if (stored === null) continue;
    sql.all('UPDATE objects SET bucket = ? WHERE bucket = ? AND key = ?', n, from, key);
    rowChanged(sql, { bucket: n, key, from: null, to: oneRow('current', stored), atMs });
  }
  for (const { key, version_id: versionId } of olderNames(sql, from)) {
    const stored = readOther(sql, from, key, versionId);
    if (stored === null) continue;
    sql.all(
      'UPDATE versions SET bucket = ? WHERE bucket = ? AND key = ? AND version_id = ?',
      n,
      from,
      key,
      versionId,
    );
    if (stored.isMarker) continue;
    rowChanged(sql, { bucket: n, key, from: null, to: oneRow('noncurrent', stored), atMs });
  }
  for (const upload of uploadsOf(sql, from)) {
    const { key, uploadId, storageClass } = upload;
    const parts = readStoredParts(sql, from, { upload, isLate: false });
    moveUpload(sql, from, n, key, uploadId);
    if (parts.size === 0) continue;
    const to = stateOfParts(storageClass, parts, 0);
    rowChanged(sql, { bucket: n, key, from: null, to, atMs });
  }
  reportSavings(sql, n, saved, atMs);
}

function moveUpload(sql: Sql, from: number, to: number, key: ObjectKey, uploadId: UploadId): void {
  sql.all(
    'UPDATE uploads SET bucket = ? WHERE bucket = ? AND key = ? AND upload_id = ?',
    to,
    from,
    key,
    uploadId,
  );
  sql.all('UPDATE parts SET bucket = ? WHERE bucket = ? AND upload_id = ?', to, from, uploadId);
}

/**
 * Drops all rows that wait, with their references. `saved`: what the totals have not
 * heard of; what goes now may save less for the rows that stay.
 */
export function dropIncoming(sql: Sql, n: number, saved: Savings, nowMs: number): void {
  const from = waiting(n);
  let change = saved;
  const release = (storageClass: string, references: ReturnType<typeof referencesOf>) => {
    const bytes = dropReferences(sql, n, storageClass, references, nowMs);
    change = addSavings(change, { [storageClass]: -bytes });
  };
  for (const { key } of currentKeys(sql, from)) {
    const stored = readCurrent(sql, from, key);
    if (stored === null) continue;
    release(stored.storageClass, stored.references);
    if (stored.bodyId !== null) deleteBody(sql, stored.bodyId);
  }
  for (const { key, version_id: versionId } of olderNames(sql, from)) {
    const stored = readOther(sql, from, key, versionId);
    if (stored === null) continue;
    release(stored.storageClass, stored.references);
    if (stored.bodyId !== null) deleteBody(sql, stored.bodyId);
  }
  for (const upload of uploadsOf(sql, from)) {
    for (const part of readStoredParts(sql, from, { upload, isLate: false }).values())
      release(upload.storageClass, part.references);
    deleteUpload(sql, from, upload.key, upload.uploadId);
  }
  sql.all('DELETE FROM objects WHERE bucket = ?', from);
  sql.all('DELETE FROM versions WHERE bucket = ?', from);
  reportSavings(sql, n, change, nowMs);
}

/** Reports what deduplication saves more, or less, without any row that came or went. */
function reportSavings(sql: Sql, bucket: number, saved: Savings, atMs: number): void {
  const key = '' as ObjectKey;
  for (const [storageClass, deduplicatedAway] of Object.entries(saved)) {
    if (deduplicatedAway === 0) continue;
    const none = oneRow('part', { sizeBytes: 0, storageClass }, deduplicatedAway);
    rowChanged(sql, { bucket, key, from: null, to: { ...none, count: 0 }, atMs });
  }
}
