// What a row of an object, of an older version or of parts takes up, before and
// after a change. The commits fill it in, storage totals and sums of keys add it
// up. Plain data.
import type { ObjectKey } from '../../domain/nouns.ts';
import type { PutCounting } from './late-objects.ts';

/**
 * What takes up room: the current object of a key, a version of it that is not
 * current, or parts of an upload. Delete markers have no bytes and are not
 * reported. `count`: rows that this stands for; more than one only of parts.
 */
export type RowState = {
  readonly kind: 'current' | 'noncurrent' | 'part';
  readonly count: number;
  /**
   * Bytes of all `count` rows together, as clients see them: before encryption and
   * deduplication.
   */
  readonly sizeBytes: number;
  readonly storageClass: string;
  /** Bytes of these that compression spares: never more than they are. */
  readonly compressedAway: number;
  /**
   * Bytes that deduplication spares in the bucket and class because of this row; 0
   * where only its kind changes.
   */
  readonly deduplicatedAway: number;
};

export type RowChange = {
  /** The bucket's number in this database. */
  readonly bucket: number;
  readonly key: ObjectKey;
  /**
   * What was there, null for nothing: null to a state is an addition, a state to
   * null a removal.
   */
  readonly from: RowState | null;
  readonly to: RowState | null;
  /**
   * The command's own time; one before an earlier command's counts as that one's.
   */
  readonly atMs: number;
  /** How the totals count what came, if it is a PUT that they may count late. */
  readonly counting?: PutCounting | null;
};

/** One row in a state. */
export function oneRow(
  kind: RowState['kind'],
  row: Pick<RowState, 'sizeBytes' | 'storageClass'> & { readonly compressedAway?: number },
  deduplicatedAway = 0,
): RowState {
  const { sizeBytes, storageClass, compressedAway = 0 } = row;
  return { kind, count: 1, sizeBytes, storageClass, compressedAway, deduplicatedAway };
}
