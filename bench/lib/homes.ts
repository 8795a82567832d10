import { targetFromEnv, type WireTarget } from '../../test/wire/kit/clients/target.ts';
import {
  type StartOptions,
  startNode,
  startWorkers,
  type WireServer,
} from '../../test/wire/kit/server.ts';

/** A home to work with; `pid` of the server where it is ours and one process. */
export type Home = { readonly target: WireTarget; readonly pid: number | null };

/**
 * Runs work against the Node platform and the Cloudflare home in turn, each a server of its own;
 * against one of them alone when QUAYSIDE_BENCH_HOME names it, or against somebody's server with
 * QUAYSIDE_WIRE_URL and its keys. `cloudflare`: how the second one is started; without wrangler,
 * unless it says so.
 */
export async function onEachHome(
  work: (home: Home) => Promise<void>,
  cloudflare: (options?: StartOptions) => Promise<WireServer> = startWorkers,
): Promise<void> {
  const other = targetFromEnv(process.env);
  if (other !== null) return work({ target: other, pid: null });
  const starters = { node: startNode, workers: cloudflare };
  const wanted = process.env.QUAYSIDE_BENCH_HOME;
  for (const [home, start] of Object.entries(starters)) {
    if (wanted !== undefined && wanted !== home) continue;
    const server = await start();
    try {
      await work({
        target: server.target,
        pid: home === 'node' ? (server.process.pid ?? null) : null,
      });
    } finally {
      await server.stop();
    }
  }
}
