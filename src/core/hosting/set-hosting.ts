// Puts the hosting settings of a bucket in force, and takes them away: the settings in the bucket's
// record, its host names in the directory. Every surface that lets owners change them calls here.

import { hasCode, StorageError } from '../../domain/errors.ts';
import type { HostedDomain, HostingSettings } from '../../domain/hosting.ts';
import type { BucketAddress, BucketRecord } from '../../domain/nouns.ts';
import type { HostBinding } from '../../ports/directory.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import { setBucketSettings } from '../buckets/set-bucket-settings.ts';
import type { Core } from '../core.ts';
import { requireHostProofs, requireMayBindHosts } from './host-proof.ts';

/**
 * Replaces them all. The host names come first, because they can be another's: DomainAlreadyBound
 * changes nothing, nor does DomainNotProven. A crash between the two leaves names without the
 * settings; sending them again puts it right. AccessDenied for host names of an account that may
 * have none. Cost: two commits, and that of requireHostProofs.
 */
export async function setHosting(
  core: Core,
  bucket: BucketHandle,
  hosting: HostingSettings,
): Promise<BucketRecord> {
  const record = bucket.record();
  if (hosting.domains.length > 0) requireMayBindHosts(core, record.ownerId);
  await requireHostProofs(core, record, hosting.domains);
  await bindDomains(core, record, hosting.domains);
  return setBucketSettings(core, bucket, { hosting });
}

/** Takes settings and host names away; no error when there are none. */
export async function removeHosting(core: Core, bucket: BucketHandle): Promise<void> {
  await bindDomains(core, bucket.record(), []);
  await setBucketSettings(core, bucket, { hosting: null });
}

/** The settings, or NoSuchHostingConfiguration. */
export function getHosting(bucket: BucketHandle): HostingSettings {
  const { settings, name } = bucket.record();
  if (settings.hosting === null)
    throw new StorageError('NoSuchHostingConfiguration', { fields: { BucketName: name } });
  return settings.hosting;
}

/**
 * Makes these the host names of the bucket. A name that a bucket holds which is no more is taken
 * over: deleting a bucket gives its names back, but a crash may have come in between.
 * DomainAlreadyBound.
 */
export async function bindDomains(
  core: Core,
  { id, name }: BucketAddress,
  domains: readonly HostedDomain[],
): Promise<void> {
  const mayTake: Pick<HostBinding, 'host' | 'bucketId'>[] = [];
  for (;;) {
    try {
      return await core.ports.directory.call('bindHosts', {
        bucket: { id, name },
        domains,
        mayTake,
      });
    } catch (error) {
      const host = hasCode(error, 'DomainAlreadyBound') ? error.fields.Domain : undefined;
      const dead =
        host === undefined || mayTake.length > domains.length
          ? null
          : await findDeadHolder(core, host);
      if (dead === null) throw error;
      mayTake.push(dead);
    }
  }
}

/** The binding of that host, if its bucket is no more. */
async function findDeadHolder(core: Core, host: string): Promise<HostBinding | null> {
  const { directory, metadataIndex } = core.ports;
  const holder = await directory.call('getHost', { host });
  if (holder === null) return null;
  const living = await metadataIndex.call(holder.bucket, 'getBucket', { name: holder.bucket });
  return living?.id === holder.bucketId ? null : holder;
}
