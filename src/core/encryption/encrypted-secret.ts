// Secrets of access keys at rest: sealed by the newest master key, opened by whichever sealed them.
// Beside master-keys.ts, which wraps keys; a secret is a text of any length.
import { openText, sealText } from '../../crypto/encrypted-text.ts';
import { StorageError } from '../../domain/errors.ts';
import { type MasterKeys, masterOf } from './master-keys.ts';

/**
 * `{id of the master key}.{sealed}`. `bound` is whose secret it is. ServiceUnavailable when there
 * is no master key.
 */
export function sealSecret(masterKeys: MasterKeys, secret: string, bound: string): string {
  const [newest] = masterKeys;
  if (newest === undefined) {
    throw new StorageError('ServiceUnavailable', {
      detail:
        'This server has no master key, so it cannot keep the secrets of keys: QUAYSIDE_MASTER_KEY is not set.',
    });
  }
  return `${newest.id}.${sealText(newest.key, secret, bound)}`;
}

/**
 * The secret. ServiceUnavailable when the master key that encrypted it is missing, InternalError
 * when it is damaged.
 */
export function openSecret(masterKeys: MasterKeys, sealed: string, bound: string): string {
  const { master, rest } = masterOf(masterKeys, sealed);
  const secret = openText(master.key, rest, bound);
  if (secret !== null) return secret;
  throw new StorageError('InternalError', {
    detail: `A secret that master key ${master.id} sealed is damaged.`,
  });
}
