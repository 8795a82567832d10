// What the Node home says to the person who started it.
import type { RootKey } from './root-key.ts';

/** On stdout: where it is and, once in the life of a data folder, the root key. No log line: the key is never logged. */
export function announce(url: string, dataDir: string, { accessKey, secretKey, origin, path }: RootKey): void {
  const lines = [`Quayside is ready: ${url}`, `  data folder  ${dataDir}`, `  access key   ${accessKey}`];
  if (origin === 'new') lines.push(`  secret key   ${secretKey}  (shown this once; kept in ${path})`);
  if (origin === 'file') lines.push(`  secret key   kept in ${path}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}
