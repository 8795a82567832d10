// As what public reads count: who pays for them, and where their bytes came from. Used by all doors
// of delivery.
import type { BucketReadPolicy } from '../../domain/nouns.ts';
import type { Meter, UsageOwner, UsageTier } from '../../ports/metering.ts';
import type { RequestNotes } from '../observe/request-notes.ts';
import type { BodyOrigin } from './cache-status.ts';

/** Who pays for what is read without a signature. */
export function readerOf({ ownerId, bucketId }: BucketReadPolicy): UsageOwner {
  return { accountId: ownerId, bucketId, accessKeyId: null };
}

/**
 * Meters one public read that the hot door answers; long answers count as they leave
 * (count-sent.ts). Cost: 15 ns.
 */
export function countRead(
  meter: Meter,
  readPolicy: BucketReadPolicy,
  bytesOut: number,
  origin: BodyOrigin,
  storageClass: string,
): void {
  meter.ofReadPolicy(readPolicy).count('B', bytesOut, tierOf(origin, bytesOut), storageClass);
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
