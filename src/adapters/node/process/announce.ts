// What the Node platform says to the person who started it.
import { VERSION } from '../../../ports/version.ts';
import type { RootKey } from './root-key.ts';

/** The lines of a start, on stdout. No log line: the key is never logged. */
export function announce(url: string, dataDir: string, rootKey: RootKey): void {
  process.stdout.write(announcement(url, dataDir, rootKey, process.stdout.isTTY));
}

/**
 * Where the server is and, once in the life of a data folder, the root key: only to a terminal,
 * because what reads a pipe or a file (a supervisor, the journal, a container's log) keeps it. The
 * file that has the key is named to everybody.
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
  return `${lines.join('\n')}\n`;
}
