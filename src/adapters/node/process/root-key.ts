// The root access key of the Node platform: from the settings, else made at random
// on the first start and stored in the data folder, readable by its owner only. It
// is never stored in the index and never logged.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Config, ConfigError } from '../../../config.ts';
import { readSecretFile, writeSecretFile } from '../disk/secret-file.ts';

export type RootKey = {
  readonly accessKey: string;
  readonly secretKey: string;
  /**
   * `settings`: of the environment. `file`: of an earlier start. `new`: to be shown
   * once.
   */
  readonly origin: 'settings' | 'file' | 'new';
  /** File of the key; null when it comes from the settings. */
  readonly path: string | null;
};

/**
 * Prefix that marks keys of Quayside in a credentials file; with the rest, 20
 * characters as AWS's.
 */
const ACCESS_KEY_PREFIX = 'QSROOT';
const ACCESS_KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ACCESS_KEY_RANDOM_LENGTH = 14;
/** 240 random bits: 40 characters of base64url, as long as a secret of AWS. */
const SECRET_KEY_BYTES = 30;

/**
 * Loads or makes the key. ConfigError when one of the two settings is missing, or
 * the file bad.
 */
export function loadRootKey(
  config: Pick<Config, 'rootAccessKey' | 'rootSecretKey'>,
  dataDir: string,
): RootKey {
  const { rootAccessKey: accessKey, rootSecretKey: secretKey } = config;
  if (accessKey !== null && secretKey !== null)
    return { accessKey, secretKey, origin: 'settings', path: null };
  if (accessKey !== null || secretKey !== null) {
    const missing = accessKey === null ? 'QUAYSIDE_ROOT_ACCESS_KEY' : 'QUAYSIDE_ROOT_SECRET_KEY';
    throw new ConfigError(
      `${missing} is not set: set both halves of the root key, or none to have one made.`,
    );
  }
  const path = join(dataDir, 'root-key.json');
  return readKeyFile(path) ?? makeKeyFile(path);
}

function readKeyFile(path: string): RootKey | null {
  const text = readSecretFile(path);
  if (text === null) return null;
  const key = parseKey(text);
  if (key === null) {
    throw new ConfigError(
      `${path} holds no access key. Restore it, or remove it to have a new root key made.`,
    );
  }
  return { ...key, origin: 'file', path };
}

function parseKey(text: string): Pick<RootKey, 'accessKey' | 'secretKey'> | null {
  try {
    const { accessKey, secretKey } = JSON.parse(text) as Record<string, unknown>;
    const isKey =
      typeof accessKey === 'string' &&
      typeof secretKey === 'string' &&
      accessKey !== '' &&
      secretKey !== '';
    return isKey ? { accessKey, secretKey } : null;
  } catch {
    return null;
  }
}

function makeKeyFile(path: string): RootKey {
  let accessKey = ACCESS_KEY_PREFIX;
  for (const byte of randomBytes(ACCESS_KEY_RANDOM_LENGTH))
    accessKey += ACCESS_KEY_ALPHABET.charAt(byte & 31);
  const secretKey = randomBytes(SECRET_KEY_BYTES).toString('base64url');
  writeSecretFile(path, `${JSON.stringify({ accessKey, secretKey }, null, 2)}\n`);
  return { accessKey, secretKey, origin: 'new', path };
}
