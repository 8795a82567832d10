// The write of an object: one commit that checks its condition, counts references
// and replaces the row. Where the versions of a key stand is version-rows.ts's.
import { StorageError } from '../../domain/errors.ts';
import type { ObjectKey, ObjectVersion, WriteCondition } from '../../domain/nouns.ts';
import type { CommitObjectInput, IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { requireBucket } from '../require-bucket.ts';
import { countingOfPut } from '../usage/late-objects.ts';
import { addReferences, referencesOf } from './blob-references.ts';
import { findSharedBlob, shareEqualBlob } from './deduplicate.ts';
import { creationOf, factsOf, recordEvent } from './object-events.ts';
import type { OpenPacks } from './open-packs.ts';
import { readCurrent, type StoredVersion } from './stored-versions.ts';
import { isRepeatedCommit, putVersion, versioningOf, withDefaultLock } from './version-rows.ts';

/** Makes a version the current one of its key. Contract: `IndexCommands.commitObject`. */
export function commitObject(
  sql: Sql,
  packs: OpenPacks,
  input: CommitObjectInput,
): ReturnType<IndexApi['commitObject']> {
  const { bucket, object: uploaded, condition, newReferences, packId } = input;
  const n = requireBucket(sql, bucket);
  const { key, storageClass } = uploaded;
  const current = readCurrent(sql, n, key);
  if (isRepeatedCommit(uploaded, current)) {
    const { versionId, isNull, references } = current;
    return { versionId, isNull, storedAs: findSharedBlob(sql, n, references, newReferences) };
  }
  checkCondition(condition, key, current);

  const shared = shareEqualBlob(sql, n, storageClass, uploaded.segments, newReferences);
  const { storedAs, segments } = shared;
  const object = storedAs === null ? uploaded : ({ ...uploaded, segments } as ObjectVersion);
  const references = referencesOf(object.segments);
  // Where there are quotas totals are exact all the time.
  const counting =
    input.mayCountLate === true && bucket.quotas === undefined
      ? countingOfPut(sql, n, object, shared.newReferences, current === null)
      : null;
  const late = counting?.mark ?? null;
  const markedReferences = shared.newReferences.map((reference) => ({ ...reference, late }));
  const deduplicatedAway = addReferences(sql, n, storageClass, references, markedReferences);

  const version = withDefaultLock(bucket, object);
  const versioning = versioningOf(bucket);
  const nowMs = version.lastModifiedMs;
  const assignment = packs.assignSlot({ n, id: bucket.id }, version, packId, nowMs);
  const slotBody = assignment?.body ?? null;
  const counts = { deduplicatedAway, slotBody, counting };
  const written = putVersion(sql, n, versioning, version, current, counts);
  recordEvent(sql, bucket, { ...factsOf(object), name: creationOf(bucket), version: written });

  const full = assignment?.full ?? null;
  if (full === null) return { ...written, storedAs };
  packs.close(full, nowMs);
  return { ...written, storedAs, fullPack: full.blob_id };
}

/** PreconditionFailed; NoSuchKey for an If-Match on a missing key. */
export function checkCondition(
  condition: WriteCondition | null,
  key: ObjectKey,
  current: StoredVersion | null,
): void {
  if (condition === null) return;
  const { ifMatch, ifNoneMatch } = condition;
  if (ifMatch !== null) {
    if (current === null) throw new StorageError('NoSuchKey', { fields: { Key: key } });
    if (ifMatch !== '*' && ifMatch !== current.etag) throw preconditionFailed('If-Match');
  }
  if (ifNoneMatch !== null && current !== null) {
    if (ifNoneMatch === '*' || ifNoneMatch === current.etag)
      throw preconditionFailed('If-None-Match');
  }
}

function preconditionFailed(header: 'If-Match' | 'If-None-Match'): StorageError {
  return new StorageError('PreconditionFailed', { fields: { Condition: header } });
}
