// Workers KV as its documentation describes it: one central store, a cache in each place, no order
// between places. A write becomes visible to a place after a delay of its own; what a place has
// read, absence included, it repeats until the reader's cacheTtl is over. Source:
// https://developers.cloudflare.com/kv/concepts/how-kv-works/
import { LATENCY_MS } from '../latencies.ts';
import type { Usage } from '../prices.ts';
import { hashToUnit } from '../random.ts';
import type { Timeline } from '../timeline.ts';

/** One write a second to one name. Source: https://developers.cloudflare.com/kv/platform/limits/ */
const WRITE_GAP_MS = 1000;

export type SimulatedKv = {
  /** The namespace as a Worker in that place has it. */
  at(place: number): Pick<KVNamespace, 'get'>;
  /**
   * The namespace as the writer has it. Rejects like KV does when a name is written twice within a
   * second.
   */
  readonly writer: Pick<KVNamespace, 'put'>;
};

export type SimulatedKvOptions = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  /**
   * Longest delay until a place can see a write, milliseconds; delays are spread evenly up to it.
   */
  readonly propagationMaxMs: number;
};

type Write = {
  readonly text: string;
  readonly atMs: number;
  readonly endMs: number;
  readonly number: number;
};

export function createSimulatedKv({
  timeline,
  usage,
  propagationMaxMs,
}: SimulatedKvOptions): SimulatedKv {
  /** Writes of each name, oldest first; those that no place can see any more are dropped. */
  const writes = new Map<string, Write[]>();
  const caches = new Map<number, Map<string, { text: string | null; readAtMs: number }>>();
  let lastNumber = 0;

  /** What the colo would get, had it nothing cached. */
  function visible(place: number, name: string): string | null {
    const nowMs = timeline.nowMs();
    const seen = writes
      .get(name)
      ?.findLast(
        (write) => write.atMs + propagationMaxMs * hashToUnit(place, write.number) <= nowMs,
      );
    return seen === undefined || seen.endMs <= nowMs ? null : seen.text;
  }

  function remember(name: string, write: Write): void {
    const known = writes.get(name) ?? [];
    const firstNeeded = known.findLastIndex(({ atMs }) => atMs + propagationMaxMs <= write.atMs);
    writes.set(name, [...known.slice(Math.max(0, firstNeeded)), write]);
  }

  return {
    at(place) {
      const cache =
        caches.get(place) ?? new Map<string, { text: string | null; readAtMs: number }>();
      caches.set(place, cache);
      return {
        async get(name, { cacheTtl }) {
          usage.kvReads += 1;
          const isHot = () =>
            (cache.get(name)?.readAtMs ?? Number.NEGATIVE_INFINITY) + cacheTtl * 1000 >
            timeline.nowMs();
          await timeline.sleep(isHot() ? LATENCY_MS.kvHot : LATENCY_MS.kvCold);
          if (!isHot()) cache.set(name, { text: visible(place, name), readAtMs: timeline.nowMs() });
          return cache.get(name)?.text ?? null;
        },
      };
    },
    writer: {
      async put(name, text, { expirationTtl }) {
        const lastMs = writes.get(name)?.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
        if (lastMs + WRITE_GAP_MS > timeline.nowMs()) {
          usage.refusedWrites += 1;
          throw new Error('KV PUT failed: 429 Too Many Requests');
        }
        usage.kvWrites += 1;
        const atMs = timeline.nowMs();
        remember(name, { text, atMs, endMs: atMs + expirationTtl * 1000, number: lastNumber++ });
        await timeline.sleep(LATENCY_MS.kvWrite);
      },
    },
  };
}
