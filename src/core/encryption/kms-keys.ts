// KMS keys, the key-encrypting keys of envelope encryption that have an id. The
// directory stores them wrapped by the master key, and an object names the one that
// protects it. Disabling a key makes its objects unreadable until it is enabled
// again. Called by every surface that manages keys. A key can't be deleted, since
// nothing could ever read its objects again.
import { randomKey } from '../../crypto/key-wrap.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../domain/root-account.ts';
import type { KmsKey, KmsKeyChange } from '../../ports/directory.ts';
import type { Core } from '../core.ts';
import type { KeyCore } from './key-core.ts';
import { unwrapWithMaster, wrapWithMaster } from './master-keys.ts';

/**
 * The key of those who request SSE-KMS and name none. AWS's managed key has this
 * alias.
 */
export const MANAGED_KEY_ID = 'alias/aws/s3';

/**
 * The form of a key's id: letters, digits and the signs in ids, aliases and ARNs of
 * AWS, so that these can be used unchanged.
 */
export const KMS_KEY_ID_FORM = /^[\w:/.-]{1,256}$/;

/** Whether a KMS key could have that id. */
export function isKmsKeyId(value: unknown): value is string {
  return typeof value === 'string' && KMS_KEY_ID_FORM.test(value);
}

/** A KMS key without its secret part. */
export type KmsKeyInfo = Omit<KmsKey, 'wrappedKey'>;

/** Accounts that one key can be granted to by name. */
export const GRANTS_MAX = 1000;

/**
 * Makes a key, or finds the existing one of that id (`isNew` false). A new key is
 * for the buckets of these accounts and of the operator, null: of every account.
 * InvalidArgument, ServiceUnavailable (no master key).
 */
export async function createKmsKey(
  core: Core,
  id: string,
  accountIds: KmsKey['accountIds'] = [],
): Promise<{ key: KmsKeyInfo; isNew: boolean }> {
  if (!isKmsKeyId(id)) {
    throw new StorageError('InvalidArgument', {
      detail: 'The id of a key must be 1 to 256 letters, digits, or any of _ - . : /',
    });
  }
  const key = toNewKey(core, id, accountIds);
  const storedKey = await core.ports.directory.call('addKmsKey', { key });
  return { key: toInfo(storedKey), isNew: storedKey.wrappedKey === key.wrappedKey };
}

/** Lists the keys whose ids come after `after`, in byte order. */
export async function listKmsKeys(
  core: Core,
  page: { after: string; limit: number },
): Promise<KmsKeyInfo[]> {
  return (await core.ports.directory.call('listKmsKeys', page)).map(toInfo);
}

/**
 * Enables or disables a key, or changes its accounts; on Cloudflare other isolates
 * learn of it within seconds. KMS.NotFoundException.
 */
export async function changeKmsKey(
  core: Core,
  id: string,
  change: KmsKeyChange,
): Promise<KmsKeyInfo> {
  const changed = await core.ports.directory.call('changeKmsKey', { id, change });
  if (changed === null) throw notFound(id);
  return toInfo(changed);
}

/**
 * Unwraps a KMS key, to wrap data keys with it for a bucket of that account. The
 * managed key and those of the operator's seed are made at their first use, for
 * every account. KMS.NotFoundException, also for a key of other accounts, so that
 * strangers can't probe for ids; KMS.DisabledException, ServiceUnavailable.
 */
export async function unwrapKmsKeyFor(
  core: KeyCore,
  id: string,
  ownerId: AccountId,
): Promise<Uint8Array> {
  const storedKey = await findOrMake(core, id);
  const { accountIds } = storedKey;
  const isGranted =
    accountIds === null || ownerId === ROOT_ACCOUNT.id || accountIds.includes(ownerId);
  if (!isGranted) throw notFound(id);
  return unwrap(core, storedKey);
}

/**
 * Unwraps a KMS key, to unwrap the data keys that it protects already, in whichever
 * bucket they are. Errors: those of unwrapKmsKeyFor.
 */
export async function unwrapKmsKey(core: KeyCore, id: string): Promise<Uint8Array> {
  return unwrap(core, await findOrMake(core, id));
}

function unwrap(core: KeyCore, { id, isEnabled, wrappedKey }: KmsKey): Uint8Array {
  if (!isEnabled) throw new StorageError('KMS.DisabledException', { detail: `${id} is disabled.` });
  return unwrapWithMaster(core.settings.masterKeys, wrappedKey, boundOf(id));
}

/** Finds a key, or makes one of those that come into being at their first use. */
async function findOrMake(core: KeyCore, id: string): Promise<KmsKey> {
  const storedKey = await core.ports.directory.call('getKmsKey', { id });
  if (storedKey !== null) return storedKey;

  if (id !== MANAGED_KEY_ID && !core.settings.seededKmsKeys.includes(id)) throw notFound(id);
  return core.ports.directory.call('addKmsKey', { key: toNewKey(core, id, null) });
}

function toNewKey(core: KeyCore, id: string, accountIds: KmsKey['accountIds']): KmsKey {
  const wrappedKey = wrapWithMaster(core.settings.masterKeys, randomKey(), boundOf(id));
  return { id, wrappedKey, isEnabled: true, accountIds, createdAtMs: core.ports.clock.nowMs() };
}

/**
 * Binds a wrapped key to its id, in the words of its first day: stored keys depend
 * on them.
 */
function boundOf(id: string): string {
  return ['named', 'key', id].join(' ');
}

function toInfo({ wrappedKey: _, ...info }: KmsKey): KmsKeyInfo {
  return info;
}

function notFound(id: string): StorageError {
  return new StorageError('KMS.NotFoundException', {
    detail: `Key '${id.slice(0, 256)}' does not exist`,
  });
}
