// Keys with names, as a key management service has them: the server holds them, wrapped by its
// master key, and objects say by which one they are protected. Disabling one makes all that it
// protects unreadable until it is enabled again. The admin call of the S3 surface comes here, and
// whatever other surface manages keys. Deleting one does not exist: nothing could ever read its
// objects again.
import { randomKey } from '../../crypto/key-wrap.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { KmsKey, KmsKeyChange } from '../../ports/directory.ts';
import { ROOT_ACCOUNT } from '../auth/root-account.ts';
import type { Core } from '../core.ts';
import type { KeyCore } from './key-core.ts';
import { unwrapWithMaster, wrapWithMaster } from './master-keys.ts';

/** The key of whoever wants a named key and names none. AWS's managed key has this alias. */
export const MANAGED_KEY_ID = 'alias/aws/s3';

/**
 * Letters, digits and what stands in the ids, aliases and ARNs of AWS, so that these can be used as
 * they are.
 */
export const NAMED_KEY_ID_FORM = /^[\w:/.-]{1,256}$/;

/** Whether a named key could have that id. */
export function isKmsKeyId(value: unknown): value is string {
  return typeof value === 'string' && NAMED_KEY_ID_FORM.test(value);
}

/** What may be shown of a named key. */
export type KmsKeyInfo = Omit<KmsKey, 'wrappedKey'>;

/** Accounts that one key can be given to by name. */
export const GRANTS_MAX = 1000;

/**
 * Makes a key, or finds the one of that name as it is (`isNew` false). A new one is for the buckets
 * of these accounts and of the operator, null: of every account. InvalidArgument,
 * ServiceUnavailable (no master key).
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
  const kept = await core.ports.directory.call('addKmsKey', { key });
  return { key: toInfo(kept), isNew: kept.wrappedKey === key.wrappedKey };
}

/** Keys after a name, in byte order. */
export async function listNamedKeys(
  core: Core,
  page: { after: string; limit: number },
): Promise<KmsKeyInfo[]> {
  return (await core.ports.directory.call('listNamedKeys', page)).map(toInfo);
}

/**
 * Enables or disables a key, or says whose it is; on Cloudflare other isolates hear of it within
 * seconds. KMS.NotFoundException.
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
 * The key itself, to wrap with for a bucket of that account. The managed key and those that the
 * operator's seed names are made when they are first wanted, for every account.
 * KMS.NotFoundException, also for a key that is for other accounts: strangers shall not find out
 * what there is; KMS.DisabledException, ServiceUnavailable.
 */
export async function unwrapKmsKeyFor(
  core: KeyCore,
  id: string,
  ownerId: AccountId,
): Promise<Uint8Array> {
  const found =
    (await core.ports.directory.call('getKmsKey', { id })) ?? (await makeWanted(core, id));
  const { accountIds } = found;
  if (accountIds !== null && ownerId !== ROOT_ACCOUNT.id && !accountIds.includes(ownerId))
    throw notFound(id);
  return open(core, found);
}

/**
 * The key itself, to unwrap what it protects already, which stays readable to whoever may read the
 * object. Errors: those of unwrapKmsKeyFor.
 */
export async function unwrapKmsKey(core: KeyCore, id: string): Promise<Uint8Array> {
  return open(
    core,
    (await core.ports.directory.call('getKmsKey', { id })) ?? (await makeWanted(core, id)),
  );
}

function open(core: KeyCore, { id, isEnabled, wrappedKey }: KmsKey): Uint8Array {
  if (!isEnabled) throw new StorageError('KMS.DisabledException', { detail: `${id} is disabled.` });
  return unwrapWithMaster(core.settings.masterKeys, wrappedKey, boundOf(id));
}

async function makeWanted(core: KeyCore, id: string): Promise<KmsKey> {
  if (id !== MANAGED_KEY_ID && !core.settings.seededNamedKeys.includes(id)) throw notFound(id);
  return core.ports.directory.call('addKmsKey', { key: toNewKey(core, id, null) });
}

function toNewKey(core: KeyCore, id: string, accountIds: KmsKey['accountIds']): KmsKey {
  const wrappedKey = wrapWithMaster(core.settings.masterKeys, randomKey(), boundOf(id));
  return { id, wrappedKey, isEnabled: true, accountIds, createdAtMs: core.ports.clock.nowMs() };
}

/** A wrapped key can't be put in another one's place. */
function boundOf(id: string): string {
  return `named key ${id}`;
}

function toInfo({ wrappedKey: _, ...info }: KmsKey): KmsKeyInfo {
  return info;
}

function notFound(id: string): StorageError {
  return new StorageError('KMS.NotFoundException', {
    detail: `Key '${id.slice(0, 256)}' does not exist`,
  });
}
