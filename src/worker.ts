// The root of the Cloudflare platform: bindings become ports, ports become the app.
// Everything else is in adapters/cloudflare.
import { exports } from 'cloudflare:workers';
import { BodySlices } from './adapters/cloudflare/bodies/body-slices.ts';
import type { WorkerEnv } from './adapters/cloudflare/env.ts';
import { createWorkersPorts } from './adapters/cloudflare/ports.ts';
import { createWorkersFastPath } from './adapters/cloudflare/requests/fast-path.ts';
import {
  createIsolateRegion,
  type IsolateRegion,
} from './adapters/cloudflare/requests/isolate-region.ts';
import { keepCoding } from './adapters/cloudflare/requests/stored-coding.ts';
import { readWorkerRequest } from './adapters/cloudflare/requests/worker-request.ts';
import { toWorkerResponse } from './adapters/cloudflare/requests/worker-response.ts';
import { type App, createApp } from './app.ts';
import { ConfigError, parseConfig, warnOfUnknown } from './config.ts';
import { trustTime } from './core/clock/trust-time.ts';
import type { Core } from './core/core.ts';
import { BucketObject, DirectoryObject, LedgerObject } from './worker-objects.ts';

export { BodySlices, BucketObject, DirectoryObject, LedgerObject };

type Service = {
  readonly app: App<WorkerEnv>;
  readonly fastPath: (request: Request) => Response | null;
  readonly core: Core;
  readonly region: IsolateRegion;
  readonly isDevServer: boolean;
};

/** The cron of bills in wrangler.toml. Accounts are billed by the alarms of their ledgers. */
const BILLING_CRON = '47 * * * *';
/** Ledgers that one run of it may wake: half of the calls that an invocation has. */
const ledgersMax = ({ settings }: Core) => Math.min(settings.subrequestsMax, 10_000) / 2;

/**
 * One service per set of bindings, so one per isolate; it holds plain values and
 * bindings, never I/O of a request.
 */
const services = new WeakMap<WorkerEnv, Service>();

function serviceOf(env: WorkerEnv): Service {
  const known = services.get(env);
  if (known !== undefined) return known;
  const config = parseConfig(env, 'cloudflare');
  const { BodySlices: entrypoint } = exports as { readonly BodySlices?: Fetcher };
  const region = createIsolateRegion();
  const ports = createWorkersPorts(env, config, entrypoint ?? null, null, region.here);
  warnOfUnknown(env, ports.log);
  const app = createApp<WorkerEnv>(ports, config, (c) => readWorkerRequest(c.req.raw));
  ports.meter.whenUsed(app.usage.flushSoon);
  const fastPath = createWorkersFastPath(app.fastPath);
  const service: Service = {
    app,
    fastPath,
    region,
    core: { ports, settings: config },
    isDevServer: config.isDevServer,
  };
  services.set(env, service);
  return service;
}

/**
 * A wrong or missing setting is named in the response; its message never shows a
 * secret.
 */
function refuse(error: unknown): Response {
  if (!(error instanceof ConfigError)) throw error;
  return new Response(`Quayside is not configured: ${error.message}\n`, { status: 503 });
}

export default {
  async fetch(request, env, ctx) {
    let service: Service;
    try {
      service = serviceOf(env);
    } catch (error) {
      return refuse(error);
    }
    service.region.note(request);
    const answer =
      service.fastPath(request) ?? toWorkerResponse(await service.app.fetch(request, env, ctx));
    keepCoding(request, answer.headers, service.isDevServer);
    // Flush even if this request counted nothing: usage left by cancelled requests
    // would stay in memory.
    service.app.usage.flushSoon();
    return answer;
  },
  async scheduled({ cron }, env) {
    const { core } = serviceOf(env);
    const trusted = await trustTime(core);
    if (trusted === null) return;
    // No request needs what crons run.
    if (cron === BILLING_CRON) {
      const { notePrices } = await import('./core/billing/prices/noted-prices.ts');
      const { wakeLedgers } = await import('./core/billing/scheduled/wake-ledgers.ts');
      await notePrices(trusted);
      await wakeLedgers(trusted, { ledgersMax: ledgersMax(trusted) });
    } else {
      const { SMALL_BATCH, sweepInBatches } = await import('./core/sweep/sweep-in-batches.ts');
      await sweepInBatches(trusted, SMALL_BATCH);
    }
  },
} satisfies ExportedHandler<WorkerEnv>;
