// Sets and removes the hosting settings of a bucket: the settings in the bucket's
// record, its host names in the directory. Called by every surface that lets owners
// change them.

import { hasCode, StorageError } from '../../domain/errors.ts';
import type { HostedDomain, HostingSettings } from '../../domain/hosting.ts';
import type { BucketAddress, BucketRecord } from '../../domain/nouns.ts';
import type { HostBinding } from '../../ports/directory.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../opened-bucket/set-bucket-settings.ts';
import { requireHostProofs, requireMayBindHosts } from './host-proof.ts';

/**
 * Replaces all hosting settings. The host names come first, because another bucket
 * can have them: DomainAlreadyBound and DomainNotProven change nothing. A crash
 * between the two commits leaves names without settings, which a repetition
 * repairs. AccessDenied for host names of an account that may have none. Cost: two
 * commits, and that of requireHostProofs.
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

/** Removes settings and host names; no error when there are none. */
export async function removeHosting(core: Core, bucket: BucketHandle): Promise<void> {
  await bindDomains(core, bucket.record(), []);
  await setBucketSettings(core, bucket, { hosting: null });
}

/** Returns the settings. NoSuchHostingConfiguration. */
export function getHosting(bucket: BucketHandle): HostingSettings {
  const { settings, name } = bucket.record();
  if (settings.hosting === null)
    throw new StorageError('NoSuchHostingConfiguration', { fields: { BucketName: name } });
  return settings.hosting;
}

/**
 * Replaces the host names of the bucket. A name that is bound to a deleted bucket
 * is taken over. Deleting a bucket releases its names, but a crash may have come in
 * between. DomainAlreadyBound.
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
          : await findDeadBinding(core, host);
      if (dead === null) throw error;
      mayTake.push(dead);
    }
  }
}

/** Finds the binding of a host whose bucket does not exist any more. */
async function findDeadBinding(core: Core, host: string): Promise<HostBinding | null> {
  const { directory, metadataIndex } = core.ports;
  const binding = await directory.call('getHost', { host });
  if (binding === null) return null;
  const current = await metadataIndex.call(binding.bucket, 'getBucket', { name: binding.bucket });
  return current?.id === binding.bucketId ? null : binding;
}
