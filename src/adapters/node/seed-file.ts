import { readFileSync } from 'node:fs';

/** Content of the file that QUAYSIDE_SEED names; a Worker has the content itself as a secret. Throws when it is not there. */
export function readSeedFile(path: string | undefined): string | undefined {
  return path === undefined || path === '' ? undefined : readFileSync(path, 'utf8');
}
