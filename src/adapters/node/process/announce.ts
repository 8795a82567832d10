// The lines that a start prints for the person who started it. node.ts calls it
// once the server listens.
import { VERSION } from '../../../ports/version.ts';
import type { RootKey } from './root-key.ts';

/** Path at which http/console serves the web console. */
const CONSOLE_PATH = '/-/console/';

/** Prints the lines to stdout. They are no log lines: the key is never logged. */
export function announce(url: string, dataDir: string, rootKey: RootKey): void {
  process.stdout.write(announcement(url, dataDir, rootKey, process.stdout.isTTY));
}

/**
 * The server's URL, the folder, and the root key; to a terminal also the console's
 * address, which people open. The secret is shown once in the life of a data
 * folder, and only to a terminal: a supervisor, the journal or a container's log
 * would store it.
 */
export function announcement(
  url: string,
  dataDir: string,
  { accessKey, secretKey, origin, path }: RootKey,
  isTerminal: boolean,
): string {
  const lines = [
    `Quayside ${VERSION} is ready: ${url}`,
    `  data folder  ${dataDir}`,
    `  access key   ${accessKey}`,
  ];
  const isShown = origin === 'new' && isTerminal;
  if (isShown) lines.push(`  secret key   ${secretKey}  (shown this once; kept in ${path})`);
  else if (path !== null) lines.push(`  secret key   kept in ${path}`);
  if (isTerminal) lines.push(`  console      ${url}${CONSOLE_PATH}`);
  return `${lines.join('\n')}\n`;
}
