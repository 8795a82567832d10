// CreateBucket, with the caps and the quota of the account. Its commits are in an
// order in which a crash leaves nothing that a repetition or the sweeper does not
// repair.
import type { BucketAccess } from '../../domain/bucket-access.ts';
import { type BucketSettings, NO_SETTINGS } from '../../domain/bucket-settings.ts';
import { StorageError } from '../../domain/errors.ts';
import { type BucketLocation, jurisdictionOf } from '../../domain/locations/bucket-locations.ts';
import type { Account, BucketName, BucketRecord } from '../../domain/nouns.ts';
import { makeBucketId } from '../../domain/owner-bucket.ts';
import { withPublicReads } from '../auth/public-reads.ts';
import { isCappedFromStart, markBucket } from '../caps/set-cap.ts';
import type { Core } from '../core.ts';
import { getAccountQuota, markBucket as markForQuota } from '../quotas/account-quota.ts';

/**
 * Makes a bucket, or finds the one that the account has already (`isNew` false).
 * The account's list is written first: a crash in between leaves a name without a
 * bucket, which a repetition or the sweeper repairs. Errors: BucketAlreadyExists
 * (another account's), IllegalLocationConstraintException (the name still is in
 * another jurisdiction). Cost: two commits, and two looks at the caps and the quota of
 * the account; a read of the directory for a jurisdiction.
 */
export async function createBucket(
  core: Core,
  account: Account,
  name: BucketName,
  access: Omit<BucketAccess, 'publicReads'>,
  settings: BucketSettings = NO_SETTINGS,
  requestedLocation: BucketLocation | null = null,
): Promise<{ record: BucketRecord; isNew: boolean }> {
  const { clock, directory, ids, metadataIndex } = core.ports;
  const createdAtMs = clock.nowMs();
  const location = requestedLocation ?? defaultLocation(core);
  await requireJurisdiction(core, name, location);
  const [isCapped, quota] = await Promise.all([
    isCappedFromStart(core, account.id),
    getAccountQuota(core, account.id),
    directory.call('addBucket', { ownerId: account.id, name, createdAtMs, location }),
  ]);
  const bucket: BucketRecord = {
    id: makeBucketId(name, ids.bucketId()),
    name,
    ownerId: account.id,
    createdAtMs,
    revision: 1,
    access: withPublicReads({ name, ownerId: account.id }, access),
    settings: {
      ...settings,
      ...(isCapped && { isCapped }),
      ...(quota !== null && { hasAccountQuota: true }),
    },
  };

  try {
    const record = await metadataIndex.call(name, 'createBucket', { bucket });
    core.ports.hotMetadata.evict(name, null);
    return { record: await withLimitsOfMeanwhile(core, record), isNew: true };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (error.code === 'BucketAlreadyExists') {
      await directory.call('removeBucket', { ownerId: account.id, name, createdAtMs });
    }
    if (error.code !== 'BucketAlreadyOwnedByYou') throw error;
    const record = await metadataIndex.call(name, 'getBucket', { name });
    if (record === null) throw new StorageError('ConditionalRequestConflict', { cause: error });
    // The list shows the time of the existing bucket, not of this attempt.
    await directory.call('addBucket', {
      ownerId: account.id,
      name,
      createdAtMs: record.createdAtMs,
    });
    return { record: await withLimitsOfMeanwhile(core, record), isNew: false };
  }
}

const defaultLocation = ({ settings: { bucketLocation } }: Core): BucketLocation | null =>
  bucketLocation === 'near' ? null : (bucketLocation ?? null);

/**
 * Refuses a jurisdiction for a name whose location is fixed still: a bucket of it is
 * there, or was until the sweeper's next round.
 */
async function requireJurisdiction(
  { ports: { directory } }: Core,
  name: BucketName,
  location: BucketLocation | null,
): Promise<void> {
  const jurisdiction = jurisdictionOf(location);
  if (jurisdiction === null) return;
  const noted = await directory.call('getBucketName', { name });
  if (noted === null || jurisdictionOf(noted.location) === jurisdiction) return;
  throw new StorageError('IllegalLocationConstraintException', {
    detail:
      'A bucket of this name is or was in another jurisdiction. Choose another name, or try ' +
      'again a day after it was deleted.',
    fields: { LocationConstraint: jurisdiction },
  });
}

/**
 * Adds the marks of a cap and a quota that were set while the bucket was made. A
 * creation looks for limits; somebody sets one and finds no bucket to mark; the
 * bucket is created unmarked. Guard: it looks for limits again once the bucket is
 * there.
 */
async function withLimitsOfMeanwhile(core: Core, record: BucketRecord): Promise<BucketRecord> {
  const { name, ownerId, settings } = record;
  const isCapMissing = settings.isCapped !== true && (await isCappedFromStart(core, ownerId));
  const isQuotaMissing =
    settings.hasAccountQuota !== true && (await getAccountQuota(core, ownerId)) !== null;
  if (isCapMissing) await markBucket(core, ownerId, name, true);
  if (isQuotaMissing) await markForQuota(core, ownerId, name, true);
  if (!isCapMissing && !isQuotaMissing) return record;
  return (await core.ports.metadataIndex.call(name, 'getBucket', { name })) ?? record;
}
