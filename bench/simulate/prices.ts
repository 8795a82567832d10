// What Cloudflare asks for, as data, and what a run used of it. Marginal prices: nothing of what a
// plan includes is taken off, and nothing is rounded up, so that designs compare by what one more
// download costs.

/**
 * What is counted. Milliseconds for the times, else how often. `invocations`: runs of the Worker's
 * code and calls of its Durable Objects, each of which can leave an event in the logs. From
 * `indexReads` on nothing is billed: `from…` are answers by the tier that their body (its first
 * slice) came from, inline bodies being memory; `refusedReads` were refused by a cap.
 */
export type Usage = {
  workerRequests: number;
  workerCpuMs: number;
  invocations: number;
  kvReads: number;
  kvWrites: number;
  objectRequests: number;
  objectActiveMs: number;
  rowsRead: number;
  rowsWritten: number;
  ledgerRequests: number;
  ledgerActiveMs: number;
  ledgerRowsRead: number;
  ledgerRowsWritten: number;
  classA: number;
  classB: number;
  indexReads: number;
  kvAnswers: number;
  relayReads: number;
  memoryAnswers: number;
  placeAnswers: number;
  fromMemory: number;
  fromEdge: number;
  fromBucket: number;
  upperHits: number;
  refusedWrites: number;
  refusedReads: number;
};

export function createUsage(): Usage {
  return {
    workerRequests: 0,
    workerCpuMs: 0,
    invocations: 0,
    kvReads: 0,
    kvWrites: 0,
    objectRequests: 0,
    objectActiveMs: 0,
    rowsRead: 0,
    rowsWritten: 0,
    ledgerRequests: 0,
    ledgerActiveMs: 0,
    ledgerRowsRead: 0,
    ledgerRowsWritten: 0,
    classA: 0,
    classB: 0,
    indexReads: 0,
    kvAnswers: 0,
    relayReads: 0,
    memoryAnswers: 0,
    placeAnswers: 0,
    fromMemory: 0,
    fromEdge: 0,
    fromBucket: 0,
    upperHits: 0,
    refusedWrites: 0,
    refusedReads: 0,
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
const LOGS = 'https://developers.cloudflare.com/workers/observability/logs/workers-logs/#pricing';
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
  ledgerRequests: { usd: 0.15e-6, source: OBJECTS },
  ledgerActiveMs: { usd: (12.5e-6 * OBJECT_GB) / 1000, source: OBJECTS },
  ledgerRowsRead: { usd: 0.001e-6, source: OBJECTS },
  ledgerRowsWritten: { usd: 1e-6, source: OBJECTS },
  /** An event; what each invocation leaves is `LogSettings`. */
  invocations: { usd: 0.6e-6, source: LOGS },
  classA: { usd: 4.5e-6, source: R2 },
  classB: { usd: 0.36e-6, source: R2 },
} as const satisfies Partial<Record<keyof Usage, { usd: number; source: string }>>;

/**
 * Which invocations are logged: the share of requests that is sampled (a request's calls of
 * objects share its fate), and whether an invocation leaves an event of its own. Source: LOGS.
 */
export type LogSettings = {
  readonly headSamplingRate: number;
  readonly areInvocationsLogged: boolean;
};

/** The settings of wrangler.toml; a request that succeeds writes no line of its own. */
export const LOG_SETTINGS: LogSettings = { headSamplingRate: 0.1, areInvocationsLogged: false };

export type Cost = {
  readonly workers: number;
  readonly kv: number;
  readonly objects: number;
  readonly ledger: number;
  readonly logs: number;
  readonly r2: number;
  readonly total: number;
};

/** US dollars for what was used, by product. */
export function costOf(usage: Usage, logSettings: LogSettings = LOG_SETTINGS): Cost {
  const of = (...names: readonly (keyof typeof PRICES)[]) =>
    names.reduce((sum, name) => sum + usage[name] * PRICES[name].usd, 0);
  const { headSamplingRate, areInvocationsLogged } = logSettings;
  const cost = {
    workers: of('workerRequests', 'workerCpuMs'),
    kv: of('kvReads', 'kvWrites'),
    objects: of('objectRequests', 'objectActiveMs', 'rowsRead', 'rowsWritten'),
    ledger: of('ledgerRequests', 'ledgerActiveMs', 'ledgerRowsRead', 'ledgerRowsWritten'),
    logs: areInvocationsLogged ? of('invocations') * headSamplingRate : 0,
    r2: of('classA', 'classB'),
  };
  return { ...cost, total: Object.values(cost).reduce((sum, usd) => sum + usd, 0) };
}

/**
 * CPU time of a Worker, milliseconds: an invocation, each call of a binding, each MiB that passes
 * through memory. Assumed, with room above the 0.05 ms that workerd takes for a hot answer
 * (measured 2026-11); ten times as much would add 5 cents to a million downloads.
 */
export const CPU_MS = {
  invocation: 0.25,
  call: 0.1,
  mebibyte: 1,
  /** A MB that leaves in pieces, each counted; measured 2026-11 in workerd, ADR 50. */
  countedMegabyte: 1.8,
  /** A MiB of pages of pointers, read or written as JSON; measured 2026-11 with Node 26. */
  pageMebibyte: 2.4,
} as const;
