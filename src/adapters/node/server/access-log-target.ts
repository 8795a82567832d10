// The target of the Node platform's access log: stdout, or a file that is opened
// anew on SIGHUP and SIGUSR1, the signals of logrotate and of nginx.
import { open } from 'node:fs/promises';
import type { Log } from '../../../ports/system.ts';
import { type BatchedLines, type LineTarget, openBatchedLines } from './batched-lines.ts';

/**
 * Signals that open the log file anew. Without a listener SIGHUP ends the process,
 * and SIGUSR1 opens a debugger to every account of the machine; process-start.ts
 * listens to both.
 */
export const REOPEN_SIGNALS = ['SIGHUP', 'SIGUSR1'] as const;

/**
 * Opens the log. `path` null: stdout, without signals. Rejects when the file can't
 * be opened.
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
 * Stdout, which does not block on a pipe or socket that nobody reads (seen on
 * Linux, Node 26).
 */
const STDOUT: LineTarget = {
  write: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    }),
  close: async () => undefined,
};
