// Takes pictures of the console with demo data: `node scripts/console-pictures.ts FOLDER [WORD]`.
// Each page in three sizes, two themes and two languages; WORD takes only names that have it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../test/console/kit/browser.ts';
import {
  type ConsoleInstance,
  REGATTA,
  startDemoInstance,
  startFreshInstance,
} from '../test/console/kit/console-instance.ts';
import { DIALOGS } from '../test/console/kit/dialog-places.ts';
import { openAt, settled } from '../test/console/kit/pages.ts';
import { PAGES as PLACES, type Place } from '../test/console/kit/places.ts';
import { chinese, english } from '../test/console/kit/texts.ts';

type Shown = {
  readonly name: string;
  readonly path: string;
  readonly press?: string;
  readonly isSignedIn?: false;
  /** On a server that nobody has used yet. */
  readonly isFresh?: true;
  readonly open?: Place['open'];
};

const FOLDER = `/b/assets/${REGATTA}`;
const PAGES: readonly Shown[] = [
  { name: 'sign-in', path: '/', isSignedIn: false },
  { name: 'first-run', path: '/', isFresh: true },
  { name: 'home', path: '/' },
  { name: 'buckets', path: '/buckets' },
  { name: 'bucket', path: '/b/assets' },
  { name: 'browser', path: FOLDER },
  { name: 'gallery', path: `${FOLDER}?view=gallery` },
  { name: 'object', path: `${FOLDER}10-harbour-dawn.jpg` },
  { name: 'table', path: `${FOLDER}crew-list.csv` },
  { name: 'jobs', path: '/jobs' },
  { name: 'trash', path: '/trash' },
  { name: 'usage', path: '/usage' },
  { name: 'keys', path: '/keys' },
  { name: 'settings', path: '/settings' },
  { name: 'palette', path: FOLDER, press: 'Control+k' },
  { name: 'keys-help', path: FOLDER, press: '?' },
];
/** Pages and dialogs of links, as the tests open them. */
const LINKS: readonly Shown[] = [
  ...PLACES.filter(({ name }) => /\blinks?\b/.test(name)),
  ...Object.entries(DIALOGS).flatMap(([file, places]) => (file.startsWith('links/') ? places : [])),
].map(({ name, path, open }) => ({ name: name.replaceAll(' ', '-'), path, open }));
const SIZES = [
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 360, height: 740 },
];

const [folder, word = ''] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Name the folder: node scripts/console-pictures.ts FOLDER [WORD]\n');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const [browser, demo, fresh] = await Promise.all([
  launchBrowser(),
  startDemoInstance(),
  startFreshInstance(),
]);

async function take(shown: Shown, instance: ConsoleInstance): Promise<void> {
  const { name, path, press, isSignedIn = true } = shown;
  for (const size of SIZES) {
    for (const isDark of [false, true]) {
      for (const language of ['en', 'zh'] as const) {
        const file = `${name}-${size.width}-${isDark ? 'dark' : 'light'}-${language}.png`;
        if (!file.includes(word)) continue;
        const look = { ...size, isDark, language, isTouch: size.width < 720, isSignedIn };
        const { page, context, errors } = await openAt(browser, instance, path, look);
        if (press !== undefined) {
          await page.keyboard.press(press);
          await page.getByRole('dialog').waitFor();
        }
        await shown.open?.(page, language === 'en' ? english : chinese);
        await settled(page);
        await page.screenshot({ path: join(folder ?? '', file) });
        process.stdout.write(`${file}${errors.length > 0 ? `: ${errors.join('; ')}` : ''}\n`);
        await context.close();
      }
    }
  }
}

try {
  for (const shown of [...PAGES, ...LINKS]) await take(shown, shown.isFresh ? fresh : demo);
} finally {
  await browser.close();
  await Promise.all([demo.server.stop(), fresh.server.stop()]);
}
