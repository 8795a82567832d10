// The frame for everybody: axe on its pages and dialogs in both languages and themes, and a phone
// of 360 px that a finger can use.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations } from './kit/axe.ts';
import type { Look } from './kit/browser.ts';
import { launchBrowser } from './kit/browser.ts';
import { type ConsoleHome, startDemoHome, startFreshHome } from './kit/console-home.ts';
import { openAt, overflowOf, settled, smallTargets } from './kit/pages.ts';
import { IS_WHOLE } from './kit/whole.ts';

let [browser, home, fresh]: [Browser, ConsoleHome, ConsoleHome] = [] as never;

beforeAll(async () => {
  [browser, home, fresh] = await Promise.all([launchBrowser(), startDemoHome(), startFreshHome()]);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([home?.server.stop(), fresh?.server.stop()]);
});

/** Pages of the frame: what is opened, and the keys that bring the dialog. */
const PAGES = [
  { name: 'sign-in', path: '/', isSignedIn: false },
  { name: 'the first visit', path: '/', isFresh: true },
  { name: 'home', path: '/' },
  { name: 'buckets', path: '/buckets' },
  { name: 'jobs', path: '/jobs' },
  { name: 'keys', path: '/keys' },
  { name: 'settings', path: '/settings' },
  { name: 'no page', path: '/none' },
  { name: 'the palette', path: '/jobs', press: 'Control+k' },
  { name: 'the list of keys', path: '/jobs', press: '?' },
  { name: 'calls of the API', path: '/jobs', press: '.' },
] as const;

const QUICK_PAGES = PAGES.filter(({ name }) => /^(?:sign-in|home|the palette)$/.test(name));

type PageOf = (typeof PAGES)[number];

async function open(page: PageOf, look: Look) {
  const isFresh = 'isFresh' in page;
  const isSignedIn = !('isSignedIn' in page);
  const opened = await openAt(browser, isFresh ? fresh : home, page.path, { ...look, isSignedIn });
  if ('press' in page) await show(opened.page, page.press);
  return opened;
}

async function show(page: Page, keys: string): Promise<void> {
  await page.keyboard.press(keys);
  await page.getByRole('dialog').waitFor();
  await settled(page);
}

/** English by day and Chinese by night see every text and every colour. */
const LOOKS: readonly Look[] = [
  { language: 'en', isDark: false },
  { language: 'zh', isDark: true },
  ...(IS_WHOLE
    ? ([
        { language: 'en', isDark: true },
        { language: 'zh', isDark: false },
      ] as const)
    : []),
];

const named = (look: Look) => `${look.language}, ${look.isDark ? 'dark' : 'light'}`;

it.each(LOOKS.map((look) => [named(look), look] as const))(
  '124: axe finds nothing on any page of the frame: %s',
  async (_, look) => {
    const found: string[] = [];
    for (const each of IS_WHOLE ? PAGES : QUICK_PAGES) {
      const { page, context } = await open(each, look);
      found.push(...(await axeViolations(page)).map((line) => `${each.name}: ${line}`));
      await context.close();
    }
    expect(found).toEqual([]);
  },
  90_000,
);

it('123: nothing is wider than a phone, and every target is as large as a finger', async () => {
  const found: string[] = [];
  for (const each of IS_WHOLE ? PAGES : QUICK_PAGES) {
    for (const language of IS_WHOLE ? (['en', 'zh'] as const) : (['en'] as const)) {
      const { page, context } = await open(each, {
        width: 360,
        height: 740,
        isTouch: true,
        language,
      });
      const overflow = await overflowOf(page);
      if (overflow > 0) found.push(`${each.name}: ${overflow} px too wide`);
      found.push(...(await smallTargets(page)).map((line) => `${each.name}: ${line}`));
      await context.close();
    }
  }
  expect(found).toEqual([]);
}, 90_000);

it('124: the skip link comes first, and leads past the side bar', async () => {
  const { page, context } = await openAt(browser, home, '/jobs');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.className')).toBe('skip');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  await context.close();
});

it('124: a dialog gives the focus back to what opened it', async () => {
  const { page, context } = await openAt(browser, home, '/jobs');
  const search = page.getByRole('button', { name: 'Search or jump to' });
  await search.focus();
  await page.keyboard.press('Enter');
  const focused = () => page.evaluate('document.activeElement.getAttribute("aria-expanded")');
  await expect.poll(focused).toBe('true');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('search-box');
  await context.close();
});
