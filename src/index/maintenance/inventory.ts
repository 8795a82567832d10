// What backup, restore and check read of an index as a whole: every blob that rows
// refer to, every row that refers to blobs; parts are inventory-parts.ts's. Each query
// reads one page behind a cursor by a primary key, so a check of a running server holds
// no long transaction and the write-ahead log can be folded in meanwhile.
import type { BlobId, BucketId, BucketName, ObjectVersion } from '../../domain/nouns.ts';
import { rowIdOf } from '../../domain/uploads/upload-rows.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { decodeVersion, type VersionRow } from '../objects/object-rows.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { decodeUpload, type UploadRow } from '../uploads/upload-rows.ts';

/**
 * A blob that at least one row refers to. `sizeBytes` is of its body, without the
 * footer.
 */
export type ReferencedBlob = { readonly blobId: BlobId; readonly sizeBytes: number };

/**
 * Whether the database has any tables of the index: an empty or foreign file has
 * none.
 */
export function hasIndexTables(sql: Sql): boolean {
  return (
    sql.all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'buckets'").length > 0
  );
}

/** Ids of all bucket incarnations, deleted ones that are not swept yet included. */
export function listBucketIds(sql: Sql): BucketId[] {
  return sql.all<{ id: BucketId }>('SELECT id FROM buckets').map(({ id }) => id);
}

/**
 * Referenced blobs behind an id, in the order of the ids of their rows. A blob that
 * several buckets refer to comes once, with the length that its owner bucket knows: a
 * remote reference may be to a range of it.
 */
export function listReferencedBlobs(
  sql: Sql,
  page: { after: string; limit: number },
): ReferencedBlob[] {
  return sql
    .all<{ blob_id: BlobId; size_bytes: number }>(
      `SELECT blob_id, coalesce(
         max(CASE WHEN home_bucket_id IS NULL THEN size_bytes END), max(size_bytes)
       ) AS size_bytes
       FROM blobs WHERE blob_id > ?
       GROUP BY blob_id HAVING max(refs) > 0 ORDER BY blob_id LIMIT ${PLAN_ONCE} ?`,
      rowIdOf(page.after as BlobId),
      page.limit,
    )
    .map((row) => ({ blobId: rowIdOf(row.blob_id), sizeBytes: row.size_bytes }));
}

/** Picks the ids that rows refer to. */
export function filterReferenced(sql: Sql, blobIds: readonly BlobId[]): Set<BlobId> {
  const rows = sql.all<{ blob_id: BlobId }>(
    `SELECT DISTINCT blob_id FROM blobs
     WHERE blob_id IN (SELECT value FROM json_each(?)) AND refs > 0`,
    JSON.stringify(blobIds.map(rowIdOf)),
  );
  return new Set(rows.map((row) => rowIdOf(row.blob_id)));
}

/** Picks the ids that the index knows at all. */
export function filterKnown(sql: Sql, blobIds: readonly BlobId[]): Set<BlobId> {
  const rows = sql.all<{ blob_id: BlobId }>(
    'SELECT DISTINCT blob_id FROM blobs WHERE blob_id IN (SELECT value FROM json_each(?))',
    JSON.stringify(blobIds.map(rowIdOf)),
  );
  return new Set(rows.map((row) => rowIdOf(row.blob_id)));
}

/**
 * Condemns, in a copy of an index, every blob that no row of any bucket refers to.
 * The copy comes without their bytes, and a later upload of equal bytes must not be
 * deduplicated with them.
 */
export function condemnUnreferencedBlobs(sql: Sql): void {
  sql.all(
    `UPDATE blobs SET is_condemned = 1 WHERE refs = 0
       AND NOT EXISTS (
         SELECT 1 FROM blobs AS other WHERE other.blob_id = blobs.blob_id AND other.refs > 0)`,
  );
}

/**
 * Lets the bodies that wait for packs stay inline, in a copy of an index. The original
 * may give the same places to other bodies, and its packs may meet the copy's: in a
 * folder of backups, where a name that is there stands for its bytes.
 */
export function forgetPacks(sql: Sql): void {
  const isThere = sql.all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'packs'");
  if (isThere.length > 0) sql.all('DELETE FROM packs');
}

/**
 * Where a segment's bytes should be, as the blob's row of that bucket says; null:
 * there is no row.
 */
export type BlobRow = {
  readonly sizeBytes: number;
  readonly refs: number;
  readonly isCondemned: boolean;
};

/** The row of a blob in one bucket, with the length that its owner bucket knows. */
export function readBlobRow(sql: Sql, bucket: number, blobId: BlobId): BlobRow | null {
  const [row] = sql.all<{ size_bytes: number; refs: number; is_condemned: number }>(
    `SELECT refs, is_condemned, coalesce(
       (SELECT max(size_bytes) FROM blobs WHERE blob_id = ?1 AND home_bucket_id IS NULL), size_bytes
     ) AS size_bytes
     FROM blobs WHERE blob_id = ?1 AND bucket = ?2`,
    rowIdOf(blobId),
    bucket,
  );
  return row === undefined
    ? null
    : { sizeBytes: row.size_bytes, refs: row.refs, isCondemned: row.is_condemned === 1 };
}

/** A version as it stands in the index, with the bucket that has it. */
export type InventoryVersion = {
  /** The number of the bucket in this database. */
  readonly bucket: number;
  readonly bucketName: BucketName;
  readonly version: ObjectVersion;
};
export type VersionCursor = {
  readonly bucket: number;
  readonly key: string;
  readonly versionId: string;
};
export const FIRST_VERSION: VersionCursor = { bucket: 0, key: '', versionId: '' };

const versionColumns = (
  inlineBytes: string,
) => `o.bucket, o.key, o.owner_id AS object_owner_id, o.size_bytes,
  o.etag, o.last_modified_ms, o.storage_class, o.checksum_algorithm, o.checksum_type, o.version_id,
  o.is_null, coalesce(o.detail, x.detail) AS detail, ${inlineBytes} AS inline_bytes`;

type InventoryRow = VersionRow & {
  readonly bucket: number;
  readonly name: string;
  readonly is_marker?: number;
};

/**
 * Versions among so many rows; `next`: where to go on, null behind the last row.
 */
export type VersionPage = {
  readonly versions: readonly InventoryVersion[];
  readonly next: VersionCursor | null;
};

/**
 * Current objects behind a cursor. `withBodies`: inline bodies come along, else
 * they are left out.
 */
export function listCurrentVersions(
  sql: Sql,
  page: { after: VersionCursor; limit: number; withBodies: boolean },
): VersionPage {
  const { after, limit, withBodies } = page;
  const text = withBodies ? CURRENT_WITH_BODIES : CURRENT;
  return toPage(sql.all<InventoryRow>(text, after.bucket, after.key, limit), page);
}

/**
 * Older versions behind a cursor, the newest of a key first. Delete markers are not
 * among them, but count as rows of the page: millions may stand in a row, and one
 * call must not go over all of them.
 */
export function listOlderVersions(
  sql: Sql,
  page: { after: VersionCursor; limit: number; withBodies: boolean },
): VersionPage {
  const { after, limit, withBodies } = page;
  const values: SqlValue[] = [after.bucket, after.key, after.versionId, limit];
  return toPage(sql.all<InventoryRow>(withBodies ? OLDER_WITH_BODIES : OLDER, ...values), page);
}

const currentQuery = (inlineBytes: string) => `SELECT ${versionColumns(inlineBytes)}, b.name
  FROM objects AS o JOIN buckets AS b ON b.n = o.bucket
  LEFT JOIN object_bodies AS x ON x.id = o.body_id
  WHERE (o.bucket, o.key) > (?1, ?2) ORDER BY o.bucket, o.key LIMIT ${PLAN_ONCE} ?3`;
/** Empty instead of the bytes: a body that stands inline must not seem to be in a pack. */
const NO_BYTES = "CASE WHEN x.inline_bytes IS NOT NULL THEN x'' END";
const CURRENT = currentQuery(NO_BYTES);
const CURRENT_WITH_BODIES = currentQuery('x.inline_bytes');

/**
 * The rest of the cursor's key, then the keys behind it: each half seeks in the
 * primary key.
 */
const olderQuery = (inlineBytes: string) => {
  const select = `SELECT ${versionColumns(inlineBytes)}, o.is_marker, b.name
    FROM versions AS o JOIN buckets AS b ON b.n = o.bucket
    LEFT JOIN object_bodies AS x ON x.id = o.body_id`;
  return `SELECT * FROM (${select} WHERE o.bucket = ?1 AND o.key = ?2 AND o.version_id < ?3
      ORDER BY o.version_id DESC LIMIT ${PLAN_ONCE} ?4)
    UNION ALL SELECT * FROM (${select} WHERE (o.bucket, o.key) > (?1, ?2)
      ORDER BY o.bucket, o.key, o.version_id DESC LIMIT ${PLAN_ONCE} ?4)
    LIMIT ${PLAN_ONCE} ?4`;
};
const OLDER = olderQuery(NO_BYTES);
const OLDER_WITH_BODIES = olderQuery('x.inline_bytes');

function toPage(
  rows: readonly InventoryRow[],
  { limit, withBodies }: { readonly limit: number; readonly withBodies: boolean },
): VersionPage {
  const versions = rows.filter((row) => row.is_marker !== 1);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    versions: versions.map((row) => ({
      bucket: row.bucket,
      bucketName: row.name as BucketName,
      version: withBodies ? decodeVersion(row) : withoutBytes(decodeVersion(row)),
    })),
    next:
      last === undefined
        ? null
        : { bucket: last.bucket, key: last.key, versionId: last.version_id },
  };
}

function withoutBytes(version: ObjectVersion): ObjectVersion {
  return version.inlineBytes === null ? version : { ...version, inlineBytes: null };
}

/** The cursor behind a version. */
export function cursorBehind({ bucket, version }: InventoryVersion): VersionCursor {
  return { bucket, key: version.key, versionId: version.versionId };
}

/** What a master key encrypts directly. `objects` counts versions under SSE-S3. */
export type MasterKeyUse = 'objects' | 'uploads' | 'accessKeys' | 'kmsKeys' | 'webhookSecrets';
/** Counts by the id of the master key. */
export type MasterKeyUses = Map<string, { [Use in MasterKeyUse]?: number }>;

/** Counts one encrypted text, or one wrapped key. */
export function addMasterKeyUse(uses: MasterKeyUses, use: MasterKeyUse, encrypted: string): void {
  const id = masterKeyIdOf(encrypted);
  const counts = uses.get(id) ?? {};
  counts[use] = (counts[use] ?? 0) + 1;
  uses.set(id, counts);
}

/**
 * How often something in the directory or in uploads in progress is encrypted by
 * each master key, by its id.
 */
export function countMasterKeyUses(sql: Sql): MasterKeyUses {
  const uses: MasterKeyUses = new Map();
  for (const { kind, text } of sql.all<{ kind: 'accessKeys' | 'kmsKeys'; text: string }>(
    ENCRYPTED_TEXTS,
  )) {
    addMasterKeyUse(uses, kind, text);
  }
  for (const { secrets } of sql.all<{ secrets: string }>('SELECT secrets FROM webhooks')) {
    for (const { wrapped } of JSON.parse(secrets) as { readonly wrapped: string }[]) {
      addMasterKeyUse(uses, 'webhookSecrets', wrapped);
    }
  }
  for (const row of sql.all<UploadRow>(
    'SELECT key, upload_id, created_at_ms, attributes FROM uploads',
  )) {
    const { encryption } = decodeUpload(row);
    if (encryption?.kind === 'server') addMasterKeyUse(uses, 'uploads', encryption.wrappedKey);
  }
  return uses;
}

const ENCRYPTED_TEXTS = `SELECT 'accessKeys' AS kind, secret AS text
    FROM access_keys WHERE is_sealed = 1
  UNION ALL SELECT 'kmsKeys', wrapped_key FROM named_keys`;

/**
 * Encrypted texts and wrapped keys begin with the id of their master key and a dot.
 */
export function masterKeyIdOf(encrypted: string): string {
  return encrypted.slice(0, encrypted.indexOf('.'));
}
