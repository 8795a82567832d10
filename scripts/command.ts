// Parts that the commands of an operator share: settings, failures and exit codes. 0: done and
// sound. 1: done, but objects are hurt. 2: not done.
import process from 'node:process';
import { errnoOf } from '../src/adapters/node/blobs/fs-errors.ts';
import { useCompileCache } from '../src/adapters/node/process/compile-cache.ts';
import type { Config } from '../src/config.ts';

export const SOUND = 0;
export const HURT = 1;
export const FAILED = 2;

/** A command was called with arguments that it does not know. */
export class UsageError extends Error {}

/** Reads the settings of the server that is started in this folder: `.env` and the environment. */
export async function readSettings(): Promise<Config> {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  const { readSeedFile } = await import('../src/adapters/node/process/seed-file.ts');
  const { parseConfig } = await import('../src/config.ts');
  return parseConfig({ ...process.env, QUAYSIDE_SEED: readSeedFile(process.env.QUAYSIDE_SEED) });
}

/**
 * Runs a command and ends the process with its exit code; `--help` prints its usage instead. Errors
 * that a person can mend are printed without a stack. Modules that `work` imports come from the
 * compile cache.
 */
export async function runCommand(usage: string, work: () => Promise<number>): Promise<void> {
  if (process.argv.includes('--help')) return print(usage);
  process.umask(0o077);
  useCompileCache();
  try {
    process.exitCode = await work();
  } catch (error) {
    process.exitCode = FAILED;
    process.stderr.write(`${await textOf(error, usage)}\n`);
  }
}

async function textOf(error: unknown, usage: string): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  const isWrongCall =
    error instanceof UsageError || errnoOf(error)?.startsWith('ERR_PARSE_ARGS') === true;
  if (isWrongCall) return `${error.message}\n${usage}`;
  const { DataFolderError } = await import('../src/adapters/node/disk/data-folder.ts');
  const { ConfigError } = await import('../src/config.ts');
  const isForPeople =
    error instanceof DataFolderError || error instanceof ConfigError || errnoOf(error) !== null;
  return (isForPeople ? error.message : error.stack) ?? error.message;
}

/** Bytes as people read them. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let at = 0;
  for (; value >= 1024 && at < units.length - 1; at++) value /= 1024;
  return `${at === 0 ? value : value.toFixed(1)} ${units[at]}`;
}

/** Prints a line to stdout. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
