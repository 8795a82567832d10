// Copies of objects of another bucket, many in one commit: the second half of
// moving them across. Each finds its key by itself. A copy that is there already,
// because the response to the commit was lost, is not made again.
import type { ObjectKey, ObjectVersion } from '../../domain/nouns.ts';
import type { CommittedCopy, CopyToCommit } from '../../ports/index-calls/key-job-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { requireBucket } from '../require-bucket.ts';
import { addReferences, referencesOf } from './blob-references.ts';
import { factsOf, recordEvent } from './object-events.ts';
import type { OpenPacks } from './open-packs.ts';
import { createPackSlots } from './pack-slots.ts';
import { readCurrentVersion } from './read-versions.ts';
import { readCurrent, type StoredVersion } from './stored-versions.ts';
import { putVersion, versioningOf, withDefaultLock } from './version-rows.ts';

/**
 * Commits copies of objects of another bucket in one commit. Contract:
 * `KeyCommands.commitCopies`. Cost: as many statements for each as a commit of its own.
 */
export function commitCopies(
  sql: Sql,
  packs: OpenPacks,
  { bucket, copies, sinceMs = 0, packIds }: Parameters<IndexApi['commitCopies']>[0],
): readonly (CommittedCopy | null)[] {
  const n = requireBucket(sql, bucket);
  const nowMs = Math.max(...copies.map(({ object }) => object.lastModifiedMs));
  const slots = createPackSlots(packs, n, bucket, packIds, nowMs);
  return copies.map((copy) => {
    const target = findTarget(sql, n, copy, sinceMs);
    if (target === null || target.isThere)
      return target && { toKey: target.toKey, versionId: target.versionId };
    const { toKey, current } = target;
    const object = { ...copy.object, key: toKey };
    const { storageClass, segments } = object;
    const deduplicatedAway = addReferences(
      sql,
      n,
      storageClass,
      referencesOf(segments),
      copy.newReferences,
    );
    const version = withDefaultLock(bucket, object);
    const written = slots.write(version, (slotBody) =>
      putVersion(sql, n, versioningOf(bucket), version, current, { deduplicatedAway, slotBody }),
    );
    recordEvent(sql, bucket, { ...factsOf(object), name: 'ObjectCreated:Copy', version: written });
    return { toKey, versionId: written.versionId };
  });
}

type CopyTarget =
  | (CommittedCopy & { readonly isThere: true })
  | { readonly isThere: false; readonly toKey: ObjectKey; readonly current: StoredVersion | null };

/**
 * The first key that has the copy, is free or may be taken; null: there is none.
 */
function findTarget(
  sql: Sql,
  n: number,
  { object, toKeys, mayReplace }: CopyToCommit,
  sinceMs: number,
): CopyTarget | null {
  for (const toKey of toKeys) {
    const current = readCurrent(sql, n, toKey);
    if (current === null) return { isThere: false, toKey, current };
    const there = readCurrentVersion(sql, n, toKey);
    if (there !== null && there.lastModifiedMs >= sinceMs && isSameObject(sql, n, object, there))
      return { isThere: true, toKey, versionId: there.versionId };
    if (mayReplace) return { isThere: false, toKey, current };
  }
  return null;
}

/**
 * Whether one is the copy of the other that a step made before it died. Equal bytes
 * alone don't say so: others may share them.
 */
function isSameObject(sql: Sql, n: number, a: ObjectVersion, b: ObjectVersion): boolean {
  const describe = ({ headers, userMetadata, tags }: ObjectVersion) =>
    JSON.stringify([headers, userMetadata, tags]);
  if (describe(a) !== describe(b)) return false;
  if (a.etag !== b.etag || a.sizeBytes !== b.sizeBytes) return false;
  // Either body may have moved into a pack of its bucket since it was copied.
  if (b.inlineBytes !== null || liesInOwnPack(sql, n, b)) return true;
  if (a.segments.length !== b.segments.length) return false;
  return a.segments.every(({ blobId, offsetBytes }, at) => {
    const other = b.segments[at];
    return other?.blobId === blobId && other.offsetBytes === offsetBytes;
  });
}

/** Whether a body was inline in this bucket when it was committed, and lies in a pack now. */
function liesInOwnPack(sql: Sql, n: number, { segments }: ObjectVersion): boolean {
  const [segment, another] = segments;
  if (segment === undefined || another !== undefined) return false;
  const rows = sql.all(
    `SELECT 1 FROM blobs
     WHERE blob_id = ? AND bucket = ? AND home_name IS NULL AND pack_end_bytes IS NOT NULL`,
    segment.blobId,
    n,
  );
  return rows.length > 0;
}
