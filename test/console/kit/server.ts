// The server that tests of the console run against. The vitest project says which platform:
// `console` has Node, `console-workers` has the Worker in `wrangler dev`, as `npm run dev` starts
// it, with local R2, KV and Durable Objects. One body of tests is for both.
import {
  type StartOptions,
  startNode,
  startWranglerDev,
  type WireServer,
} from '../../wire/kit/server.ts';

export type { WireServer };

/** Whether the tests run against the Worker. */
export const IS_WORKERS = process.env.QUAYSIDE_CONSOLE_PLATFORM === 'workers';

/** A server of this run's platform, with nothing in it. */
export function startServer(options: StartOptions = {}): Promise<WireServer> {
  return IS_WORKERS ? startWranglerDev(options) : startNode(options);
}
