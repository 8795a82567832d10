// Bundles the Worker for `npm run deploy` and for the wire tests: one script with what every
// isolate needs, and modules beside it that workerd loads at the first import() of them (the JSON
// API, Stripe, PDF, WebAuthn, the API's document). wrangler's own bundle has all in one script.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type RolldownOutput, rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The folder that `npm run deploy` uploads; wrangler.toml says which of its files are modules. */
export const WORKER_FOLDER = join(ROOT, 'build', 'worker');

/** What the runtime has itself. */
const isBuiltIn = (id: string) => /^(?:cloudflare|node):/.test(id);

/** Writes the Worker into a folder, as `worker.js` and modules in `chunks`; the folder is emptied. */
export async function bundleWorker(folder: string): Promise<RolldownOutput> {
  rmSync(folder, { recursive: true, force: true });
  const built = await rolldown({
    cwd: ROOT,
    input: { worker: 'src/worker.ts' },
    tsconfig: false,
    external: isBuiltIn,
    platform: 'neutral',
    resolve: {
      mainFields: ['module', 'main'],
      conditionNames: ['workerd', 'worker', 'browser', 'import'],
    },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const output = await built.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: true,
    sourcemap: true,
    keepNames: true,
  });
  await built.close();
  return output;
}

/** The files that an isolate loads before its first request, and those that wait. */
export function splitByLoading({ output }: RolldownOutput): {
  readonly first: readonly string[];
  readonly later: readonly string[];
} {
  const chunks = new Map(
    output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
  );
  const first = new Set<string>();
  const load = (name: string): void => {
    const chunk = chunks.get(name);
    if (chunk === undefined || first.has(name)) return;
    first.add(name);
    chunk.imports.forEach(load);
  };
  load('worker.js');
  return { first: [...first], later: [...chunks.keys()].filter((name) => !first.has(name)) };
}

/** Bytes of files together as Cloudflare counts a script: each compressed by gzip. */
export const gzipBytes = (folder: string, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
