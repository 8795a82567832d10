// Names that look as if nobody meant to show them to strangers: secrets, dumps,
// backups, what tools leave behind. A guess for people to look at; nothing is refused
// by it. Pure, linear in the length of a key.
import type { ObjectSummary } from '../../domain/nouns.ts';

/** Whole names of files, in lower case. */
const NAMES: ReadonlySet<string> = new Set([
  '.env',
  '.htpasswd',
  '.npmrc',
  '.pgpass',
  '.netrc',
  '.ds_store',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  'credentials',
  'secrets.json',
  'wp-config.php',
  'terraform.tfstate',
]);
/** Folders, in lower case. */
const FOLDERS: ReadonlySet<string> = new Set(['.git', '.svn', '.ssh', '.aws', '.kube']);
const BEGINNINGS = ['.env.', 'backup', 'dump'];
const ENDINGS = [
  '.sql',
  '.sql.gz',
  '.pem',
  '.key',
  '.p12',
  '.pfx',
  '.kdbx',
  '.bak',
  '.sqlite',
  '.dump',
  '.log',
];

/** Whether a key looks internal, by the names of its folders and its file. */
export function looksInternal(key: string): boolean {
  const names = key.toLowerCase().split('/');
  const file = names.at(-1) ?? '';
  return (
    NAMES.has(file) ||
    BEGINNINGS.some((beginning) => file.startsWith(beginning)) ||
    ENDINGS.some((ending) => file.endsWith(ending)) ||
    names.some((name) => FOLDERS.has(name) || name.startsWith('backup'))
  );
}

/** The first keys that look internal, at most so many. */
export function findInternalNames(
  objects: readonly Pick<ObjectSummary, 'key'>[],
  limit: number,
): readonly string[] {
  const found: string[] = [];
  for (const { key } of objects) {
    if (found.length >= limit) break;
    if (looksInternal(key)) found.push(key);
  }
  return found;
}
