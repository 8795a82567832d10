// Secrets of access keys at rest: encrypted by the newest master key, decrypted by
// whichever encrypted them. Beside master-keys.ts, which wraps keys; a secret is a
// text of any length. Called by core/auth and core/accounts.
import { decryptText, encryptText } from '../../crypto/encrypted-text.ts';
import { StorageError } from '../../domain/errors.ts';
import { type MasterKeys, masterOf, SEPARATOR } from './master-keys.ts';

/**
 * Encrypts a secret, as `{id of the master key}.{encrypted}`. `bound` says whose
 * secret it is, and decryption must pass it again. ServiceUnavailable when there is
 * no master key.
 */
export function encryptSecret(masterKeys: MasterKeys, secret: string, bound: string): string {
  const [newest] = masterKeys;
  if (newest === undefined) {
    throw new StorageError('ServiceUnavailable', {
      detail:
        'This server has no master key, so it cannot keep the secrets of keys: ' +
        'QUAYSIDE_MASTER_KEY is not set.',
    });
  }
  return `${newest.id}${SEPARATOR}${encryptText(newest.key, secret, bound)}`;
}

/**
 * Decrypts a secret. ServiceUnavailable when the master key that encrypted it is
 * missing, InternalError when it is damaged.
 */
export function decryptSecret(masterKeys: MasterKeys, encrypted: string, bound: string): string {
  const { master, rest } = masterOf(masterKeys, encrypted);
  const secret = decryptText(master.key, rest, bound);
  if (secret !== null) return secret;
  throw new StorageError('InternalError', {
    detail: `A secret that master key ${master.id} encrypted is damaged.`,
  });
}
