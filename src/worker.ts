// The Cloudflare root: bindings become ports, ports become the app. Everything else is in adapters/cloudflare.
import type { Hono } from 'hono';
import { BucketObject } from './adapters/cloudflare/bucket-object.ts';
import { DirectoryObject } from './adapters/cloudflare/directory-object.ts';
import { createDoDirectory } from './adapters/cloudflare/do-directory.ts';
import { createDoMetadataIndex } from './adapters/cloudflare/do-metadata-index.ts';
import type { WorkerEnv } from './adapters/cloudflare/env.ts';
import { createKvHotMetadata } from './adapters/cloudflare/kv-hot-metadata.ts';
import { createR2BlobStore } from './adapters/cloudflare/r2-blob-store.ts';
import { createWaitUntilBackground } from './adapters/cloudflare/waituntil-background.ts';
import { readWorkerRequest } from './adapters/cloudflare/worker-request.ts';
import { toWorkerResponse } from './adapters/cloudflare/worker-response.ts';
import { createWorkersEdgeCache } from './adapters/cloudflare/workers-edge-cache.ts';
import { createConsoleLog } from './adapters/shared/console-log.ts';
import { createCountingMeter } from './adapters/shared/counting-meter.ts';
import { createIds } from './adapters/shared/ids.ts';
import { createMemoryEdgeCache } from './adapters/shared/memory-edge-cache.ts';
import { createMemoryHotMetadata } from './adapters/shared/memory-hot-metadata.ts';
import { systemClock } from './adapters/shared/system-clock.ts';
import { createApp } from './app.ts';
import { type Config, parseConfig } from './config.ts';
import type { Core } from './core/core.ts';
import { sweep } from './core/sweep/sweep.ts';
import type { Ports } from './ports/index.ts';

export { BucketObject, DirectoryObject };

function createPorts(env: WorkerEnv, config: Config): Ports {
  const clock = systemClock;
  const log = createConsoleLog(clock, config.logLevel);
  const hotMemory = createMemoryHotMetadata({
    clock,
    maxEntries: config.pointerMemoryMaxEntries,
    maxBytes: config.pointerMemoryMaxBytes,
    negativeFreshSeconds: config.negativeFreshSeconds,
    maxAgeSeconds: config.pointerFreshSeconds,
  });
  const bodyMemory = createMemoryEdgeCache({
    maxBytes: config.bodyMemoryMaxBytes,
    maxBodyBytes: config.bodyMemoryMaxBodyBytes,
  });
  return {
    blobStore: createR2BlobStore(env.BLOBS),
    metadataIndex: createDoMetadataIndex(env.BUCKETS),
    directory: createDoDirectory(env.DIRECTORY, clock),
    hotMetadata: createKvHotMetadata(env.HOT, hotMemory, log),
    edgeCache: createWorkersEdgeCache(bodyMemory, log),
    tiers: { metadata: ['memory', 'kv'], body: ['memory', 'edge'] },
    clock,
    ids: createIds(clock),
    background: createWaitUntilBackground(log),
    log,
    meter: createCountingMeter(),
  };
}

type Service = { readonly app: Hono<{ Bindings: WorkerEnv }>; readonly core: Core };

/** One service per set of bindings, so one per isolate; it holds plain values and bindings, never I/O of a request. */
const services = new WeakMap<WorkerEnv, Service>();

function serviceOf(env: WorkerEnv): Service {
  const known = services.get(env);
  if (known !== undefined) return known;
  const config = parseConfig(env, 'cloudflare');
  const ports = createPorts(env, config);
  const app = createApp<WorkerEnv>(ports, config, (c) => readWorkerRequest(c.req.raw));
  const service: Service = { app, core: { ports, settings: config } };
  services.set(env, service);
  return service;
}

export default {
  async fetch(request, env, ctx) {
    return toWorkerResponse(await serviceOf(env).app.fetch(request, env, ctx));
  },
  async scheduled(_event, env) {
    await sweep(serviceOf(env).core);
  },
} satisfies ExportedHandler<WorkerEnv>;
