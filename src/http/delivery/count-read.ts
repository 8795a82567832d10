// How public reads count: who pays for them, where their bytes came from, and what
// the request's notes say of them. Called by the full path, the fast path and
// sites.
import type { BucketName, BucketReadPolicy } from '../../domain/nouns.ts';
import type { MetadataLookup } from '../../ports/caches/hot-metadata.ts';
import type { Meter, UsageOwner, UsageTier } from '../../ports/metering.ts';
import type { RequestNotes } from '../observe/request-notes.ts';
import type { BodyOrigin } from './cache-status.ts';

/** Who pays for what is read without a signature. */
export function payerOfRead({ ownerId, bucketId }: BucketReadPolicy): UsageOwner {
  return { accountId: ownerId, bucketId, accessKeyId: null };
}

/**
 * Meters one public read that the fast path answers; long responses count as they
 * leave (outgoing-body.ts). Cost: 15 ns.
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

/** The tier that bytes are billed by: those of the index row come from memory. */
export function tierOf(origin: BodyOrigin, bytesOut: number): UsageTier {
  return origin === 'index' || (origin === 'none' && bytesOut === 0) ? 'memory' : origin;
}

/** Notes of a read for the log and metrics: bytes and the tier they came from. */
export function noteRead(notes: RequestNotes, bytesOut: number, origin: BodyOrigin): void {
  notes.bodyBytes = bytesOut;
  notes.bodyTier = origin;
}

/**
 * Notes which bucket and object a read is of, once something was found; `key`: as
 * it is logged.
 */
export function noteFound(
  notes: RequestNotes,
  { bucket, key }: { readonly bucket: BucketName; readonly key: string },
  { readPolicy, tier }: Pick<MetadataLookup, 'readPolicy' | 'tier'>,
): void {
  if (readPolicy !== null) {
    notes.bucket = bucket;
    notes.payer = payerOfRead(readPolicy);
    notes.isLogged = readPolicy.settings.logging != null;
    notes.key = key;
  }
  notes.metadataTier = tier;
  if (tier !== 'memory') notes.foundMs = performance.now();
}
