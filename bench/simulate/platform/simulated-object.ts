// A Durable Object: one call at a time, 1 ms each, so about a thousand a second, which is the soft
// limit of the real ones; what comes faster waits in a queue. The time in which it works or is
// waited for is billed.
import { indexRoundTripMs, LATENCY_MS } from '../latencies.ts';
import { CPU_MS, type Usage } from '../prices.ts';
import type { Timeline } from '../timeline.ts';

export type ObjectLoad = {
  /** A call has come. */
  count(): void;
  /** Calls in the second that had most of them. */
  busiest(): number;
};

export type SimulatedObject = {
  /**
   * Runs a call from that place, with the way there and back. `moreMs`: time of the object's
   * thread for what came of it, beyond that of every call.
   */
  call<Value>(
    place: number,
    work: () => Value | Promise<Value>,
    moreMs?: (value: Value) => number,
  ): Promise<Value>;
  /** Adds the time of work behind answers to the billed one. */
  during<Value>(work: Promise<Value>): Promise<Value>;
};

export type SimulatedObjectOptions = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly load: ObjectLoad;
  /** The way there and back from a place, milliseconds. */
  readonly roundTripMs?: (place: number) => number;
  /** What its calls and its time are billed as. */
  readonly billedAs: {
    readonly requests: 'objectRequests' | 'ledgerRequests';
    readonly activeMs: 'objectActiveMs' | 'ledgerActiveMs';
  };
};

export function createSimulatedObject(options: SimulatedObjectOptions): SimulatedObject {
  const { timeline, usage, load, billedAs, roundTripMs = indexRoundTripMs } = options;
  let freeAtMs = timeline.nowMs();
  let running = 0;
  let sinceMs = 0;

  async function during<Value>(work: Promise<Value>): Promise<Value> {
    if (running++ === 0) sinceMs = timeline.nowMs();
    try {
      return await work;
    } finally {
      if (--running === 0) usage[billedAs.activeMs] += timeline.nowMs() - sinceMs;
    }
  }

  async function serve<Value>(
    work: () => Value | Promise<Value>,
    moreMs: (value: Value) => number,
  ): Promise<Value> {
    freeAtMs = Math.max(freeAtMs, timeline.nowMs()) + LATENCY_MS.indexService;
    await timeline.sleep(freeAtMs - timeline.nowMs());
    const value = await work();
    const ms = moreMs(value);
    if (ms > 0) {
      freeAtMs = Math.max(freeAtMs, timeline.nowMs()) + ms;
      await timeline.sleep(freeAtMs - timeline.nowMs());
    }
    return value;
  }

  return {
    during,
    async call(place, work, moreMs = () => 0) {
      const oneWayMs = roundTripMs(place) / 2;
      usage[billedAs.requests] += 1;
      usage.invocations += 1;
      usage.workerCpuMs += CPU_MS.call;
      await timeline.sleep(oneWayMs);
      load.count();
      const value = await during(serve(work, moreMs));
      await timeline.sleep(oneWayMs);
      return value;
    },
  };
}

export function createObjectLoad(timeline: Timeline): ObjectLoad {
  let second = 0;
  let calls = 0;
  let busiest = 0;
  return {
    count() {
      const now = Math.floor(timeline.nowMs() / 1000);
      calls = now === second ? calls + 1 : 1;
      second = now;
      busiest = Math.max(busiest, calls);
    },
    busiest: () => busiest,
  };
}
