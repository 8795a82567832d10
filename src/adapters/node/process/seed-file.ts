// The seed of accounts and buckets on Node, which is a file; a Worker has its
// content as a secret. node.ts reads it before the settings.
import { readFileSync } from 'node:fs';
import { ConfigError } from '../../../config.ts';

/** Reads the file that QUAYSIDE_SEED names. ConfigError where it can't be read. */
export function readSeedFile(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`QUAYSIDE_SEED must be a file that can be read: ${String(cause)}`);
  }
}
