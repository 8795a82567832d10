// Packs of which little lives: which may be worth writing anew, where the versions
// are that lie in one, and the commit that lets them lie in another. A pack's row says
// with how many references it may be sparse, so no delete writes a row for this, and
// an index of SQLite finds it.
//
// A copy or a delete comes between the look and the commit. Guard: each version is
// compared again in the commit; what is not as it was stays where it is, and so does
// the old pack while anything refers to it.
import type { BlobId, ObjectKey, VersionId } from '../../domain/nouns.ts';
import type { PackedVersion, SparsePack } from '../../ports/index-calls/pack-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { changeReferences } from '../objects/blob-references.ts';
import { segmentsOfDetail } from '../objects/object-rows.ts';
import { rewriteDetail } from '../objects/version-details.ts';
import { requireBucket } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { findBody, isSameBody } from './stored-bodies.ts';

type SparsePackCalls = Pick<
  IndexApi,
  'findSparsePacks' | 'findPackedVersions' | 'repack' | 'leavePack'
>;

/**
 * Rows of a table that one look goes over, where it is not by key, or a key has many
 * versions: some 50 ms.
 */
const ROWS_MAX = 20_000;

/** Versions of a list of keys that have bytes in blobs, with `?3` in their detail. */
const CURRENT = `SELECT o.key, o.version_id, coalesce(o.detail, x.detail) AS detail
  FROM json_each(?1) CROSS JOIN objects AS o ON o.bucket = ?2 AND o.key = json_each.value
  LEFT JOIN object_bodies AS x ON x.id = o.body_id
  WHERE x.inline_bytes IS NULL AND instr(coalesce(o.detail, x.detail), ?3) > 0`;
const OLDER = `SELECT key, version_id, detail
  FROM (
    SELECT o.key, o.version_id, coalesce(o.detail, x.detail) AS detail, x.inline_bytes
    FROM json_each(?1) CROSS JOIN versions AS o ON o.bucket = ?2 AND o.key = json_each.value
    LEFT JOIN object_bodies AS x ON x.id = o.body_id
    LIMIT ${PLAN_ONCE} ?4
  )
  WHERE inline_bytes IS NULL AND instr(detail, ?3) > 0`;
/** Such versions of any key, with `?2` in their detail, among the first rows of each table. */
const UNLISTED = ['objects', 'versions'].map(
  (table) => `SELECT key, version_id, detail
  FROM (
    SELECT o.key, o.version_id, coalesce(o.detail, x.detail) AS detail,
      x.inline_bytes IS NULL AS is_stored
    FROM ${table} AS o LEFT JOIN object_bodies AS x ON x.id = o.body_id
    WHERE o.bucket = ?1 LIMIT ${PLAN_ONCE} ?3
  )
  WHERE is_stored = 1 AND instr(detail, ?2) > 0`,
);

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createSparsePackCalls(sql: Sql): SparsePackCalls {
  return {
    findSparsePacks({ bucket: ref, limit }) {
      const rows = sql.all<SparseRow>(
        `SELECT blob_id, size_bytes, pack_end_bytes, refs, is_held
         FROM blobs INDEXED BY blobs_sparse
         WHERE bucket = ? AND refs > 0 AND refs <= sparse_refs
         ORDER BY blob_id LIMIT ${PLAN_ONCE} ?`,
        requireBucket(sql, ref),
        limit,
      );
      return rows.map(toSparsePack);
    },

    findPackedVersions({ bucket: ref, blobId, keys }) {
      const bucket = requireBucket(sql, ref);
      const name = blobId.slice(blobId.lastIndexOf('/') + 1);
      if (keys === null) {
        const found = UNLISTED.flatMap((query) =>
          sql.all<PackedRow>(query, bucket, name, ROWS_MAX),
        );
        return found.flatMap((row) => packedVersion(blobId, row) ?? []);
      }
      const list = JSON.stringify([...new Set(keys)]);
      const rows = [
        ...sql.all<PackedRow>(CURRENT, list, bucket, name),
        ...sql.all<PackedRow>(OLDER, list, bucket, name, ROWS_MAX),
      ];
      return rows.flatMap((row) => packedVersion(blobId, row) ?? []);
    },

    repack({ bucket: ref, from, to, bodies, nowMs }) {
      const bucket = requireBucket(sql, ref);
      // A repeated call: its outcome was not known.
      if (isKnown(sql, bucket, to.blobId)) return true;
      const moved = bodies.filter((body) =>
        moveBody(sql, bucket, from, { ...body, newBlobId: to.blobId }),
      ).length;
      if (moved === 0) return false;

      sql.all(
        `INSERT INTO blobs (blob_id, bucket, size_bytes, refs, pack_end_bytes, sparse_refs)
         VALUES (?, ?, ?, ?, ?, ?)`,
        to.blobId,
        bucket,
        to.sizeBytes,
        moved,
        to.endBytes,
        to.sparseReferences,
      );
      changeReferences(sql, bucket, '', from, { refs: -moved, bytes: 0 }, nowMs);
      return true;
    },

    leavePack({ bucket: ref, blobId, sparseReferences }) {
      sql.all(
        `UPDATE blobs SET sparse_refs = min(refs - 1, ?)
         WHERE blob_id = ? AND bucket = ? AND sparse_refs IS NOT NULL`,
        sparseReferences,
        blobId,
        requireBucket(sql, ref),
      );
    },
  };
}

type SparseRow = {
  readonly blob_id: BlobId;
  readonly size_bytes: number;
  readonly pack_end_bytes: number;
  readonly refs: number;
  readonly is_held: number;
};

const toSparsePack = (row: SparseRow): SparsePack => ({
  blobId: row.blob_id,
  sizeBytes: row.size_bytes,
  endBytes: row.pack_end_bytes,
  references: row.refs,
  isHeld: row.is_held === 1,
});

type PackedRow = {
  readonly key: ObjectKey;
  readonly version_id: VersionId;
  readonly detail: string;
};

/** Null: the version has more than one range. */
function packedVersion(blobId: BlobId, row: PackedRow): PackedVersion | null {
  const [segment, ...others] = segmentsOfDetail(row.detail);
  if (segment?.blobId !== blobId || others.length > 0) return null;
  const { offsetBytes, lengthBytes } = segment;
  return { key: row.key, versionId: row.version_id, offsetBytes, lengthBytes };
}

function isKnown(sql: Sql, bucket: number, blobId: BlobId): boolean {
  const rows = sql.all('SELECT 1 FROM blobs WHERE blob_id = ? AND bucket = ?', blobId, bucket);
  return rows.length > 0;
}

/** Lets a version lie in another pack; false: it does not lie there any more. */
function moveBody(
  sql: Sql,
  bucket: number,
  from: BlobId,
  move: PackedVersion & { readonly newBlobId: BlobId; readonly newOffsetBytes: number },
): boolean {
  const { key, versionId, offsetBytes, lengthBytes, newBlobId, newOffsetBytes } = move;
  const version = findBody(sql, bucket, key, versionId);
  if (version === null) return false;
  const { object, stored, kind } = version;
  if (!isSameBody(object.segments, [{ blobId: from, offsetBytes, lengthBytes }])) return false;
  const segments = [{ blobId: newBlobId, offsetBytes: newOffsetBytes, lengthBytes }];
  const next = { ...object, segments, inlineBytes: null };
  rewriteDetail(sql, bucket, kind === 'current' ? 'objects' : 'versions', next, stored.bodyId);
  return true;
}
