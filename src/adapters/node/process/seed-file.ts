import { readFileSync } from 'node:fs';
import { ConfigError } from '../../../config.ts';

/**
 * Content of the file that QUAYSIDE_SEED names; a Worker has the content itself as a secret.
 * ConfigError where it can't be read.
 */
export function readSeedFile(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`QUAYSIDE_SEED must be a file that can be read: ${String(cause)}`);
  }
}
