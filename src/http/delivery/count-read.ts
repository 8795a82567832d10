import type { BucketGate } from '../../ports/domain.ts';
import type { Meter, UsageOwner, UsageTier } from '../../ports/metering.ts';
import type { RequestNotes } from '../observe/request-notes.ts';
import type { BodyOrigin } from './cache-status.ts';

/** Who pays for what is read without a signature. */
export function readerOf({ ownerId, bucketId }: BucketGate): UsageOwner {
  return { accountId: ownerId, bucketId, accessKeyId: null };
}

/**
 * Meters one public read that was answered with an object: the one event of both doors. `storageClass`: the object's.
 * `notes`: where the other door than the hot one writes it down too. Cost: 15 ns.
 */
export function countRead(
  meter: Meter,
  gate: BucketGate | null,
  bytesOut: number,
  origin: BodyOrigin,
  storageClass: string,
  notes: RequestNotes | null,
): void {
  if (notes !== null) noteRead(notes, bytesOut, origin);
  // An object without a bucket there is not: then nobody could be billed.
  if (gate === null) return;
  meter.ofGate(gate).count('B', bytesOut, tierOf(origin, bytesOut), storageClass);
}

/** As what bytes count: those of the index row come from memory, as far as bills go. */
export function tierOf(origin: BodyOrigin, bytesOut: number): UsageTier {
  return origin === 'index' || (origin === 'none' && bytesOut === 0) ? 'memory' : origin;
}

/** What the log and metrics say of it. */
export function noteRead(notes: RequestNotes, bytesOut: number, origin: BodyOrigin): void {
  notes.bodyBytes = bytesOut;
  notes.bodyTier = origin;
}
