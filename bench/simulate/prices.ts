// What Cloudflare asks for, as data, and what a run used of it. Marginal prices: nothing of what a
// plan includes is taken off, and nothing is rounded up, so that designs compare by what one more
// download costs.

/**
 * What is counted. Milliseconds for the two times, else how often. From `indexReads` on nothing is
 * billed: `from…` are answers by the tier that their body (its first slice) came from, inline
 * bodies being memory.
 */
export type Usage = {
  workerRequests: number;
  workerCpuMs: number;
  kvReads: number;
  kvWrites: number;
  objectRequests: number;
  objectActiveMs: number;
  rowsRead: number;
  rowsWritten: number;
  classA: number;
  classB: number;
  indexReads: number;
  kvAnswers: number;
  fromMemory: number;
  fromEdge: number;
  fromBucket: number;
  upperHits: number;
  refusedWrites: number;
};

export function createUsage(): Usage {
  return {
    workerRequests: 0,
    workerCpuMs: 0,
    kvReads: 0,
    kvWrites: 0,
    objectRequests: 0,
    objectActiveMs: 0,
    rowsRead: 0,
    rowsWritten: 0,
    classA: 0,
    classB: 0,
    indexReads: 0,
    kvAnswers: 0,
    fromMemory: 0,
    fromEdge: 0,
    fromBucket: 0,
    upperHits: 0,
    refusedWrites: 0,
  };
}

/** What was used since `before`. */
export function usedSince(now: Usage, before: Usage): Usage {
  const names = Object.keys(now) as (keyof Usage)[];
  return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as Usage;
}

/**
 * Day on which the stored copies of the pages were read. They are copies, so each is as old as its
 * own last change.
 */
export const PRICES_READ_ON = '2026-11-21';

const WORKERS = 'https://developers.cloudflare.com/workers/platform/pricing/';
const OBJECTS = 'https://developers.cloudflare.com/durable-objects/platform/pricing/';
const KV = 'https://developers.cloudflare.com/kv/platform/pricing/';
const R2 = 'https://developers.cloudflare.com/r2/pricing/';

/**
 * A Durable Object is billed as 128 MB, whatever it needs; a GB is 10^9 bytes. Source: OBJECTS,
 * footnote 5.
 */
const OBJECT_GB = 0.128;

/**
 * US dollars for one of each. Workers Standard, KV, SQLite-backed Durable Objects, R2 Standard. A
 * bulk read of KV is taken as one read for each key: all that the page says is that every operation
 * is charged. A cached call through ctx.exports is a request like any other ("worker-to-worker
 * invocations … billed at the standard rate" once a Worker has caching on). Source:
 * https://developers.cloudflare.com/workers/cache/#pricing
 */
export const PRICES = {
  workerRequests: { usd: 0.3e-6, source: WORKERS },
  workerCpuMs: { usd: 0.02e-6, source: WORKERS },
  kvReads: { usd: 0.5e-6, source: KV },
  kvWrites: { usd: 5e-6, source: KV },
  objectRequests: { usd: 0.15e-6, source: OBJECTS },
  objectActiveMs: { usd: (12.5e-6 * OBJECT_GB) / 1000, source: OBJECTS },
  rowsRead: { usd: 0.001e-6, source: OBJECTS },
  rowsWritten: { usd: 1e-6, source: OBJECTS },
  classA: { usd: 4.5e-6, source: R2 },
  classB: { usd: 0.36e-6, source: R2 },
} as const satisfies Partial<Record<keyof Usage, { usd: number; source: string }>>;

export type Cost = {
  readonly workers: number;
  readonly kv: number;
  readonly objects: number;
  readonly r2: number;
  readonly total: number;
};

/** US dollars for what was used, by product. */
export function costOf(usage: Usage): Cost {
  const of = (...names: readonly (keyof typeof PRICES)[]) =>
    names.reduce((sum, name) => sum + usage[name] * PRICES[name].usd, 0);
  const workers = of('workerRequests', 'workerCpuMs');
  const kv = of('kvReads', 'kvWrites');
  const objects = of('objectRequests', 'objectActiveMs', 'rowsRead', 'rowsWritten');
  const r2 = of('classA', 'classB');
  return { workers, kv, objects, r2, total: workers + kv + objects + r2 };
}

/**
 * CPU time of a Worker, milliseconds: an invocation, each call of a binding, each MiB that passes
 * through memory. Assumed, with room above the 0.05 ms that workerd takes for a hot answer
 * (measured 2026-11); ten times as much would add 5 cents to a million downloads.
 */
export const CPU_MS = { invocation: 0.25, call: 0.1, mebibyte: 1 } as const;
