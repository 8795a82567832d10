// Which blobs of a backup have their length looked at in a run. A stat for each of them would be
// the dearest part of a run that changes little, and all that can shorten a file with a name is a
// hand or a failing disk. Guard: each run looks at a part, so a week of nightly runs looks at all.
import type { BlobId } from '../../../domain/nouns.ts';
import type { Manifest } from '../disk/backup-manifest.ts';

export type LengthChecks = {
  /** Whether this blob is to be looked at; to be called in the order of ids. */
  isDue(blobId: BlobId): boolean;
  /** Where the next run goes on; empty: at the first. */
  cursor(): string;
};

/** Runs that look at all blobs together. */
const RUNS = 7;
/** A run looks at so many at least: 30 ms of CPU (measured 2026-11). */
const LEAST_BLOBS = 10_000;

/** Looks at each blob. */
export const ALL_LENGTHS: LengthChecks = { isDue: () => true, cursor: () => '' };

/** The part behind that of the former run, and what that run found hurt. */
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
