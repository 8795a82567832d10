// The Cloudflare platform as a process: workerd with local R2, KV, Durable Objects and Cache, set
// up from wrangler.toml and running the script and modules that `npm run deploy` uploads. server.ts
// starts it in place of `wrangler dev`, whose proxy and tools cost more CPU time than the requests
// of a test (wrangler-dev.test.ts proves that `wrangler dev` runs too). Usage: node
// workers-runtime.ts <port> <data folder> <folder of the script> <vars as JSON>. Ends at SIGTERM,
// and with its parent.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  convertV4MiniflareOptions,
  Miniflare,
  mergeWorkerOptions,
  type V4MiniflareOptions,
} from 'miniflare';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';

const [port, folder, script, vars] = process.argv.slice(2);
if (port === undefined || folder === undefined || script === undefined || vars === undefined) {
  throw new Error('Usage: node workers-runtime.ts <port> <data> <script folder> <vars as JSON>');
}

const { workerOptions } = unstable_getMiniflareWorkerOptions(
  fileURLToPath(new URL('../../../wrangler.toml', import.meta.url)),
);
const worker = mergeWorkerOptions(workerOptions, {
  name: 'quayside',
  modulesRoot: script,
  modules: [
    { type: 'ESModule', path: join(script, 'worker.js') },
    ...readdirSync(join(script, 'chunks'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => ({ type: 'ESModule' as const, path: join(script, 'chunks', name) })),
  ],
  bindings: JSON.parse(vars),
});
const options = {
  host: '127.0.0.1',
  port: Number(port),
  resourcePersistencePath: folder,
  logRequests: false,
  workers: [worker],
};
const runtime = new Miniflare(convertV4MiniflareOptions(options as V4MiniflareOptions));

async function stop(): Promise<void> {
  await runtime.dispose();
  process.exit(0);
}
process.once('SIGTERM', () => void stop());
process.once('disconnect', () => void stop());
await runtime.ready;
