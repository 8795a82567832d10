// Which blobs of a backup have their length checked in a run. A stat of each would
// be the dearest part of a run that copies little, and only a hand or a failing
// disk can cut a named file. So each run checks a part, and a week of nightly runs
// checks all.
import type { BlobId } from '../../../domain/nouns.ts';
import type { Manifest } from '../disk/backup-manifest.ts';

export type LengthChecks = {
  /**
   * Whether this blob's length is to be checked; to be called in the order of ids.
   */
  isDue(blobId: BlobId): boolean;
  /** Where the next run goes on; empty: at the first. */
  cursor(): string;
};

/** Runs that check all blobs together. */
const RUNS = 7;
/** Least blobs that a run checks: 30 ms of CPU (measured 2026-11). */
const LEAST_BLOBS = 10_000;

/** Checks each blob. */
export const ALL_LENGTHS: LengthChecks = { isDue: () => true, cursor: () => '' };

/**
 * Checks the part behind that of the former run, and the blobs that that run found
 * hurt.
 */
export function createLengthChecks(former: Manifest): LengthChecks {
  const hurt = new Set(former.hurtBlobs);
  const start = former.lengthsCheckedTo ?? '';
  let left = Math.max(LEAST_BLOBS, Math.ceil(former.blobs.count / RUNS));
  let last = '';

  return {
    isDue(blobId) {
      if (left === 0 || blobId <= start) return hurt.has(blobId);
      left -= 1;
      last = blobId;
      return true;
    },
    cursor: () => (left === 0 ? last : ''),
  };
}
