// Takes pictures of the link pages in every state, for people to look at: each size, light and
// dark, in both languages. `node scripts/link-pages/link-page-pictures.ts FOLDER [WORD]`; with a
// word only pictures whose name has it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser, newContext, watchErrors } from '../../test/console/kit/browser.ts';
import { startSampleServer } from '../../test/console/links/kit/sample-server.ts';
import { SHARE_SAMPLES } from '../../test/console/links/kit/share-samples.ts';

const SIZES = [
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 360, height: 740 },
];

const [folder, word = ''] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Name the folder: node scripts/link-pages/link-page-pictures.ts FOLDER\n');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const [browser, server] = await Promise.all([launchBrowser(), startSampleServer()]);

async function take(name: string, path: string): Promise<void> {
  for (const size of SIZES) {
    for (const isDark of [false, true]) {
      for (const language of ['en', 'zh'] as const) {
        const file = `${name}-${size.width}-${isDark ? 'dark' : 'light'}-${language}.png`;
        if (!file.includes(word)) continue;
        const look = { ...size, isDark, language, isTouch: size.width < 720 };
        const context = await newContext(browser, look);
        const page = await context.newPage();
        const errors = watchErrors(page);
        await page.goto(server.url + path, { waitUntil: 'networkidle' });
        await page.screenshot({ path: join(folder ?? '', file) });
        process.stdout.write(`${file}${errors.length > 0 ? `: ${errors.join('; ')}` : ''}\n`);
        await context.close();
      }
    }
  }
}

try {
  for (const name of Object.keys(SHARE_SAMPLES)) await take(name, `/${name}`);
} finally {
  await browser.close();
  await server.stop();
}
