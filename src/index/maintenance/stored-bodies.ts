// A version as commits find it that let its bytes lie elsewhere: compression.ts and
// sparse-packs.ts.
import type { ObjectKey, ObjectVersion, Segment, VersionId } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { readCurrentVersion, readOtherVersion } from '../objects/read-versions.ts';
import { readCurrent, readOther } from '../objects/stored-versions.ts';

/** A version with bytes, wherever it stands now. */
export function findBody(sql: Sql, bucket: number, key: ObjectKey, versionId: VersionId) {
  const current = readCurrent(sql, bucket, key);
  if (current?.versionId === versionId) {
    const object = readCurrentVersion(sql, bucket, key);
    return object === null ? null : ({ object, stored: current, kind: 'current' } as const);
  }
  const stored = readOther(sql, bucket, key, versionId);
  const version =
    stored === null ? null : readOtherVersion(sql, bucket, key, versionId, current !== null);
  if (stored === null || version?.kind !== 'object') return null;
  return { object: version.object, stored, kind: 'noncurrent' } as const;
}

/** Whether a body is in just these segments. */
export function isSameBody(a: ObjectVersion['segments'], b: readonly Segment[]): boolean {
  const isSame = (one: Segment, at: number) => {
    const { blobId, offsetBytes, lengthBytes } = b[at] ?? one;
    return (
      one.blobId === blobId && one.offsetBytes === offsetBytes && one.lengthBytes === lengthBytes
    );
  };
  return a.length === b.length && a.every(isSame);
}
