// Bundles the console, for the build and for the test of its budgets.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';
import { type ChunkOf, chunkOfModules, groupsOf } from './console/console-chunks.ts';
import { families } from './console/console-families.ts';
import { textKeys } from './console/text-keys.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CONSOLE = join(ROOT, 'src', 'console');

/**
 * Puts the chosen theme on the page before anything is painted: a module would come too late, and
 * the policy allows no script in the page itself.
 */
const themeScript: Plugin = {
  name: 'theme-script',
  buildStart() {
    if (this.environment.mode !== 'build') return;
    const source = readFileSync(join(ROOT, 'src', 'console', 'app', 'theme.js'), 'utf8');
    this.emitFile({ type: 'asset', name: 'theme.js', source });
  },
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const name = Object.keys(bundle).find((file) => /^assets\/theme-.*\.js$/.test(file));
      if (name === undefined) throw new Error('theme.js was not built');
      return [{ tag: 'script', attrs: { src: `/-/console/${name}` }, injectTo: 'head-prepend' }];
    },
  },
};

/** Lets a name of the SDK lead to its own module: loading the others does nothing. */
const sdkByName: Plugin = {
  name: 'sdk-by-name',
  transform: {
    filter: { id: /\/src\/client\/[^?]*$/ },
    handler: () => ({ moduleSideEffects: false }),
  },
};

/**
 * What is loaded beside a piece before it says so itself; the shell is there already. A view waits
 * for its texts, which takes as long as its imports: the first files name for it only a folder's,
 * which has them, and the keys of the texts themselves.
 */
function filesBeside(_piece: string, files: string[], { hostId }: { hostId: string }): string[] {
  const isFirst = /^assets\/(?:shell|browse|upload)-/.test(hostId);
  const meant = isFirst ? /^assets\/(?:browse|(?:object|account)-keys)-/ : /^assets\/(?!shell-)/;
  return files.filter((file) => meant.test(file));
}

/** Builds the same whoever asks: a test run has another NODE_ENV, which Vite would take over. */
export async function buildForProduction(config: InlineConfig): ReturnType<typeof build> {
  const { NODE_ENV: before } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    return await build({ ...config, mode: 'production' });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

/**
 * Names stand in many files and their digests do not compress: 42 bits of one tell versions of a
 * file apart. Fewer than seven characters the bundler does not take.
 */
const FILE_NAMES = {
  entryFileNames: 'assets/[name]-[hash:7].js',
  chunkFileNames: 'assets/[name]-[hash:7].js',
  assetFileNames: 'assets/[name]-[hash:7][extname]',
};

/** Bundles once; with `chunkOf` modules stand together in the chunks that it names. */
async function bundle(
  folder: string | null,
  chunkOf: ChunkOf | null,
): Promise<Rolldown.RolldownOutput> {
  const groups = chunkOf === null ? {} : { codeSplitting: { groups: groupsOf(chunkOf) } };
  const built = await buildForProduction({
    root: CONSOLE,
    base: '/-/console/',
    publicDir: false,
    configFile: false,
    logLevel: 'warn',
    plugins: [themeScript, sdkByName, textKeys(CONSOLE), families(CONSOLE)],
    resolve: { alias: { 'quayside/client': join(ROOT, 'src', 'client', 'index.ts') } },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      ...(folder === null ? {} : { outDir: folder, emptyOutDir: true }),
      write: folder !== null,
      minify: chunkOf === null ? false : 'oxc',
      target: 'es2022',
      cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
      assetsInlineLimit: 0,
      manifest: folder === null ? false : 'manifest.json',
      modulePreload: { polyfill: false, resolveDependencies: filesBeside },
      reportCompressedSize: false,
      rolldownOptions: {
        // Who starts a server on a slow machine is not told where its build spent the time.
        checks: { pluginTimings: false },
        output: { ...FILE_NAMES, ...groups },
      },
    },
  });
  const [output] = [built].flat();
  if (output === undefined || !('output' in output)) throw new Error('Nothing was bundled');
  return output;
}

/**
 * Bundles the console into a folder; null: into memory alone. The first time says what
 * each entry needs; the second puts that into few files.
 */
export async function bundleConsole(folder: string | null): Promise<Rolldown.RolldownOutput> {
  const { output } = await bundle(null, null);
  return bundle(folder, chunkOfModules(output, CONSOLE));
}
