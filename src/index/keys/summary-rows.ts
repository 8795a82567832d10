// The columns of an object that listings and search read, and what these make of
// them. Other columns of a version are object-rows.ts's.
import type { AccountId, Checksum, ObjectKey, ObjectSummary } from '../../domain/nouns.ts';

/** The columns of an object in a listing. */
export type SummaryRow = {
  readonly key: string;
  readonly owner_id: string | null;
  readonly size_bytes: number;
  readonly etag: string;
  readonly last_modified_ms: number;
  readonly storage_class: string;
  readonly checksum_algorithm: string | null;
  readonly checksum_type: string | null;
};

/** What lists show of a row. */
export function decodeSummary(row: SummaryRow): ObjectSummary {
  return {
    key: row.key as ObjectKey,
    ownerId: row.owner_id as AccountId | null,
    sizeBytes: row.size_bytes,
    etag: row.etag,
    lastModifiedMs: row.last_modified_ms,
    storageClass: row.storage_class,
    checksum: decodeChecksumKind(row),
  };
}

/** The algorithm and type of a checksum, or null where the version has none. */
export function decodeChecksumKind(
  row: Pick<SummaryRow, 'checksum_algorithm' | 'checksum_type'>,
): Pick<Checksum, 'algorithm' | 'type'> | null {
  if (row.checksum_algorithm === null || row.checksum_type === null) return null;
  return {
    algorithm: row.checksum_algorithm as Checksum['algorithm'],
    type: row.checksum_type as Checksum['type'],
  };
}
