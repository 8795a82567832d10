// What comes before the service and what is said when it can't begin: the .env file, the compile
// cache, and the reason for the person who started it. node.ts calls both.
import { ConfigError } from '../../../config.ts';
import { errnoOf } from '../blobs/fs-errors.ts';
import { DataFolderError } from '../disk/data-folder.ts';
import { REOPEN_SIGNALS } from '../server/access-log-target.ts';
import { answerCommandLine } from './command-line.ts';
import { useCompileCache } from './compile-cache.ts';

/** Ends the process when its arguments only ask something, or mean nothing: 0 and 2. */
function obeyCommandLine(): void {
  const answer = answerCommandLine(process.argv.slice(2));
  if (answer === null) return;
  (answer.exitCode === 0 ? process.stdout : process.stderr).write(answer.text);
  process.exit(answer.exitCode);
}

/**
 * Obeys the arguments, reads `.env` of the working folder, if there is one, and turns the compile
 * cache on. From here on the signals that reopen log files end nothing. Throws on an unreadable
 * file.
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

/** What helps where the system does not let the server listen, by its code. */
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

/** Tells why on stderr and ends the process with 1. */
export function endFailedStart(error: unknown): never {
  // What the person who started it can mend needs no stack: a setting, the data folder, a port that
  // is taken.
  const isForPeople =
    error instanceof ConfigError || error instanceof DataFolderError || errnoOf(error) !== null;
  const text = error instanceof Error ? (isForPeople ? error.message : error.stack) : String(error);
  process.stderr.write(`Quayside can't start: ${text}${listenAdvice(error)}\n`);
  process.exit(1);
}
