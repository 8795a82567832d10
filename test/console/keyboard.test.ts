// A day's work without a mouse: signing in, a bucket and its settings, an upload, a rename, a link,
// a deletion that is taken back, and signing out.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { launchBrowser, newContext, watchErrors } from './kit/browser.ts';
import { startServer, type WireServer } from './kit/server.ts';

let [browser, server]: [Browser, WireServer] = [] as never;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startServer()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** More steps than any page has from its beginning to its end. */
const STEPS_MAX = 80;

/** What a screen reader would call the focused element, about. */
const focusedName = (page: Page): Promise<string> =>
  page.evaluate<string>(`{
    const focused = document.activeElement;
    const label = focused.labels?.[0]?.innerText ?? focused.textContent;
    (focused.getAttribute('aria-label') ?? label).trim();
  }`);

/** Presses a key until the focus is on what has the name. */
async function stepTo(page: Page, key: string, name: RegExp): Promise<void> {
  const passed = [await focusedName(page)];
  if (name.test(passed[0] ?? '')) return;
  for (let step = 0; step < STEPS_MAX; step++) {
    await page.keyboard.press(key);
    passed.push(await focusedName(page));
    if (name.test(passed.at(-1) ?? '')) return;
  }
  throw new Error(`${key} never leads to ${name}: ${passed.join(' | ')}`);
}

async function press(page: Page, keys: string): Promise<void> {
  for (const key of keys.split(' ')) await page.keyboard.press(key);
}

it('36: a day of work is done by the keyboard alone', async () => {
  const { url, accessKey: id, secretKey: secret } = server.target;
  const client = createClient({ endpoint: url, accessKey: { id, secret } });
  const context = await newContext(browser);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await context.addInitScript(
    "addEventListener('pointerdown', () => { globalThis.hadPointer = true; }, true)",
  );
  // No test can answer the window of the File System Access API; that of a file field it can.
  await context.addInitScript('delete globalThis.showOpenFilePicker');
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  // A listener from the start: the browser hands its windows for files over only some time after.
  page.on('filechooser', () => undefined);
  const errors = watchErrors(page);

  await page.goto(`${url}/-/console/`);
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('username');
  await page.keyboard.type(id);
  await press(page, 'Tab');
  await page.keyboard.type(secret);
  await press(page, 'Enter');
  await page.getByText('Put the first file online').waitFor();

  // The first page has its focus in a field, where letters are no commands.
  await stepTo(page, 'Shift+Tab', /^Buckets$/);
  await press(page, 'Enter');
  await page.getByRole('button', { name: 'New bucket' }).first().waitFor();
  await press(page, 'n');
  await page.getByRole('dialog', { name: 'New bucket' }).waitFor();
  await page.keyboard.type('diary');
  await press(page, 'Enter');
  await page.waitForURL('**/b/diary/');

  await press(page, 'g b');
  await page.getByText('diary').first().waitFor();
  await stepTo(page, 'Tab', /^More: diary$/);
  await press(page, 'Enter');
  await stepTo(page, 'ArrowDown', /^Settings/);
  await press(page, 'Enter');
  await page.getByRole('radio', { name: /^Off/ }).first().waitFor();
  await stepTo(page, 'Tab', /^Off/);
  await press(page, 'ArrowUp');
  await stepTo(page, 'Tab', /^Save$/);
  await press(page, 'Enter');
  await page.getByText('Saved.').waitFor();
  expect((await client.buckets.get('diary')).versioning).toBe('enabled');

  await press(page, 'Control+k');
  await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor();
  await page.keyboard.type('diary');
  await page.getByRole('option', { name: 'diary' }).first().waitFor();
  await press(page, 'Enter');
  await page.waitForURL('**/b/diary/');

  await press(page, 'u');
  await page.getByRole('dialog').waitFor();
  await stepTo(page, 'Tab', /^Choose files/);
  const choosing = page.waitForEvent('filechooser');
  await press(page, 'Enter');
  const file = { name: 'draft.txt', mimeType: 'text/plain', buffer: Buffer.from('a day') };
  await (await choosing).setFiles([file]);
  await page.getByRole('button', { name: 'Upload 1 file' }).waitFor();
  await press(page, 'Control+Enter');
  const row = (name: string) => page.locator('.spacer .row', { hasText: name });
  await row('draft.txt').waitFor();

  await press(page, 'ArrowDown F2');
  await page.getByRole('dialog').getByRole('textbox').waitFor();
  await page.keyboard.type('morning');
  await press(page, 'Enter');
  await row('morning.txt').waitFor();
  expect(await (await client.download('diary', 'morning.txt')).text()).toBe('a day');

  await press(page, 'ArrowDown c');
  await expect
    .poll(() => page.evaluate('navigator.clipboard.readText()'))
    .toContain('/diary/morning.txt');

  await press(page, 'Delete');
  await row('morning.txt').waitFor({ state: 'detached' });
  await press(page, 'Control+z');
  await row('morning.txt').waitFor();

  await press(page, 'ArrowDown Enter');
  await page.waitForURL('**/b/diary/morning.txt');
  await page.getByText('a day').waitFor();
  await press(page, 'Escape');
  // Back in the folder, the object that one came from is selected.
  await page.waitForURL(/\/b\/diary\/\?sel=morning\.txt$/);

  await press(page, 'Control+k');
  await page.keyboard.type('>Sign out');
  await press(page, 'Enter');
  await page.getByLabel('Secret access key').waitFor();
  expect(await page.evaluate('globalThis.hadPointer')).toBeUndefined();
  expect(errors).toEqual([]);
  await context.close();
}, 120_000);
