// Slots in packs for all bodies that one command puts inline: copies into another
// bucket, and the copies and moves of a job. A pack that such a command fills is
// written by the sweep, minutes later. Called by commit-copies.ts and by key jobs.
import type { BlobId, BucketRef, ObjectVersion } from '../../domain/nouns.ts';
import type { OpenPacks } from './open-packs.ts';
import type { SlotBody } from './version-details.ts';

export type PackSlots = {
  /** Writes a version with a slot for its body; null: it has none, or stays inline. */
  write<Result>(version: ObjectVersion, write: (slotBody: SlotBody | null) => Result): Result;
};

/**
 * Slots for one command. `packIds`: ids of the packs that begin meanwhile, in their
 * order; where they are too few, or absent, bodies stay inline for good.
 */
export function createPackSlots(
  packs: OpenPacks,
  n: number,
  { id }: BucketRef,
  packIds: readonly BlobId[] | undefined,
  nowMs: number,
): PackSlots {
  const unused = [...(packIds ?? [])];
  return {
    write(version, write) {
      const assignment = packs.assignSlot({ n, id }, version, unused[0], nowMs);
      const result = write(assignment?.body ?? null);
      const full = assignment?.full ?? null;
      if (full === null) return result;
      packs.close(full, nowMs);
      if (full.blob_id === unused[0]) unused.shift();
      return result;
    },
  };
}
