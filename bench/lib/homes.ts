import { startNode, startWorkers, type WireServer } from '../../test/wire/server.ts';

/** Runs work against each home in turn, in a server of its own: both, or the one named in QUAYSIDE_BENCH_HOME. */
export async function onEachHome(work: (server: WireServer) => Promise<void>): Promise<void> {
  const starters = { node: startNode, workers: startWorkers };
  const wanted = process.env.QUAYSIDE_BENCH_HOME;
  for (const [home, start] of Object.entries(starters)) {
    if (wanted !== undefined && wanted !== home) continue;
    const server = await start();
    try {
      await work(server);
    } finally {
      await server.stop();
    }
  }
}
