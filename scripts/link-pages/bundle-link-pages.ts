// Bundles style, scripts and pictures of the link pages into the console's folder: one script a
// page, whole in itself, so that a page asks for two files and no more.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InlineConfig, Plugin } from 'vite';
import { buildForProduction } from '../console-bundle.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LINK_PAGES = join(ROOT, 'src', 'link-pages');
/** Below the console's folder; http/links/page/link-files.ts looks for them there. */
const FOLDER = 'links';

/** What is built each by itself: `style.css` has no script, each script has no style. */
const ENTRIES = ['style.css', 'share.ts', 'drop.ts'] as const;
/** What browsers and chat programs are sent as it stands. */
const PICTURES = ['mark.svg', 'preview.png'] as const;

/** Gives pictures that no source names a file with a digest in its name. */
const pictures: Plugin = {
  name: 'link-page-pictures',
  buildStart() {
    for (const name of PICTURES) {
      const source = readFileSync(join(LINK_PAGES, name));
      this.emitFile({ type: 'asset', name, source });
    }
  },
};

function configOf(folder: string, entry: string): InlineConfig {
  return {
    root: LINK_PAGES,
    base: '/-/link-files/',
    publicDir: false,
    configFile: false,
    logLevel: 'warn',
    plugins: entry === 'style.css' ? [pictures] : [],
    resolve: { alias: { 'quayside/client': join(ROOT, 'src', 'client', 'index.ts') } },
    build: {
      outDir: join(folder, FOLDER),
      emptyOutDir: false,
      minify: 'oxc',
      target: 'es2022',
      cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: join(LINK_PAGES, entry),
        output: {
          entryFileNames: '[name]-[hash].js',
          assetFileNames: '[name]-[hash][extname]',
          codeSplitting: false,
        },
      },
    },
  };
}

/** Bundles the link pages into `links` below a folder, which may have other things. */
export async function bundleLinkPages(folder: string): Promise<void> {
  for (const entry of ENTRIES) await buildForProduction(configOf(folder, entry));
}
