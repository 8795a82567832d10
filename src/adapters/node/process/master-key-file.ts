// The file of the Node home that holds master keys: made with a random one at the first start that
// finds no setting, and readable by its owner only. Its text is never logged and never stored
// elsewhere.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readSecretFile, writeSecretFile } from '../disk/secret-file.ts';

const FILE_NAME = 'master-key';
const KEY_BYTES = 32;

/** Text of the file, for parseConfig's rules; null when there is none and none `isNeeded`. */
export function loadMasterKeyText(dataDir: string, isNeeded: boolean): string | null {
  const path = join(dataDir, FILE_NAME);
  const kept = readSecretFile(path);
  if (kept !== null || !isNeeded) return kept;
  const text = `${randomBytes(KEY_BYTES).toString('base64')}\n`;
  writeSecretFile(path, text);
  return text;
}
