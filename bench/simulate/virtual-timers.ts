// setTimeout by virtual time, for the product's own code, which waits with it.
import type { Timeline } from './timeline.ts';

/** Runs `work` with timers that the timeline runs in the place of the global ones. */
export async function withVirtualTimers<Result>(
  timeline: Timeline,
  work: () => Promise<Result>,
): Promise<Result> {
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  const open = new Map<number, () => void>();
  let last = 0;

  function set(run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): number {
    last += 1;
    const id = last;
    open.set(id, () => run(...values));
    timeline.at(timeline.nowMs() + ms, () => {
      const due = open.get(id);
      open.delete(id);
      due?.();
    });
    return id;
  }

  globalThis.setTimeout = set as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((id: number) => void open.delete(id)) as typeof clearTimeout;
  try {
    return await work();
  } finally {
    globalThis.setTimeout = realSet;
    globalThis.clearTimeout = realClear;
  }
}
