// The access log of a thread without the file: lines go to the first thread in
// batches, which writes whole lines in the order in which they come.
import type { LineSink } from '../../../ports/system.ts';

/** Characters of a batch, and age of its first line, ms, at which it goes out. */
const BATCH_LENGTH = 32 * 1024;
const BATCH_MS = 50;

/** Makes the log; `send` takes lines with newlines between. */
export function createThreadLog(
  send: (lines: string) => Promise<unknown>,
): LineSink & { flush(): Promise<unknown> } {
  let waiting: string[] = [];
  let waitingLength = 0;
  let timer: NodeJS.Timeout | null = null;

  async function flush(): Promise<unknown> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting.length === 0) return;
    const lines = waiting.join('\n');
    waiting = [];
    waitingLength = 0;
    // The first thread has gone, and the process with it.
    return send(lines).catch(() => undefined);
  }

  return {
    write(line) {
      waiting.push(line);
      waitingLength += line.length;
      if (waitingLength >= BATCH_LENGTH) void flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    },
    flush,
  };
}
