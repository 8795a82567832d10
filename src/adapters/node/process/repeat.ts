// Runs a task again and again, never twice at once, without keeping the process alive: the
// sweeper's clock on Node.
import type { Log } from '../../../ports/system.ts';

export type Repetition = {
  /** No further run begins, and the one under way is told to end; resolves when it has. */
  stop(): Promise<void>;
};

/**
 * First run after `firstMs`, or else `everyMs`, each next one `everyMs` after the end of the last.
 * A failure is logged, then it goes on.
 */
export function repeat(
  label: string,
  task: (stopping: AbortSignal) => Promise<unknown>,
  options: { readonly firstMs?: number; readonly everyMs: number; readonly log: Log },
): Repetition {
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  let timer = schedule(options.firstMs ?? options.everyMs);

  function schedule(afterMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      running = run();
    }, afterMs).unref();
  }
  async function run(): Promise<void> {
    try {
      await task(stopping.signal);
    } catch (cause) {
      options.log.error('task-failed', { label, cause });
    }
    if (!stopping.signal.aborted) timer = schedule(options.everyMs);
  }

  return {
    stop() {
      stopping.abort();
      clearTimeout(timer);
      return running;
    },
  };
}
