// Master keys, the root of envelope encryption: they wrap all other keys of the
// server. There may be several: the newest wraps what is new, the rest still unwrap
// what is old. A wrapped key names its master key by an id that reveals nothing of
// the key. They come from the settings; on Node from a file when there is no
// setting (adapters/node/process/master-key-file.ts).
import { deriveKey, KEY_BYTES, unwrapKey, wrapKey } from '../../crypto/key-wrap.ts';
import { StorageError } from '../../domain/errors.ts';

/** A master key. `id`: 8 hex digits, derived from the key. */
export type MasterKey = { readonly id: string; readonly key: Uint8Array };

/**
 * The master keys, newest first. With none the server can wrap no key, and refuses
 * to encrypt.
 */
export type MasterKeys = readonly MasterKey[];

/**
 * Master keys in one setting: as many as anybody rotates through. Our own limit.
 */
const MASTER_KEYS_MAX = 16;
/**
 * Stands between the id of a master key and the text that it wrapped or encrypted.
 */
export const SEPARATOR = '.';

/**
 * Parses 32-byte keys in hex or base64, with commas or white space between. Null
 * when one is no key, a key comes twice or they are too many; a caller must never
 * show the text.
 */
export function parseMasterKeys(text: string): MasterKeys | null {
  const keys = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(parseMasterKey);
  const ids = new Set(keys.map((key) => key?.id));
  const isFine = keys.length > 0 && keys.length <= MASTER_KEYS_MAX && ids.size === keys.length;
  return isFine && keys.every((key) => key !== null) ? keys : null;
}

function parseMasterKey(text: string): MasterKey | null {
  try {
    const bytes = /^[0-9a-fA-F]{64}$/.test(text)
      ? Uint8Array.fromHex(text)
      : Uint8Array.fromBase64(text, { alphabet: /[-_]/.test(text) ? 'base64url' : 'base64' });
    return bytes.length === KEY_BYTES ? toMasterKey(bytes) : null;
  } catch {
    return null;
  }
}

/**
 * Makes a master key of 32 bytes. Its id is derived from them and reveals nothing
 * of them.
 */
export function toMasterKey(key: Uint8Array): MasterKey {
  return { id: deriveKey(key, 'quayside master key id 1').subarray(0, 4).toHex(), key };
}

/**
 * Wraps a key by the newest master key, as `{id of the master key}.{wrapped}`.
 * ServiceUnavailable when there is none.
 */
export function wrapWithMaster(masterKeys: MasterKeys, key: Uint8Array, bound: string): string {
  const [newest] = masterKeys;
  if (newest === undefined) throw noMasterKey();
  return `${newest.id}${SEPARATOR}${wrapKey(newest.key, key, bound)}`;
}

/**
 * Unwraps a key. ServiceUnavailable without the master key that wrapped it;
 * InternalError when it is damaged.
 */
export function unwrapWithMaster(
  masterKeys: MasterKeys,
  wrapped: string,
  bound: string,
): Uint8Array {
  if (masterKeys.length === 0) throw noMasterKey();
  const { master, rest } = masterOf(masterKeys, wrapped);
  const key = unwrapKey(master.key, rest, bound);
  if (key === null)
    throw new StorageError('InternalError', {
      detail: `A key wrapped by master key ${master.id} is damaged.`,
    });
  return key;
}

/**
 * Finds the master key that a stored text names, and the text behind its id.
 * ServiceUnavailable when the key is missing: the operator must learn which one,
 * and trying again gains nothing.
 */
export function masterOf(
  masterKeys: MasterKeys,
  text: string,
): { readonly master: MasterKey; readonly rest: string } {
  const at = text.indexOf(SEPARATOR);
  const id = text.slice(0, at);
  const master = masterKeys.find((candidate) => candidate.id === id);
  if (master !== undefined) return { master, rest: text.slice(at + 1) };
  throw new StorageError('ServiceUnavailable', {
    detail:
      `This was encrypted by the master key ${id}, which this server does not have: ` +
      'add it to QUAYSIDE_MASTER_KEY.',
  });
}

function noMasterKey(): StorageError {
  return new StorageError('ServiceUnavailable', {
    detail:
      'This server has no master key, so it cannot encrypt or decrypt by itself: ' +
      'QUAYSIDE_MASTER_KEY is not set.',
  });
}
