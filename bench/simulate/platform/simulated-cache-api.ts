// The Cache API for texts: each place alone, every call takes a moment, nothing is locked. Free but
// for the CPU of its calls. Source:
// https://developers.cloudflare.com/workers/runtime-apis/cache/
import { createByteLru } from '../byte-lru.ts';
import { LATENCY_MS } from '../latencies.ts';
import { CPU_MS, type Usage } from '../prices.ts';
import type { Timeline } from '../timeline.ts';

/** What each place keeps for us of pointers, bytes. */
const PLACE_BYTES = 64 * 2 ** 20;

type Entry = { readonly text: string; readonly untilMs: number };
/** A response that light-response.ts made. */
type Stored = { readonly body: string; readonly headers: Readonly<Record<string, string>> };

/** Opens the cache of a place. */
export function createSimulatedCacheApi(timeline: Timeline, usage: Usage) {
  const caches = new Map<number, Pick<Cache, 'match' | 'put' | 'delete'>>();

  function createCache(): Pick<Cache, 'match' | 'put' | 'delete'> {
    const entries = createByteLru<Entry>(PLACE_BYTES);

    const pass = (text: string) => {
      usage.workerCpuMs += (text.length / 2 ** 20) * CPU_MS.pageMebibyte;
    };

    async function take<Value>(work: () => Value): Promise<Value> {
      usage.workerCpuMs += CPU_MS.call;
      await timeline.sleep(LATENCY_MS.edge);
      return work();
    }

    return {
      match: (url) =>
        take(() => {
          const entry = entries.get(`${url}`);
          if (entry === undefined || entry.untilMs <= timeline.nowMs()) return undefined;
          pass(entry.text);
          return { text: async () => entry.text } as Response;
        }),
      put: (url, response) =>
        take(() => {
          const { body: text, headers } = response as unknown as Stored;
          const seconds = Number(/max-age=(\d+)/.exec(headers['Cache-Control'] ?? '')?.[1]);
          const untilMs = timeline.nowMs() + seconds * 1000;
          pass(text);
          entries.set(`${url}`, { text, untilMs }, text.length);
        }),
      delete: (url) =>
        take(() => {
          entries.delete(`${url}`);
          return true;
        }),
    };
  }

  return (place: number) => {
    const cache = caches.get(place) ?? createCache();
    caches.set(place, cache);
    return async () => cache;
  };
}
