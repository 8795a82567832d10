// Where small bodies will lie. A commit that puts a body inline gives it a slot in
// the bucket's open pack: a blob that does not exist yet. Its segment stands in the
// row of the version from the first, beside the inline bytes, which count as long as
// they are there. So a body moves into the pack by the removal of one row, its own,
// and the row of the version need not be written again. Called by commit-object.ts;
// packs.ts of maintenance
// has what comes later.
import { StorageError } from '../../domain/errors.ts';
import type { BlobId, BucketId, ObjectVersion } from '../../domain/nouns.ts';
import { isOfBucket } from '../../domain/owner-bucket.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Sql } from '../../ports/sql.ts';
import { encodeDetail } from './object-rows.ts';
import {
  BODIES_PER_PACK,
  blockOf,
  closePack,
  decodeEntry,
  encodeEntry,
  firstBodyId,
} from './pack-rows.ts';
import { DETAIL_IN_ROW_MAX_LENGTH, type SlotBody } from './version-details.ts';

/** A pack that has as much is full; it may have one body more than that. */
export const PACK_BYTES = 4 * 2 ** 20;
/** A pack that is not full is looked at when it has waited so long. */
export const PACK_WAIT_MS = DAY_MS;
/** For so long whoever filled or claimed a pack is left to write it. */
export const CLAIM_MS = 5 * 60_000;
/** Open packs whose end is remembered; of others it is read. */
const REMEMBERED_MAX = 10_000;

type Pack = { readonly n: number; readonly blob_id: BlobId };
/** A body with its slot. `full`: the pack, if it has enough with this body. */
export type SlotAssignment = { readonly body: SlotBody; readonly full: Pack | null };
/** A bucket by its number and id. */
type Bucket = { readonly n: number; readonly id: BucketId };
/** The next free slot of a pack. */
type End = { readonly bodyId: number; readonly offsetBytes: number };

export type OpenPacks = {
  /**
   * Finds a slot for a body that comes inline; its row is to be written in the same
   * transaction, and then a full pack to be closed. `packId`: the id of the pack,
   * should one begin. Null: the body stays inline for good, since it is empty,
   * encrypted, or has long metadata. Cost: a statement; a few more for the first body
   * of a pack.
   */
  assignSlot(
    bucket: Bucket,
    version: ObjectVersion,
    packId: BlobId | undefined,
    nowMs: number,
  ): SlotAssignment | null;
  /** Closes a full pack, and leaves it to the caller to write it for some minutes. */
  close(pack: Pack, nowMs: number): void;
};

/**
 * Slots over a database with INDEX_SCHEMA. What is remembered between calls is a
 * hint: which pack is open the table alone says, in case a transaction was undone.
 */
export function createOpenPacks(sql: Sql): OpenPacks {
  const ends = new Map<BlobId, End>();

  function findOpen(bucket: Bucket): (Pack & { readonly end: End }) | null {
    const [pack] = sql.all<Pack>(
      'SELECT n, blob_id FROM packs INDEXED BY packs_open WHERE bucket = ? AND is_closed = 0',
      bucket.n,
    );
    if (pack === undefined) return null;
    // An older program leaves it behind with an incarnation that had the number.
    if (!isOfBucket(pack.blob_id, bucket.id)) {
      sql.all('DELETE FROM packs WHERE n = ?', pack.n);
      return null;
    }
    const end = ends.get(pack.blob_id) ?? readEnd(sql, pack);
    if (end !== null) return { ...pack, end };
    closePack(sql, pack, 0);
    return null;
  }

  function begin(bucket: Bucket, blobId: BlobId, nowMs: number): number {
    const n = takeNumber(sql);
    sql.all(
      'INSERT INTO packs (n, bucket, blob_id, due_at_ms) VALUES (?, ?, ?, ?)',
      n,
      bucket.n,
      blobId,
      nowMs + PACK_WAIT_MS,
    );
    return n;
  }

  return {
    assignSlot(bucket, version, packId, nowMs) {
      const { inlineBytes, encryption } = version;
      if (inlineBytes === null || inlineBytes.length === 0 || encryption !== null) return null;
      const open = findOpen(bucket);
      const isOwn = packId !== undefined && isOfBucket(packId, bucket.id);
      const blobId = open?.blob_id ?? (isOwn ? packId : undefined);
      if (blobId === undefined) return null;
      const lengthBytes = inlineBytes.length;
      const offsetBytes = open?.end.offsetBytes ?? 0;
      const detail = encodeDetail(version, [{ blobId, offsetBytes, lengthBytes }]);
      if (detail.length > DETAIL_IN_ROW_MAX_LENGTH) return null;

      const n = open?.n ?? begin(bucket, blobId, nowMs);
      const id = open?.end.bodyId ?? firstBodyId(n);
      const end = { bodyId: id + 1, offsetBytes: offsetBytes + lengthBytes };
      const isFull =
        end.offsetBytes >= PACK_BYTES || end.bodyId === firstBodyId(n) + BODIES_PER_PACK;
      if (ends.size >= REMEMBERED_MAX) ends.clear();
      // The commit may be undone before it closes the pack: then no end beyond the last
      // id may be remembered, which begins the block of another pack.
      if (isFull) ends.delete(blobId);
      else ends.set(blobId, end);
      return {
        body: { id, detail, entry: encodeEntry(blobId, offsetBytes, version) },
        full: isFull ? { n, blob_id: blobId } : null,
      };
    },

    close: (pack, nowMs) => closePack(sql, pack, nowMs + CLAIM_MS),
  };
}

/**
 * A number that no pack had before. The last one stands in the row of id 0, which has
 * no body: so the ids that SQLite gives to other rows, behind the greatest, are above.
 */
function takeNumber(sql: Sql): number {
  const [row] = sql.all<{ n: number }>(
    `INSERT INTO object_bodies (id, detail) VALUES (0, '1')
     ON CONFLICT (id) DO UPDATE SET detail = CAST(CAST(detail AS INTEGER) + 1 AS TEXT)
     RETURNING CAST(detail AS INTEGER) AS n`,
  );
  if (row === undefined)
    throw new StorageError('InternalError', { cause: 'object_bodies gave no number' });
  return row.n;
}

/**
 * The end of an open pack that this process has not written to. Null: its last row is
 * none of the pack's any more, or there is no id left.
 */
function readEnd(sql: Sql, { n, blob_id: blobId }: Pack): End | null {
  const [first, last] = blockOf(n);
  const [row] = sql.all<{ id: number; detail: string; length: number }>(
    `SELECT id, detail, coalesce(length(inline_bytes), 0) AS length FROM object_bodies
     WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1`,
    first,
    last,
  );
  if (row === undefined) return { bodyId: first, offsetBytes: 0 };
  const entry = decodeEntry(blobId, row.detail);
  if (entry === null || row.id === last) return null;
  return { bodyId: row.id + 1, offsetBytes: entry.offsetBytes + row.length };
}
