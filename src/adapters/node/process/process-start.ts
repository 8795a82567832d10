// Steps before the service (arguments, the .env file, the compile cache) and the
// message when it can't start. node.ts calls both.
import { ConfigError } from '../../../config.ts';
import { errnoOf } from '../blobs/fs-errors.ts';
import { DataFolderError } from '../disk/data-folder.ts';
import { REOPEN_SIGNALS } from '../server/access-log-target.ts';
import { readCommandLine } from './command-line.ts';
import { useCompileCache } from './compile-cache.ts';

/**
 * Ends the process with 0 for help or version, and with 2 for unknown arguments.
 */
function obeyCommandLine(): void {
  const end = readCommandLine(process.argv.slice(2));
  if (end === null) return;
  const output = end.exitCode === 0 ? process.stdout : process.stderr;
  output.write(end.text);
  process.exit(end.exitCode);
}

/**
 * Obeys the arguments, reads `.env` of the working folder, if there is one, and
 * turns the compile cache on. From here on the signals that reopen log files do not
 * end the process. Throws on an unreadable `.env`.
 */
export function prepareProcess(): void {
  obeyCommandLine();
  try {
    process.loadEnvFile();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  useCompileCache();
  for (const signal of REOPEN_SIGNALS) process.on(signal, () => undefined);
}

/** Advice where the system does not let the server listen, by its code. */
const LISTEN_ADVICE: ReadonlyMap<string | null, string> = new Map([
  ['EADDRINUSE', 'Another program listens there: end it, or set QUAYSIDE_PORT.'],
  ['EACCES', 'This user may not listen there: set QUAYSIDE_PORT to 1024 or more.'],
  ['EADDRNOTAVAIL', 'This machine does not have the address: set QUAYSIDE_HOST.'],
]);

/** The advice for a failed `listen`; empty for every other failure. */
function listenAdvice(error: unknown): string {
  const isListen = error instanceof Error && 'syscall' in error && error.syscall === 'listen';
  const advice = isListen ? LISTEN_ADVICE.get(errnoOf(error)) : undefined;
  return advice === undefined ? '' : `. ${advice}`;
}

/** Prints the reason to stderr and ends the process with 1. */
export function endFailedStart(error: unknown): never {
  process.stderr.write(`Quayside can't start: ${reasonOf(error)}${listenAdvice(error)}\n`);
  process.exit(1);
}

/**
 * An error's text, with its stack unless the person who started the server can mend
 * the cause.
 */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return String(error);
  // A setting, the data folder, or a port that is taken.
  const isMendable =
    error instanceof ConfigError || error instanceof DataFolderError || errnoOf(error) !== null;
  return isMendable ? error.message : error.stack;
}
