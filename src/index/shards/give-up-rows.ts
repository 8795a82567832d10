// Takes the rows of a slice out of the shard that gives it up, with what they refer to
// and what they count for; nobody deleted them, so nothing else hears of it. Called by
// the steps of a move (shards.ts).
import type { ObjectKey, UploadId, VersionId } from '../../domain/nouns.ts';
import type { KeyRange } from '../../ports/index-calls/shard-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { readCurrent, readOther } from '../objects/stored-versions.ts';
import { takeCurrent, takeOther } from '../objects/version-rows.ts';
import { forgetJoinedParts } from '../parts/joined-parts.ts';
import { findUpload } from '../uploads/upload-rows.ts';
import { dropUpload } from '../uploads/uploads.ts';
import { endOf } from './key-ranges.ts';

/** Removes all rows of a range from a shard. */
export function giveUpRows(sql: Sql, n: number, range: KeyRange, nowMs: number): void {
  const bounds = [n, range.from, endOf(range)] as const;
  const current = sql.all<{ key: ObjectKey }>(
    'SELECT key FROM objects WHERE bucket = ? AND key >= ? AND key < ?',
    ...bounds,
  );
  for (const { key } of current) {
    const stored = readCurrent(sql, n, key);
    if (stored !== null) takeCurrent(sql, n, key, stored, nowMs);
  }
  const older = sql.all<{ key: ObjectKey; version_id: VersionId }>(
    'SELECT key, version_id FROM versions WHERE bucket = ? AND key >= ? AND key < ?',
    ...bounds,
  );
  for (const { key, version_id: versionId } of older) {
    const stored = readOther(sql, n, key, versionId);
    if (stored !== null) takeOther(sql, n, key, stored, nowMs);
  }
  const uploads = sql.all<{ key: ObjectKey; upload_id: UploadId }>(
    'SELECT key, upload_id FROM uploads WHERE bucket = ? AND key >= ? AND key < ?',
    ...bounds,
  );
  for (const { key, upload_id: uploadId } of uploads) {
    const open = findUpload(sql, n, key, uploadId);
    if (open === null) continue;
    dropUpload(sql, n, open, nowMs);
    // It may come back, with rows of their own for all of its parts.
    forgetJoinedParts(sql, n, uploadId);
  }
}
