import { targetFromEnv, type WireTarget } from '../../test/wire/kit/clients/target.ts';
import {
  type StartOptions,
  startNode,
  startWorkers,
  type WireServer,
} from '../../test/wire/kit/server.ts';

/** A server of a platform; `pid` where it is ours and one process. */
export type PlatformServer = { readonly target: WireTarget; readonly pid: number | null };

/**
 * Runs work against Node and Cloudflare in turn, each a server of its own; against one of them
 * alone when QUAYSIDE_BENCH_PLATFORM names it, or against somebody's server with QUAYSIDE_WIRE_URL
 * and its keys. `cloudflare`: how the second one is started; without wrangler, unless it says so.
 */
export async function onEachPlatform(
  work: (server: PlatformServer) => Promise<void>,
  cloudflare: (options?: StartOptions) => Promise<WireServer> = startWorkers,
): Promise<void> {
  const other = targetFromEnv(process.env);
  if (other !== null) return work({ target: other, pid: null });
  const starters = { node: startNode, workers: cloudflare };
  const wanted = process.env.QUAYSIDE_BENCH_PLATFORM;
  for (const [platform, start] of Object.entries(starters)) {
    if (wanted !== undefined && wanted !== platform) continue;
    const server = await start();
    try {
      await work({
        target: server.target,
        pid: platform === 'node' ? (server.process.pid ?? null) : null,
      });
    } finally {
      await server.stop();
    }
  }
}
