// The app as a new isolate runs it, with its calls to the platform counted, and what stands below
// it working, failing or hanging as the test wants.
import { env } from 'cloudflare:workers';
import { createWorkersPorts } from '../../../src/adapters/cloudflare/ports.ts';
import { createWorkersFastPath } from '../../../src/adapters/cloudflare/requests/fast-path.ts';
import { readWorkerRequest } from '../../../src/adapters/cloudflare/requests/worker-request.ts';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import type { Core } from '../../../src/core/core.ts';
import { PUT_TOTALS, type PutTotals } from '../../../src/domain/billing/put-totals.ts';
import { UPLOAD_ROWS, type UploadRows } from '../../../src/domain/uploads/upload-rows.ts';
import { counting, countingCaches } from './counting.ts';
import type { SimulatedWorkersCache } from './workers-cache.ts';

export type Behaviour = 'works' | 'fails' | 'hangs';

export type Isolate = {
  readonly core: Core;
  readonly behave: { index: Behaviour; bucket: Behaviour };
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** What the fast path says; the Host header must be among the others. Null: nothing. */
  atOnce(url: string, init: RequestInit): Response | null;
  /** The status, and what the request cost, with what went on behind its answer. */
  count(url: string, init?: RequestInit): Promise<Cost>;
  /** Waits for what goes on behind the answers. */
  settle(): Promise<unknown>;
};

type Cost = {
  readonly status: number;
  readonly kv: Record<string, number>;
  readonly index: Record<string, number>;
  readonly directory: Record<string, number>;
  readonly r2: Record<string, number>;
  readonly cache: { match: number; put: number };
  /** Calls of the entrypoint behind Workers Cache, and how often it ran for them. */
  readonly entrypoint: number;
  readonly behind: number;
};

/** `cached`: Workers Cache stands before the entrypoint; without it there is only the Cache API. */
export function createIsolate(
  options: {
    cached?: SimulatedWorkersCache | null;
    settings?: Readonly<Record<string, string>>;
    uploadRows?: UploadRows;
    putTotals?: PutTotals;
  } = {},
): Isolate {
  const { cached = null, uploadRows = UPLOAD_ROWS, putTotals = PUT_TOTALS } = options;
  const behave: Isolate['behave'] = { index: 'works', bucket: 'works' };
  const parts = {
    BLOBS: counting(env.BLOBS),
    HOT: counting(env.HOT),
    BUCKETS: counting(env.BUCKETS),
    DIRECTORY: counting(env.DIRECTORY),
  };
  const bindings = {
    ...env,
    HOT: parts.HOT.target,
    DIRECTORY: parts.DIRECTORY.target,
    BLOBS: behaving(parts.BLOBS.target, 'get', () => misbehave(behave.bucket)),
    BUCKETS: behaving(parts.BUCKETS.target, 'get', () => {
      const call = misbehave(behave.index);
      return call === null ? null : { call: () => call };
    }),
  };
  const variables = { QUAYSIDE_OWN_HOSTS: 'files.example', ...options.settings };
  const config = { ...parseConfig(variables, 'cloudflare'), uploadRows, putTotals };
  const background: Promise<unknown>[] = [];
  const ports = createWorkersPorts(bindings, config, cached?.entrypoint ?? null, {
    run: (_label, work) => void background.push(work().catch(() => undefined)),
  });
  const app = createApp(ports, config, (c) => readWorkerRequest(c.req.raw));
  async function settle(): Promise<void> {
    while (background.length > 0) await Promise.all(background.splice(0));
  }
  // Both doors, as worker.ts asks them; the first takes only requests with a Host header.
  const answerAtOnce = createWorkersFastPath(app.fastPath);
  const fetch = async (url: string, init?: RequestInit) => {
    const request = new Request(url, init);
    return answerAtOnce(request) ?? app.fetch(request);
  };

  return {
    core: { ports, settings: config },
    behave,
    fetch,
    atOnce: (url, init) => answerAtOnce(new Request(url, init)),
    settle,
    async count(url, init) {
      for (const { calls } of Object.values(parts))
        for (const name of Object.keys(calls)) delete calls[name];
      const before = { ...cached?.calls };
      let status = 0;
      const cache = await countingCaches(async () => {
        const answer = await fetch(url, init);
        status = answer.status;
        await answer.arrayBuffer();
        await settle();
      });
      const { idFromName: _free, ...index } = parts.BUCKETS.calls;
      const { idFromName: _freeToo, ...directory } = parts.DIRECTORY.calls;
      const entrypoint = (cached?.calls.asked ?? 0) - (before.asked ?? 0);
      const behind = (cached?.calls.run ?? 0) - (before.run ?? 0);
      return {
        status,
        kv: parts.HOT.calls,
        index,
        directory,
        r2: parts.BLOBS.calls,
        cache,
        entrypoint,
        behind,
      };
    },
  };
}

/** What a call gives instead of working; null: it works. */
export function misbehave(behaviour: Behaviour): Promise<never> | null {
  if (behaviour === 'fails') return Promise.reject(new Error('expected by the test'));
  return behaviour === 'hangs' ? new Promise<never>(() => undefined) : null;
}

/** The binding with one method that may give something else. */
function behaving<Target extends object>(
  target: Target,
  method: string,
  instead: () => unknown,
): Target {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) =>
        (name === method ? instead() : null) ?? Reflect.apply(value, object, values);
    },
  });
}
