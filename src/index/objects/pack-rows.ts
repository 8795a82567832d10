// Rows of packs and of the bodies that wait for them. The `detail` of a waiting body is a
// JSON array: name of the pack, offset, key, headers, user metadata. Each pack has a block
// of ids below 0 for its bodies. No id is used again, for a version names its body by the
// id after that has moved, too. Called by open-packs.ts, and by packs.ts of maintenance.
import type { BlobId, ObjectVersion } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';

/** Bodies that a pack has at most. Our own limit. */
export const BODIES_PER_PACK = 1024;
/** The least id of the rows of pack `n`, which counts from 1. */
export const firstBodyId = (n: number): number => -n * BODIES_PER_PACK;

type Entry = readonly [name: string, offsetBytes: number, ...subject: unknown[]];
/** What the row of a waiting body says. */
export type PackEntry = { readonly offsetBytes: number; readonly subject: string };

/** The part of a blob id that tells it from others of its bucket. */
const nameOf = (blobId: BlobId): string => blobId.slice(blobId.lastIndexOf('/') + 1);

/** The text of a body that waits for its pack. */
export function encodeEntry(
  blobId: BlobId,
  offsetBytes: number,
  { key, headers, userMetadata }: ObjectVersion,
): string {
  const entry: Entry = [nameOf(blobId), offsetBytes, key, headers, userMetadata];
  return JSON.stringify(entry);
}

/**
 * What the text of a row says; null: the row has another body by now, which does not
 * wait for that pack.
 */
export function decodeEntry(blobId: BlobId, text: string): PackEntry | null {
  if (!text.startsWith('[')) return null;
  const [name, offsetBytes, ...subject] = JSON.parse(text) as Entry;
  return name === nameOf(blobId) ? { offsetBytes, subject: JSON.stringify(subject) } : null;
}

/** A pack that waits. */
export type PackRow = {
  readonly n: number;
  readonly blob_id: BlobId;
  readonly is_closed: number;
  readonly end_bytes: number;
  readonly size_bytes: number;
};

/** A body that waits for a pack, without its bytes. */
export type WaitingRow = PackEntry & {
  readonly id: number;
  readonly lengthBytes: number;
  /** Length of the row's text in UTF-8. */
  readonly textBytes: number;
};

/** The bodies that wait for a pack, by offset. */
export function waitingRows(
  sql: Sql,
  { n, blob_id: blobId }: Pick<PackRow, 'n' | 'blob_id'>,
): WaitingRow[] {
  const rows = sql.all<{ id: number; detail: string; length: number; text_bytes: number }>(
    `SELECT id, detail, length(inline_bytes) AS length,
       length(CAST(detail AS BLOB)) AS text_bytes
     FROM object_bodies WHERE id BETWEEN ? AND ? AND inline_bytes IS NOT NULL ORDER BY id`,
    ...blockOf(n),
  );
  return rows.flatMap(({ id, detail, length, text_bytes: textBytes }) => {
    const entry = decodeEntry(blobId, detail);
    return entry === null ? [] : [{ id, lengthBytes: length, textBytes, ...entry }];
  });
}

/** The bodies that wait for a pack, with their bytes. */
export function waitingBodies(sql: Sql, { n, blob_id: blobId }: PackRow) {
  const rows = sql.all<{ id: number; detail: string; bytes: Uint8Array }>(
    `SELECT id, detail, inline_bytes AS bytes FROM object_bodies
     WHERE id BETWEEN ? AND ? AND inline_bytes IS NOT NULL ORDER BY id`,
    ...blockOf(n),
  );
  return rows.flatMap(({ id, detail, bytes }) => {
    const entry = decodeEntry(blobId, detail);
    return entry === null ? [] : [{ id, bytes, ...entry }];
  });
}

/**
 * Closes a pack: it gets no body more. Its size is settled here, so that whoever
 * writes it, and when, writes as many bytes; the directory is shorter than the texts
 * of the rows together.
 */
export function closePack(sql: Sql, pack: Pick<PackRow, 'n' | 'blob_id'>, dueAtMs: number): void {
  const rows = waitingRows(sql, pack);
  const endBytes = rows.reduce((end, row) => Math.max(end, row.offsetBytes + row.lengthBytes), 0);
  const directoryBytes = rows.reduce((sum, { textBytes }) => sum + textBytes, 0);
  sql.all(
    'UPDATE packs SET is_closed = 1, due_at_ms = ?, end_bytes = ?, size_bytes = ? WHERE n = ?',
    dueAtMs,
    endBytes,
    endBytes + directoryBytes,
    pack.n,
  );
}

/** The least and the greatest id of the rows of a pack. */
export function blockOf(n: number): [number, number] {
  const first = firstBodyId(n);
  return [first, first + BODIES_PER_PACK - 1];
}
