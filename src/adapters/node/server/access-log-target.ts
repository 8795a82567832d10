// Where the access log of this home goes: stdout, or a file that is opened anew on SIGHUP and
// SIGUSR1, as logrotate and nginx's users do it.
import { open } from 'node:fs/promises';
import type { Log } from '../../../ports/system.ts';
import { type BatchedLines, type LineTarget, openBatchedLines } from './batched-lines.ts';

/**
 * The signals of logrotate and of nginx's users. Without a listener SIGHUP ends the process, and
 * SIGUSR1 lets whoever has an account on the machine debug it; process-start.ts sees to both.
 */
export const REOPEN_SIGNALS = ['SIGHUP', 'SIGUSR1'] as const;

/**
 * `path` null: stdout. Rejects when the file can't be opened. The signals are only taken for a
 * file.
 */
export async function openAccessLog(path: string | null, log: Log): Promise<BatchedLines> {
  if (path === null) return openBatchedLines(async () => STDOUT, log);
  const lines = await openBatchedLines(() => openFile(path), log);
  const reopen = () => lines.reopen();
  for (const signal of REOPEN_SIGNALS) process.on(signal, reopen);
  return {
    ...lines,
    close(limitMs) {
      for (const signal of REOPEN_SIGNALS) process.off(signal, reopen);
      return lines.close(limitMs);
    },
  };
}

async function openFile(path: string): Promise<LineTarget> {
  const file = await open(path, 'a');
  return { write: (bytes) => file.appendFile(bytes), close: () => file.close() };
}

/**
 * To a pipe or a socket it writes without blocking, also when nobody reads (seen on Linux, Node
 * 26).
 */
const STDOUT: LineTarget = {
  write: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    }),
  close: async () => undefined,
};
