// The Node platform in this process: its real ports, index and server, with what core asks of index
// and bucket counted, and delayed, failing or hanging as the test wants. The fast path is on.
import { Agent, request } from 'node:http';
import { openNodePorts } from '../../../src/adapters/node/node-ports.ts';
import { type NodeBindings, serve } from '../../../src/adapters/node/serve.ts';
import { DIRECT, readRequest } from '../../../src/adapters/node/server/http-request.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import type { Core } from '../../../src/core/core.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { openTestBucket, putBytes } from '../../core/memory-core.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** `ms`: works, after that time. */
export type Behaviour = 'works' | 'fails' | 'hangs' | { readonly ms: number };

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
};

export type WrappedPlatform = {
  readonly core: Core;
  readonly bucket: BucketHandle;
  /**
   * Calls since the last `reset`, by method: resolve of the index, read, open and openRuns of the
   * bucket.
   */
  readonly calls: Record<string, number>;
  readonly behave: { index: Behaviour; bucket: Behaviour };
  reset(): void;
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string, headers?: Record<string, string>): Promise<Reply>;
  close(): Promise<void>;
};

/** Starts it with a public bucket. */
export async function startWrappedPlatform(
  env: Readonly<Record<string, string>> = {},
): Promise<WrappedPlatform> {
  const log = createConsoleLog(systemClock, 'off');
  const config = parseConfig({
    QUAYSIDE_ROOT_ACCESS_KEY: 'wrapped-platform',
    QUAYSIDE_ROOT_SECRET_KEY: 'wrapped-platform',
    ...env,
  });
  const { ports, close } = await openNodePorts(config, {
    dataDir: temporaryFolder(),
    log,
    onCrash: () => undefined,
  });
  const calls: Record<string, number> = {};
  const behave: WrappedPlatform['behave'] = { index: 'works', bucket: 'works' };

  async function as<Result>(
    behaviour: Behaviour,
    what: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    calls[what] = (calls[what] ?? 0) + 1;
    if (behaviour === 'fails')
      throw new StorageError('InternalError', { detail: 'expected by the test' });
    if (behaviour === 'hangs') return new Promise<Result>(() => undefined);
    if (behaviour !== 'works') await new Promise((resolve) => setTimeout(resolve, behaviour.ms));
    return work();
  }

  const { blobStore, metadataIndex } = ports;
  const wrapped = {
    ...ports,
    metadataIndex: {
      call: ((bucket, name, input) =>
        name === 'resolve'
          ? as(behave.index, name, () => metadataIndex.call(bucket, name, input))
          : metadataIndex.call(bucket, name, input)) as typeof metadataIndex.call,
    },
    blobStore: {
      ...blobStore,
      open: ((id, range) =>
        as(behave.bucket, 'open', () => blobStore.open(id, range))) as typeof blobStore.open,
      read: ((id, range) =>
        as(behave.bucket, 'read', () => blobStore.read(id, range))) as typeof blobStore.read,
      openRuns: ((runs) =>
        as(behave.bucket, 'openRuns', () => blobStore.openRuns(runs))) as typeof blobStore.openRuns,
    },
  };
  const core: Core = { ports: wrapped, settings: config };
  const app = createApp<NodeBindings>(wrapped, config, ({ env }) => readRequest(env));
  const fastPath = { ...app.fastPath, readClient: DIRECT.readClient };
  const server = await serve(app.fetch, {
    host: '127.0.0.1',
    port: 0,
    log,
    fastPath,
    hasFastConnections: true,
  });
  const bucket = await openTestBucket(core, 'wrapped');
  await bucket.call('setBucketAccess', { access: PUBLIC_ACCESS });
  const agent = new Agent({ keepAlive: true, maxSockets: 2000 });

  return {
    core,
    bucket,
    calls,
    behave,
    reset() {
      for (const name of Object.keys(calls)) delete calls[name];
    },
    async put(name, bytes) {
      await putBytes(core, bucket, name, bytes);
    },
    get: (name, headers = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(`${server.url}/wrapped/${name}`, { agent, headers }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: Buffer.concat(chunks),
            }),
          );
        });
        sent.on('error', reject);
        sent.end();
      }),
    async close() {
      agent.destroy();
      await server.close(0);
      await close(1000);
    },
  };
}
