import type { AccessKey, AccessKeyId } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { Core } from '../core.ts';
import { ROOT_ACCOUNT } from './root-account.ts';

/** The root access key as the home's settings give it; a name without a value is what is missing. */
export type RootKey = { readonly id: string | null; readonly secret: string | null };

/**
 * Makes the look-up of access keys: the root key and the seed's from the settings, every other from the directory.
 * Without a complete root key nobody is let in: ServiceUnavailable names what is missing.
 */
export function createAccessKeyFinder(
  core: Core,
  root: RootKey,
  seed: readonly AccessKey[],
): (id: AccessKeyId) => AccessKey | Promise<AccessKey | null> {
  const missing = [
    ...(root.id === null ? ['QUAYSIDE_ROOT_ACCESS_KEY'] : []),
    ...(root.secret === null ? ['QUAYSIDE_ROOT_SECRET_KEY'] : []),
  ];
  const rootKey =
    root.id === null || root.secret === null
      ? null
      : { id: root.id as AccessKeyId, secret: root.secret, account: ROOT_ACCOUNT };
  const seeded = new Map(seed.map((key) => [key.id, key]));
  return (id) => {
    if (rootKey === null) {
      throw new StorageError('ServiceUnavailable', {
        detail: `This server has no root key: ${missing.join(' and ')} is not set.`,
      });
    }
    if (id === rootKey.id) return rootKey;
    return seeded.get(id) ?? core.ports.directory.call('getAccessKey', { id });
  };
}
