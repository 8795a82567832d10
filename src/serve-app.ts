// The app over ports of the Node platform, and the server in front of it. Each serving
// thread runs both: node.ts calls this in the first one, serving-thread.ts in others.
import type { NodePorts } from './adapters/node/node-ports.ts';
import type { RunningServer, SharedListening } from './adapters/node/serve.ts';
import { type NodeBindings, type ServerOptions, serve } from './adapters/node/serve.ts';
import { DIRECT, readRequest } from './adapters/node/server/http-request.ts';
import { createClientReader } from './adapters/node/server/trusted-proxies.ts';
import { type App, createApp } from './app.ts';
import type { Config } from './config.ts';

export type ServedApp = { readonly app: App<NodeBindings>; readonly server: RunningServer };

/** Resolves when it listens. `listening`: what it shares with other threads, and its TLS. */
export async function serveApp(
  ports: NodePorts['ports'],
  config: Config,
  listening: SharedListening & Pick<ServerOptions, 'handOver' | 'tls'> = {},
): Promise<ServedApp> {
  const readClient = createClientReader(config.trustedProxies);
  const reading = { ...DIRECT, readClient };
  const app = createApp<NodeBindings>(ports, config, ({ env }) => readRequest(env, reading));
  const server = await serve(app.fetch, {
    ...config,
    ...listening,
    log: ports.log,
    fastPath: { ...app.fastPath, readClient },
    hasFastConnections: config.isFastPathOn,
  });
  ports.metrics.add(server.families);
  return { app, server };
}
