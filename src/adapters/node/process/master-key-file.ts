// The file of master keys in a data folder: made with a random one at the first
// start without a setting, and readable by its owner only. Its text is never logged
// and never stored elsewhere.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readSecretFile, writeSecretFile } from '../disk/secret-file.ts';

const FILE_NAME = 'master-key';
const KEY_BYTES = 32;

/**
 * Reads the file's text, for parseConfig's rules, or makes it. Null: none, and none
 * `isNeeded`.
 */
export function loadMasterKeyText(dataDir: string, isNeeded: boolean): string | null {
  const path = join(dataDir, FILE_NAME);
  const storedText = readSecretFile(path);
  if (storedText !== null || !isNeeded) return storedText;

  const text = `${randomBytes(KEY_BYTES).toString('base64')}\n`;
  writeSecretFile(path, text);
  return text;
}
