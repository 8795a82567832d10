// The Cloudflare home as a process: workerd with local R2, KV, Durable Objects and Cache, set up
// from wrangler.toml and running the script that `wrangler deploy` would upload. server.ts starts
// it in place of `wrangler dev`, whose proxy and tools cost more CPU time than the requests of a
// test (wrangler-dev.test.ts proves that `wrangler dev` runs too). Usage: node workers-runtime.ts
// <port> <data folder> <script> <vars as JSON>. Ends at SIGTERM, and with its parent.
import { dirname } from 'node:path';
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
  throw new Error('Usage: node workers-runtime.ts <port> <data folder> <script> <vars as JSON>');
}

const { workerOptions } = unstable_getMiniflareWorkerOptions(
  fileURLToPath(new URL('../../../wrangler.toml', import.meta.url)),
);
const worker = mergeWorkerOptions(workerOptions, {
  name: 'quayside',
  modulesRoot: dirname(script),
  modules: [{ type: 'ESModule', path: script }],
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
