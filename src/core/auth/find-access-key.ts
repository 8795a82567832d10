// Looks access keys up by id, with their account and secret: both surfaces
// authenticate by it. It also encrypts secrets that older releases stored plain,
// and notes when a key was used.
import type { StoredAccessKey } from '../../domain/account-records.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKey, AccessKeyId, Account, AccountId } from '../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../domain/root-account.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';
import { decryptSecret, encryptSecret } from '../encryption/encrypted-secret.ts';
import { createAccessKeyIds } from './access-key-id.ts';
import { createMemberKeys, isMemberKeyId } from './member-key.ts';

/** The root access key of the platform's settings; null is what is missing. */
export type RootKey = { readonly id: string | null; readonly secret: string | null };

/** Resolution of a key's last use, milliseconds: noting it is a commit. */
const USE_NOTED_MS = HOUR_MS;
/** Keys whose noted use is in memory; a key that was dropped is noted once more. */
const USES_MAX = 10_000;
/**
 * Time after which an unconfirmed note is made again with the next use,
 * milliseconds.
 */
const NOTE_AGAIN_MS = 60_000;

/**
 * The associated data of an encrypted secret (AEAD): it decrypts for its own key
 * alone.
 */
export function associatedDataOf(id: AccessKeyId): string {
  return `access key ${id}`;
}

/**
 * Makes the look-up of access keys: the root key and the seed's from the settings,
 * every other from the directory, which stores secrets encrypted. An expired or
 * disabled key is not found, as in S3 (InvalidAccessKeyId). Without a complete root
 * key nobody is let in: ServiceUnavailable names what is missing.
 */
export function createAccessKeyFinder(
  core: Core,
  root: RootKey,
  seed: readonly AccessKey[],
): (id: AccessKeyId) => AccessKey | null | Promise<AccessKey | null> {
  const missing = [
    ...(root.id === null ? ['QUAYSIDE_ROOT_ACCESS_KEY'] : []),
    ...(root.secret === null ? ['QUAYSIDE_ROOT_SECRET_KEY'] : []),
  ];
  const rootKey =
    root.id === null || root.secret === null
      ? null
      : { id: root.id as AccessKeyId, secret: root.secret, account: ROOT_ACCOUNT };
  const seededKeys = new Map(seed.map((key) => [key.id, key]));
  const configuredAccounts = new Map(
    [ROOT_ACCOUNT, ...seed.map(({ account }) => account)].map((known) => [known.id, known]),
  );
  const decrypt = createDecryption(core, configuredAccounts);
  const noteUse = createUseNotes(core);
  const memberKey = createMemberKeys(root.secret ?? '');
  const ids = createAccessKeyIds(core.settings.masterKeys);

  function keyOfUsable(stored: StoredAccessKey | null): AccessKey | null {
    if (stored === null || !stored.isEnabled) return null;
    const nowMs = core.ports.clock.nowMs();
    if (stored.expiresAtMs !== null && stored.expiresAtMs <= nowMs) return null;
    if (isMemberKeyId(stored.id)) {
      const account = configuredAccounts.get(stored.account.id) ?? stored.account;
      return memberKey({ ...stored, account });
    }
    noteUse(stored.id, nowMs);
    return decrypt(stored);
  }

  function findStored(id: AccessKeyId): AccessKey | null | Promise<AccessKey | null> {
    const { directory } = core.ports;
    const known = directory.peekAccessKey?.(id) ?? null;
    if (known !== null) return keyOfUsable(known);
    const proof = ids.prove(id);
    if (proof === 'forged') return null;
    const isProven = proof === 'proven';
    return directory.call('getAccessKey', { id, isProven }).then(keyOfUsable);
  }

  return (id) => {
    if (rootKey === null) {
      throw new StorageError('ServiceUnavailable', {
        detail: `This server has no root key: ${missing.join(' and ')} is not set.`,
      });
    }
    if (id === rootKey.id) return rootKey;
    return seededKeys.get(id) ?? findStored(id);
  };
}

/**
 * Makes the decryption of secrets, with a cache: each is decrypted once for as long
 * as its row is in memory. Cost: 20 µs, then nothing.
 */
function createDecryption(
  core: Core,
  configuredAccounts: ReadonlyMap<AccountId, Account>,
): (stored: StoredAccessKey) => AccessKey {
  const keys = new WeakMap<StoredAccessKey, AccessKey>();
  return (stored) => {
    const known = keys.get(stored);
    if (known !== undefined) return known;

    const { id, scope, role, isEncrypted } = stored;
    const account = configuredAccounts.get(stored.account.id) ?? stored.account;
    const { masterKeys } = core.settings;
    const associatedData = associatedDataOf(id);
    const secret = isEncrypted
      ? decryptSecret(masterKeys, stored.secret, associatedData)
      : stored.secret;
    const key = { id, secret, account, scope, role };
    keys.set(stored, key);

    if (!isEncrypted && masterKeys.length > 0) {
      core.ports.background.run('seal-access-key', () => {
        const encrypted = encryptSecret(masterKeys, secret, associatedData);
        return core.ports.directory.call('encryptAccessKey', {
          id,
          plain: secret,
          encrypted,
        });
      });
    }
    return key;
  };
}

/**
 * Makes the notes of when a key was used: in the background, once an hour by each
 * process or isolate. Cost otherwise: a look into a map.
 */
function createUseNotes({ ports }: Core): (id: AccessKeyId, nowMs: number) => void {
  /** Until when each key's use need not be noted. */
  const notedUntilMs = new Map<AccessKeyId, number>();
  return (id, nowMs) => {
    if ((notedUntilMs.get(id) ?? 0) > nowMs) return;
    if (notedUntilMs.size >= USES_MAX) notedUntilMs.clear();
    const hourMs = nowMs - (nowMs % USE_NOTED_MS);
    const nextHourMs = hourMs + USE_NOTED_MS;
    // Work in the background may fail, or be ended without a word.
    notedUntilMs.set(id, Math.min(nowMs + NOTE_AGAIN_MS, nextHourMs));
    ports.background.run('note-key-use', async () => {
      await ports.directory.call('noteKeyUsed', { id, atMs: hourMs });
      notedUntilMs.set(id, nextHourMs);
    });
  };
}
