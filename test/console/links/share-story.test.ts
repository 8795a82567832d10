// A share link from its first day to its last, as one run: an owner shares a folder of photos by
// the dialog, a visitor takes from it what it allows, and the owner counts and ends it.
import { readFile } from 'node:fs/promises';
import type { Browser, Download, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readZip } from '../../wire/kit/read-zip.ts';
import { launchBrowser, newContext, signInByForm, watchErrors } from '../kit/browser.ts';
import { type ConsoleInstance, startFreshInstance } from '../kit/console-instance.ts';
import { dialog } from '../kit/people-kit.ts';
import { IS_WORKERS } from '../kit/server.ts';

let [browser, instance]: [Browser, ConsoleInstance] = [] as never;
const BUCKET = 'wedding';
const FOLDER = 'photos of Ada & Björn/';
const PASSWORD = 'sésame & co';
const PHOTOS = 200;
/** How long the Worker may still serve a link that was revoked; Node stops at once. */
const REVOKED_WITHIN_MS = 5000;

const photos = new Map<string, Buffer>();

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startFreshInstance()]);
  await instance.client.buckets.create({ body: { name: BUCKET } });
  for (let number = 1; number <= PHOTOS; number++) {
    const name = `photo ${`${number}`.padStart(3, '0')}.png`;
    photos.set(name, await photo(number));
  }
  const waiting = [...photos];
  const send = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, bytes] = next;
      await instance.client.upload(BUCKET, FOLDER + name, bytes, { contentType: 'image/png' });
    }
  };
  await Promise.all([send(), send(), send(), send()]);
});

afterAll(async () => {
  await browser?.close();
  await instance?.server.stop();
});

/** A small picture, each of another colour. */
const photo = (number: number): Promise<Buffer> =>
  sharp({
    create: { width: 8, height: 6, channels: 3, background: { r: number, g: 90, b: 255 - number } },
  })
    .png()
    .toBuffer();

/** The owner in the console, signed in by its form. */
async function openConsole(): Promise<{ page: Page; errors: string[] }> {
  const context = await newContext(browser);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const errors = watchErrors(page);
  await page.goto(`${instance.url}/-/console`);
  await signInByForm(page, instance.keys);
  return { page, errors };
}

async function download(page: Page, what: Locator): Promise<{ item: Download; bytes: Buffer }> {
  const [item] = await Promise.all([page.waitForEvent('download'), what.click()]);
  return { item, bytes: await readFile(await item.path()) };
}

/** What a program gets that knows the password. */
async function fetchLink(url: string): Promise<readonly [number, string]> {
  const authorization = `Basic ${Buffer.from(`:${PASSWORD}`).toString('base64')}`;
  const response = await fetch(url, { headers: { authorization } });
  return [response.status, await response.text()];
}

/** The owner shares the folder; gives the link. */
async function shareFolder(owner: Page): Promise<string> {
  await owner.getByRole('link', { name: 'Buckets' }).first().click();
  await owner.getByRole('link', { name: BUCKET }).click();
  const row = owner.locator('.spacer .row').filter({ hasText: 'Ada & Björn' });
  await row.getByRole('link').click();
  await owner.getByText('photo 001.png').waitFor();
  await owner.goBack();
  await row.click({ button: 'right' });
  await owner.getByRole('menuitem', { name: 'Share by link' }).click();
  const share = dialog(owner, /^Share /);
  await share.getByLabel('Password').fill(PASSWORD);
  await share.getByLabel('Downloads at most').fill('10');
  await share.getByRole('button', { name: 'Make the link' }).click();
  const made = dialog(owner, 'The link is ready');
  const url = await made.getByLabel('Link', { exact: true }).inputValue();
  expect(await owner.evaluate('navigator.clipboard.readText()')).toBe(url);
  await made.getByRole('button', { name: 'Close' }).last().click();
  return url;
}

/** A visitor gives the password, and sees the whole folder. */
async function enter(page: Page, url: string): Promise<void> {
  await page.goto(url);
  expect(await page.getByText('photo 001.png').count()).toBe(0);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText('10 downloads left').waitFor();
  expect(await page.locator('.files > li').count()).toBe(PHOTOS);
}

async function takePhoto(page: Page, name: string): Promise<void> {
  const link = page.getByRole('link', { name: `Download ${name}` });
  const { item, bytes } = await download(page, link);
  expect(item.suggestedFilename()).toBe(name);
  expect(bytes.equals(photos.get(name) ?? Buffer.alloc(0)), name).toBe(true);
}

/** Takes one that was searched for, all as a ZIP, and eight more: ten downloads. */
async function takeTen(page: Page): Promise<void> {
  await page.getByRole('searchbox').fill('photo 117');
  await page.getByRole('searchbox').press('Enter');
  await page.getByRole('heading', { name: 'Found for “photo 117”' }).waitFor();
  expect(await page.locator('.files > li').count()).toBe(1);
  await takePhoto(page, 'photo 117.png');

  await page.getByRole('link', { name: 'Show all' }).click();
  const answering = page.waitForResponse((response) => response.url().includes('zip='));
  const zip = await download(page, page.getByRole('link', { name: /^Download all as ZIP/ }));
  const length = await (await answering).headerValue('content-length');
  expect(zip.item.suggestedFilename()).toBe('photos of Ada & Björn.zip');
  expect(zip.bytes.length).toBe(Number(length));
  const inside = readZip(zip.bytes).map(({ name, bytes }) => [name, bytes.toString('base64')]);
  expect(inside).toEqual([...photos].map(([name, bytes]) => [name, bytes.toString('base64')]));

  for (let number = 1; number <= 8; number++) await takePhoto(page, `photo 00${number}.png`);
}

/** The owner looks among the links until what visitors did is counted. */
async function seeCounts(owner: Page): Promise<void> {
  await owner.getByRole('link', { name: 'Links' }).first().click();
  const link = owner.getByRole('row').filter({ hasText: 'Ada & Björn' });
  await link.getByText('Used up').waitFor();
  await link.getByText('10 of 10').waitFor();
  await owner.getByText('1 link', { exact: true }).waitFor();
  await link.getByRole('link').click();
  const counts = owner.getByRole('table').getByRole('row').filter({ hasText: 'Without a name' });
  const read = async () => {
    await owner.reload({ waitUntil: 'networkidle' });
    const [opened, completed, aborted] = await counts.getByRole('cell').allTextContents();
    return { isOpened: Number(opened) > 0, completed, aborted };
  };
  await expect
    .poll(read, { timeout: 20_000, interval: 1000 })
    .toEqual({ isOpened: true, completed: '10', aborted: '0' });
  await owner.goBack();
}

it('a folder of 200 photos is shared, downloaded ten times, counted, and ended', async () => {
  const { page: owner, errors } = await openConsole();
  const url = await shareFolder(owner);

  // The visitor, in a browser that knows nothing.
  const context = await newContext(browser);
  const page = await context.newPage();
  await enter(page, url);
  const listUrl = page.url();
  await takeTen(page);
  // The page was opened before, so its buttons are still there: the eleventh gets a page.
  await page.getByRole('link', { name: 'Download photo 009.png' }).click();
  await page.getByRole('heading', { name: 'This link is used up' }).waitFor();
  await page.getByText('Its owner set how much may be downloaded').waitFor();
  await page.goto(listUrl);
  await page.getByRole('heading', { name: 'This link is used up' }).waitFor();
  expect(await fetchLink(url)).toEqual([410, 'This link is used up.\n']);
  expect(await context.cookies()).toEqual([]);

  await seeCounts(owner);
  const link = owner.getByRole('row').filter({ hasText: 'Ada & Björn' });
  await link.getByRole('button').click();
  await owner.getByRole('menuitem', { name: 'Revoke' }).click();
  await link.getByText('Revoked').waitFor();

  const revoked = [410, 'This link was revoked.\n'];
  if (IS_WORKERS)
    await expect.poll(() => fetchLink(url), { timeout: REVOKED_WITHIN_MS }).toEqual(revoked);
  expect(await fetchLink(url)).toEqual(revoked);
  await page.reload();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await context.close();
  expect(errors).toEqual([]);
}, 180_000);
