// The Node platform with several serving threads in this process, whose threads a test can end.
// The first thread is the one that the test runs in.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { openNodePorts } from '../../../src/adapters/node/node-ports.ts';
import { startFlushing } from '../../../src/adapters/node/process/service-tasks.ts';
import { openThreading } from '../../../src/adapters/node/threads/threads.ts';
import { openConfiguredTls, tlsSettingsOf } from '../../../src/adapters/node/tls/open-tls.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { parseConfig } from '../../../src/config.ts';
import type { Core } from '../../../src/core/core.ts';
import { serveApp } from '../../../src/serve-app.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const ROOT = { accessKeyId: 'threaded-platform', secretAccessKey: 'threaded-platform' };

export type ThreadedPlatform = {
  readonly url: string;
  readonly port: number;
  readonly core: Core;
  readonly dataDir: string;
  /** Events of the log, in order. */
  readonly events: readonly string[];
  /** The threads beside the first, by number; a replaced one is in its place. */
  readonly workers: ReadonlyMap<number, Worker>;
  /**
   * Connects until the thread of that number has the connection; a first response has come over
   * it.
   */
  connectTo(thread: number): Promise<Socket>;
  /** Connections by thread. */
  connections(): readonly number[];
  /** Closes it once, and resolves with how many connections were cut. */
  close(limitMs?: number): Promise<number>;
};

/** Resolves when what came ends with the text. */
async function untilText(socket: Socket, text: string): Promise<void> {
  let received = '';
  while (!received.endsWith(text)) {
    const [chunk] = await once(socket, 'data');
    received += chunk;
  }
}

const THREAD = new URL('../../../src/serving-thread.ts', import.meta.url);

export async function startThreadedPlatform(
  env: Readonly<Record<string, string>> = {},
): Promise<ThreadedPlatform> {
  const events: string[] = [];
  const log = createConsoleLog(systemClock, 'info', (line) => {
    events.push(JSON.parse(line).event);
  });
  const dataDir = temporaryFolder();
  const threading = await openThreading(
    parseConfig({
      QUAYSIDE_ROOT_ACCESS_KEY: ROOT.accessKeyId,
      QUAYSIDE_ROOT_SECRET_KEY: ROOT.secretAccessKey,
      QUAYSIDE_MASTER_KEY: '1'.repeat(64),
      QUAYSIDE_THREADS: '2',
      QUAYSIDE_PORT: '0',
      QUAYSIDE_LOG_LEVEL: 'off',
      ...env,
    }),
  );
  const { config, shared } = threading;
  const platform = await openNodePorts(config, { dataDir, log, onCrash: () => undefined, shared });
  const { ports } = platform;
  const tlsSettings = tlsSettingsOf(config);
  const tls = await openConfiguredTls(tlsSettings, log);
  const { app, server } = await serveApp(ports, config, { ...threading.listening, tls });
  const workers = new Map<number, Worker>();
  const threads = await threading.start({
    dataDir,
    log,
    platform,
    server,
    tls: tlsSettings,
    makeWorker(workerData) {
      const worker = new Worker(THREAD, { workerData });
      workers.set(workerData.thread, worker);
      return worker;
    },
  });
  const flushing = startFlushing({ config, log, app });
  const port = Number(new URL(server.url).port);
  let lastConnecting: Promise<unknown> = Promise.resolve();
  let closing: Promise<number> | null = null;

  return {
    url: server.url,
    port,
    core: { ports, settings: config },
    dataDir,
    events,
    workers,
    connections: shared.connections.byThread,
    connectTo(thread) {
      // One after the other, so that a count that goes up is this connection's.
      const connecting = lastConnecting.then(() => connectToThread(thread));
      lastConnecting = connecting.catch(() => undefined);
      return connecting;
    },
    close(limitMs = 2000) {
      closing ??= closeAll(limitMs);
      return closing;
    },
  };

  async function connectToThread(thread: number): Promise<Socket> {
    for (;;) {
      const before = shared.connections.byThread()[thread] ?? 0;
      const socket = connect({ host: '127.0.0.1', port });
      await once(socket, 'connect');
      // Accepted is not yet counted; a response is proof that it is.
      socket.write('GET /-/health HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await untilText(socket, '"ok"}\n');
      if ((shared.connections.byThread()[thread] ?? 0) > before) return socket;
      socket.destroy();
      await once(socket, 'close');
    }
  }

  async function closeAll(limitMs: number): Promise<number> {
    const cut = await threads.close(limitMs);
    await flushing.end();
    await platform.close(1000);
    await Promise.all(Array.from(workers.values(), (worker) => worker.terminate()));
    return cut;
  }
}
