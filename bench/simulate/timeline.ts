// Virtual time: events in order of time, and a clock that jumps from one to the next. Code under
// simulation waits with `sleep`; between two events everything that it does runs to the end, so
// that runs are the same each time.
import type { Clock } from '../../src/ports/system.ts';

export type Timeline = {
  /** Milliseconds since 1970, with fractions. */
  nowMs(): number;
  /** The timeline's time in whole milliseconds, as programs see it. */
  readonly clock: Clock;
  /**
   * Calls `run` at that time; in the order of the calls when times are equal. A time that has
   * passed is now.
   */
  at(atMs: number, run: () => void): void;
  sleep(ms: number): Promise<void>;
  /** Runs the next event and everything that follows from it. False when there is none. */
  step(): Promise<boolean>;
};

type Event = { readonly atMs: number; readonly sequence: number; readonly run: () => void };

const isBefore = (a: Event, b: Event) =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);

/** Starts at `startMs`, milliseconds since 1970. */
export function createTimeline(startMs: number): Timeline {
  const queue = createQueue();
  let nowMs = startMs;
  let sequence = 0;

  function at(atMs: number, run: () => void): void {
    queue.push({ atMs: Math.max(nowMs, atMs), sequence: sequence++, run });
  }

  return {
    nowMs: () => nowMs,
    clock: { nowMs: () => Math.floor(nowMs) },
    at,
    sleep: (ms) => new Promise((resolve) => at(nowMs + ms, resolve)),
    async step() {
      const event = queue.pop();
      if (event === undefined) return false;
      nowMs = event.atMs;
      event.run();
      // Runs when no settled promise has anything left to do, however deep; ten times as fast as an
      // immediate.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      return true;
    },
  };
}

/** A binary heap, earliest event first. */
function createQueue() {
  const heap: Event[] = [];
  const get = (index: number): Event => heap[index] as Event;

  function swap(a: number, b: number): void {
    [heap[a], heap[b]] = [get(b), get(a)];
  }

  function sink(): void {
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const child = right < heap.length && isBefore(get(right), get(left)) ? right : left;
      if (isBefore(get(index), get(child))) return;
      swap(index, child);
      index = child;
    }
  }

  return {
    push(event: Event): void {
      heap.push(event);
      for (let index = heap.length - 1; index > 0; ) {
        const parent = (index - 1) >>> 1;
        if (isBefore(get(parent), get(index))) return;
        swap(index, parent);
        index = parent;
      }
    },
    pop(): Event | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) {
        heap[0] = last;
        sink();
      }
      return first;
    },
  };
}
