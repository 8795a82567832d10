// The focus of a keyboard: it goes from view to view, into dialogs, and to the next row.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser, newContext, signIn, watchErrors } from './kit/browser.ts';
import { type ConsoleInstance, startDemoInstance } from './kit/console-instance.ts';
import { openAt, settled } from './kit/pages.ts';

let [browser, instance]: [Browser, ConsoleInstance] = [] as never;

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startDemoInstance()]);
});

afterAll(async () => {
  await browser?.close();
  await instance?.server.stop();
});

const focusOf = (page: Page) =>
  page.evaluate<string>('document.activeElement.id || document.activeElement.tagName');

it('36: the view that a key opens gets the focus', async () => {
  const { page, context } = await openAt(browser, instance, '/');
  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  await expect.poll(() => focusOf(page)).toBe('main');
  await context.close();
});

it('36: all rows of a folder are renamed from the first field of the dialog', async () => {
  const path = '/b/assets/photos/2026-regatta/contact-sheets/';
  const { page, context } = await openAt(browser, instance, path);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('F2');
  const dialog = page.getByRole('dialog', { name: /^Rename everything in assets/ });
  await dialog.waitFor();
  await page.keyboard.type('frame-*.txt');
  await page.keyboard.press('Tab');
  await page.keyboard.type('sheet-$1.txt');
  await dialog.getByRole('button', { name: 'Rename 4 objects' }).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('sheet-00001.txt').first().waitFor();
  // What has another name now is selected no more.
  await page.getByText('selected').first().waitFor({ state: 'hidden' });
  expect(await page.title()).toBe('contact-sheets · assets · Quayside');
  await settled(page);
  await context.close();
});

it('36: the rows have the focus again before the next key, whatever was open', async () => {
  const path = '/b/assets/photos/2026-regatta/contact-sheets/';
  const { page, context } = await openAt(browser, instance, path);
  await page.keyboard.press('ArrowDown');
  const place = () =>
    page.evaluate<string>('document.activeElement.closest("[role=row], .path")?.className ?? ""');
  await expect.poll(place).toMatch(/^row/);
  // A busy machine draws late: what waits for the next frame comes after 3 s.
  await page.evaluate('{ requestAnimationFrame = (run) => setTimeout(run, 3000); }');
  for (const [key, shown, then] of [
    ['/', 'searchbox', /^row/],
    ["'", 'textbox', /^row/],
    ['Space', 'dialog', /^row/],
    ['p', 'combobox', /^path/],
  ] as const) {
    await page.keyboard.press(key);
    await page.getByRole(shown).first().waitFor();
    await page.keyboard.press('Escape');
    expect([key, await place()]).toEqual([key, expect.stringMatching(then)]);
  }
  await context.close();
});

/** Opens a folder up to its first row, whose parts come when the returned function is called. */
async function openWithout(parts: RegExp) {
  const context = await newContext(browser);
  await signIn(context, instance.url, instance.keys);
  const page = await context.newPage();
  const errors = watchErrors(page);
  const { promise: isDue, resolve: send } = Promise.withResolvers<void>();
  const late: string[] = [];
  await page.route(parts, async (route) => {
    late.push(route.request().url());
    await isDue;
    await route.continue();
  });
  await page.goto(`${instance.url}/-/console/b/assets/photos/2026-regatta/contact-sheets/`);
  await page.locator('[role=row][data-index="0"] a').first().waitFor();
  return { page, context, errors, send, late };
}

it('36: an early key opens the palette, with what is typed then', async () => {
  const parts = /\/assets\/(?:frame|folder|palette)-[^/]+\.js$/;
  const { page, context, errors, send, late } = await openWithout(parts);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('press-k');
  const field = page.getByRole('combobox', { name: 'Search or jump to' });
  expect([late.length > 0, await field.count()]).toEqual([true, 0]);
  send();
  await field.waitFor();
  await expect.poll(() => field.inputValue()).toBe('press-k');
  await page.getByRole('option', { name: 'press-kit' }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('36: early keys of rows, of a menu and of a folder are taken in their order', async () => {
  const parts = /\/assets\/(?:frame|folder)-[^/]+\.js$/;
  const { page, context, errors, send, late } = await openWithout(parts);
  for (const key of ['ArrowDown', 'ArrowDown', 'Shift+F10', 'ArrowDown', 'Escape', 'x', 'u']) {
    await page.keyboard.press(key);
  }
  const dialog = page.getByRole('dialog', { name: /^Upload/ });
  expect([late.length > 0, await dialog.count()]).toEqual([true, 0]);
  send();
  await dialog.waitFor();
  const selected = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.row[aria-selected=true]')].map((row) => row.dataset.index)",
  );
  expect(selected).toEqual(['1']);
  expect(await page.getByRole('menu').count()).toBe(0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await context.close();
});

it('36: an early Enter presses the button of a dialog', async () => {
  const parts = /\/assets\/(?:frame|folder)-[^/]+\.js$/;
  const { page, context, errors, send } = await openWithout(parts);
  // No test can answer the window of the File System Access API; that of a file field it can.
  await page.evaluate('delete globalThis.showOpenFilePicker');
  page.on('filechooser', () => undefined);
  const choosing = page.waitForEvent('filechooser');
  for (const key of ['u', 'Enter']) await page.keyboard.press(key);
  send();
  expect((await choosing).isMultiple()).toBe(true);
  expect(errors).toEqual([]);
  await context.close();
});

it('36: a folder is filtered by what is typed before its field is there', async () => {
  const { page, context, errors, send, late } = await openWithout(/\/assets\/folder-[^/]+\.js$/);
  await page.keyboard.type('/0002');
  const field = page.locator('.filter-bar input');
  expect([late.length > 0, await field.count()]).toEqual([true, 0]);
  send();
  await expect.poll(() => field.inputValue()).toBe('0002');
  expect(errors).toEqual([]);
  await context.close();
});
