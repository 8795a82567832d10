// Blobs whose bytes are lost: the error that all stores throw for one, and how
// often readers met it.

import { StorageError } from '../../domain/errors.ts';
import type { BlobId } from '../../domain/nouns.ts';
import { type MetricFamily, metricFamily } from '../../ports/metrics.ts';
import type { Log } from '../../ports/system.ts';

/**
 * `missing`: there is no such blob. `damaged`: it is too short, or the device can't
 * read it.
 */
export type DamageKind = 'missing' | 'damaged';
export type NoteDamage = (blobId: BlobId, kind: DamageKind) => void;

/** The failure of a read. The text is for the log; clients get the code's own. */
export function damagedBlob(blobId: BlobId, kind: DamageKind, cause?: unknown): StorageError {
  return new StorageError('ObjectDamaged', { detail: `Blob ${blobId} is ${kind}.`, cause });
}

export type DamageCount = { readonly note: NoteDamage; families(): readonly MetricFamily[] };

/** Counts, and writes a line of each. */
export function createDamageCount(log: Log): DamageCount {
  const counts: Record<DamageKind, number> = { missing: 0, damaged: 0 };
  return {
    note(blobId, kind) {
      counts[kind] += 1;
      log.error('blob-lost', { blobId, kind });
    },
    families: () => [
      metricFamily(
        'counter',
        'quayside_missing_blobs_total',
        'Reads that met a blob that is not there.',
        [[{}, counts.missing]],
      ),
      metricFamily(
        'counter',
        'quayside_damaged_blobs_total',
        'Reads that met a blob that is short or unreadable.',
        [[{}, counts.damaged]],
      ),
    ],
  };
}
