// Every page and every dialog for everybody: axe in both languages and themes, and a phone of
// 360 px that a finger can use. A view or a dialog that is added and not visited fails here.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from './kit/browser.ts';
import {
  type ConsoleInstance,
  startDemoInstance,
  startFreshInstance,
} from './kit/console-instance.ts';
import { DIALOGS } from './kit/dialog-places.ts';
import { openAt } from './kit/pages.ts';
import { furnish, PAGES } from './kit/places.ts';
import { visitor } from './kit/visits.ts';

let [browser, instance, fresh]: [Browser, ConsoleInstance, ConsoleInstance] = [] as never;
let visit: ReturnType<typeof visitor>;

beforeAll(async () => {
  [browser, instance, fresh] = await Promise.all([
    launchBrowser(),
    startDemoInstance(),
    startFreshInstance(),
  ]);
  await furnish(instance.client);
  visit = visitor(browser, { demo: instance, fresh });
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([instance?.server.stop(), fresh?.server.stop()]);
});

const DIALOG_PLACES = Object.values(DIALOGS).flat();
const PLACES = [...PAGES, ...DIALOG_PLACES];

it.each(PLACES.map((place) => [place.name, place] as const))(
  '123, 124: axe finds nothing, and a finger misses nothing: %s',
  async (_, place) => {
    const problems: string[] = [];
    for (const language of ['en', 'zh'] as const) problems.push(...(await visit(place, language)));
    expect(problems).toEqual([]);
  },
  120_000,
);

describe('what is visited', () => {
  const VIEWS = fileURLToPath(new URL('../../src/console/views/', import.meta.url));
  const routes = readFileSync(`${VIEWS}../app/views.ts`, 'utf8');

  it('124: is every view of the router', () => {
    const patterns = [...routes.matchAll(/pattern: \/(.+)\/,/g)].map(([, source = '']) => source);
    expect(patterns.length).toBe([...routes.matchAll(/load: \(\) => (?:import|\{)/g)].length);
    const paths = PAGES.map(({ path }) => path.split(/[?#]/)[0] ?? '');
    const missed = patterns.filter(
      (source) => !paths.some((path) => new RegExp(source).test(path)),
    );
    expect(missed).toEqual([]);
  });

  it('124: is every section of the settings', () => {
    const settings = readFileSync(`${VIEWS}settings/settings.tsx`, 'utf8');
    const [, listed = ''] = /const SECTIONS = \[(.*?)\]/.exec(settings) ?? [];
    const sections = [...listed.matchAll(/'(\w+)'/g)].map(([, id = '']) => id);
    expect(sections.length).toBeGreaterThan(3);
    const paths = new Set(PAGES.map(({ path }) => path));
    const missed = sections.filter((id) => id !== 'you' && !paths.has(`/settings/${id}`));
    expect(missed).toEqual([]);
  });

  it('124: is every file with a dialog', () => {
    const files = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' });
    const withDialog = files.filter(
      (file) =>
        file.endsWith('.tsx') && /<(?:Act)?[Dd]ialog\b/.test(readFileSync(VIEWS + file, 'utf8')),
    );
    expect(Object.keys(DIALOGS).sort()).toEqual(withDialog.sort());
  });
});

it('124: the skip link comes first, and leads past the side bar', async () => {
  const { page, context } = await openAt(browser, instance, '/jobs');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.className')).toBe('skip');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  await context.close();
});

it('124: a dialog gives the focus back to what opened it', async () => {
  const { page, context } = await openAt(browser, instance, '/jobs');
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
