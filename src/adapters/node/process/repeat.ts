// Runs a task again and again, never twice at once, without keeping the process
// alive. service-tasks.ts and upkeep.ts run theirs by it.
import type { Log } from '../../../ports/system.ts';

export type Repetition = {
  /**
   * Begins no further run and aborts the one under way; resolves when that has
   * ended.
   */
  stop(): Promise<void>;
};

/**
 * Runs `task` first after `firstMs`, else `everyMs`, and again `everyMs` after each
 * end. A failure is logged, and the repetition goes on.
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
