// The root of a serving thread beside the first one: the same app and listener over
// ports of its own. adapters/node/threads/threads.ts starts it, and the first thread
// ends it; a failure that nobody caught ends it alone.
import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import { guardProcess } from './adapters/node/process/process-end.ts';
import { BACKGROUND_LIMIT_MS, startFlushing } from './adapters/node/process/service-tasks.ts';
import { HandedConnection } from './adapters/node/server/handed-connection.ts';
import { createHandOver } from './adapters/node/threads/handed-requests.ts';
import { openSharedCounts } from './adapters/node/threads/shared-counts.ts';
import type {
  FirstThreadCalls,
  OtherThreadCalls,
  ThreadData,
} from './adapters/node/threads/thread-calls.ts';
import { openThreadPeer } from './adapters/node/threads/thread-peer.ts';
import { openThreadPorts } from './adapters/node/threads/thread-ports.ts';
import { openConfiguredTls } from './adapters/node/tls/open-tls.ts';
import { createConsoleLog } from './adapters/shared/console-log.ts';
import { systemClock } from './adapters/shared/system-clock.ts';
import { serveApp } from './serve-app.ts';

if (parentPort === null) throw new Error('serving-thread.ts runs as a worker thread only.');
const port = parentPort;
const data = workerData as ThreadData;
const { config, memory, thread } = data;
const log = createConsoleLog(systemClock, config.logLevel);
guardProcess(log);

const calls: OtherThreadCalls = {
  families: () => app.families(),
  forgetBlobs: (ids) => platform.forgetBlobs(ids),
  async renewTls() {
    await tls?.renew();
  },
  async close(limitMs) {
    const cutConnections = await server.close(limitMs);
    await flushing.end();
    await platform.close(BACKGROUND_LIMIT_MS);
    return cutConnections;
  },
};
const first = openThreadPeer<FirstThreadCalls>(port, calls);
const platform = openThreadPorts(data, first, log);
const tls = await openConfiguredTls(data.tls, log);
const { app, server } = await serveApp(platform.ports, config, {
  reusePort: true,
  // The certificate is the process's, whose first thread reports it.
  tls: tls === null ? null : { ...tls, families: () => [] },
  connectionCounts: openSharedCounts(memory.connections).ofThread(thread),
  handOver: createHandOver((peer) => {
    const { port1, port2 } = new MessageChannel();
    first.call('connect', [port2, peer], [port2]).catch(() => port1.close());
    return new HandedConnection(port1, peer);
  }),
});
const flushing = startFlushing({ config, log, app });
await first.call('ready', []);
