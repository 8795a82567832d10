// Runs a task again and again, never twice at once, without keeping the process alive: the sweeper's clock on Node.
import type { Log } from '../../ports/system.ts';

export type Repetition = {
  /** No further run begins; resolves when the one under way has ended. */
  stop(): Promise<void>;
};

/** First run after `firstMs`, each next one `everyMs` after the end of the last. A failure is logged, then it goes on. */
export function repeat(
  label: string,
  task: () => Promise<unknown>,
  options: { readonly firstMs: number; readonly everyMs: number; readonly log: Log },
): Repetition {
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  let timer = schedule(options.firstMs);

  function schedule(afterMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      running = run();
    }, afterMs).unref();
  }
  async function run(): Promise<void> {
    try {
      await task();
    } catch (cause) {
      options.log.error('task-failed', { label, cause });
    }
    if (!isStopped) timer = schedule(options.everyMs);
  }

  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
