// Work after the response, tracked so that a shutdown can wait for it. Everything
// given to it must be safe to lose: a crash loses it too.
import type { Background, Log } from '../../ports/system.ts';

export type TrackedBackground = Background & {
  /**
   * Resolves when nothing is running any more, or after `limitMs`, with how many
   * pieces of work were left.
   */
  drain(limitMs: number): Promise<number>;
};

/**
 * Pieces of work under way at once; more than that are refused and logged. Bounds
 * memory under overload.
 */
const RUNNING_MAX = 10_000;

/** Runs work at once and logs what fails. */
export function createTrackedBackground(log: Log): TrackedBackground {
  const running = new Set<Promise<void>>();

  return {
    run(label, work) {
      if (running.size >= RUNNING_MAX)
        return log.error('background-full', { label, running: running.size });
      const promise = (async () => {
        try {
          await work();
        } catch (cause) {
          log.error('background-failed', { label, cause });
        }
      })();
      running.add(promise);
      void promise.then(() => running.delete(promise));
    },
    async drain(limitMs) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const limit = new Promise<'limit'>((resolve) => {
        timer = setTimeout(() => resolve('limit'), limitMs);
      });
      // Work may start more work, so look again until there is none.
      while (running.size > 0) {
        const winner = await Promise.race([Promise.all(running), limit]);
        if (winner === 'limit') break;
      }
      clearTimeout(timer);
      return running.size;
    },
  };
}
