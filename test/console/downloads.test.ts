// Downloads in a real browser against a server on Node: a folder as a ZIP, and its tree into a
// folder of the computer (here the browser's private file system); a text written in place.
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { readZip } from '../wire/kit/read-zip.ts';
import { launchBrowser, newContext, signIn } from './kit/browser.ts';
import { startServer, type WireServer } from './kit/server.ts';

let [browser, server, client]: [Browser, WireServer, Client] = [] as never;
let bucketNumber = 0;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startServer()]);
  const { url, accessKey: id, secretKey: secret } = server.target;
  client = createClient({ endpoint: url, accessKey: { id, secret } });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const TREE = { 'trip/a.txt': 'one', 'trip/day/b.txt': 'two', 'trip/day/港口.txt': 'three' };

/** A page that shows the folder `trip/` of a new bucket. */
async function openTrip(): Promise<{ page: Page; bucket: string }> {
  const bucket = `console-download-${++bucketNumber}`;
  await client.buckets.create({ body: { name: bucket } });
  for (const [key, body] of Object.entries(TREE)) await client.upload(bucket, key, body);
  await client.upload(bucket, 'other.txt', 'not this one');
  const context = await newContext(browser);
  const { url } = server.target;
  await signIn(context, url, server.target);
  const page = await context.newPage();
  // The picker would wait for a person; the handle that it gives is a real one.
  await page.addInitScript(`window.showDirectoryPicker = async () =>
    (await navigator.storage.getDirectory()).getDirectoryHandle('out', { create: true });`);
  await page.goto(`${url}/-/console/b/${bucket}/trip/`, { waitUntil: 'networkidle' });
  return { page, bucket };
}

/** Runs a command by the palette. */
async function run(page: Page, command: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('dialog').getByRole('combobox');
  await field.fill(`>${command}`);
  await page.getByRole('option', { name: command }).first().waitFor();
  await field.press('Enter');
}

it('54: a folder is downloaded as one ZIP, named after it', async () => {
  const { page } = await openTrip();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    run(page, 'Download this folder as a ZIP'),
  ]);
  expect(saved.suggestedFilename()).toBe('trip.zip');
  const zip = await readFile(await saved.path());
  expect(zip.subarray(0, 2).toString()).toBe('PK');
  for (const name of ['a.txt', 'day/b.txt', 'day/港口.txt']) {
    expect(zip.includes(name)).toBe(true);
  }
  expect(zip.includes('other.txt')).toBe(false);
  await page.context().close();
});

/** What the browser saves after the key D: its name, and its bytes. */
async function save(page: Page): Promise<{ name: string; bytes: Buffer; url: string }> {
  const [saved] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('d')]);
  const bytes = await readFile(await saved.path());
  return { name: saved.suggestedFilename(), bytes, url: saved.url() };
}

const boxOf = (page: Page, name: string | RegExp) => {
  const link = page.getByRole('link', { name, exact: true });
  return page.locator('.spacer .row').filter({ has: link }).locator('.pick');
};

it('53: an object goes to the browser under its name, so that it can be resumed', async () => {
  const { page, bucket } = await openTrip();
  const body = Buffer.from('0123456789'.repeat(1000));
  await client.upload(bucket, 'trip/100 % 港口 "é".txt', new Blob([body]));
  await page.reload({ waitUntil: 'networkidle' });
  await boxOf(page, /港口/).click();
  const { name, bytes, url } = await save(page);
  // Chromium puts _ in place of what file systems refuse.
  expect(name).toBe('100 % 港口 _é_.txt');
  expect(bytes.equals(body)).toBe(true);

  // What a browser needs to show progress, and to go on after a break.
  const whole = await page.context().request.get(url);
  const headers = whole.headers();
  expect(headers).toMatchObject({ 'accept-ranges': 'bytes', 'content-length': '10000' });
  const rest = await page.context().request.get(url, {
    headers: { range: 'bytes=9995-', 'if-range': headers.etag ?? '' },
  });
  expect([rest.status(), await rest.text()]).toEqual([206, '56789']);
  await page.context().close();
});

it('55: a selection is downloaded as one ZIP, in a folder and out of a search', async () => {
  const { page, bucket } = await openTrip();
  for (const key of ['trip/not.txt', 'else/day plan.txt', 'trip/day/deep/c.txt']) {
    await client.upload(bucket, key, key);
  }
  await page.reload({ waitUntil: 'networkidle' });
  const namesIn = (bytes: Buffer) =>
    readZip(bytes)
      .map(({ name }) => name)
      .sort();
  await boxOf(page, 'a.txt').click();
  await boxOf(page, 'day').click();
  const chosen = await save(page);
  expect(chosen.name).toBe('trip.zip');
  expect(namesIn(chosen.bytes)).toEqual(['a.txt', 'day/b.txt', 'day/deep/c.txt', 'day/港口.txt']);

  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type('day');
  await page.getByRole('button', { name: 'Whole bucket' }).click();
  await page.locator('.spacer .row', { hasText: 'day plan.txt' }).waitFor();
  await page.getByRole('searchbox').press('Enter');
  await page.keyboard.press('Control+a');
  await page.getByText('selected').first().waitFor();
  const found = await save(page);
  expect(namesIn(found.bytes)).toEqual([
    'else/day plan.txt',
    'trip/day/b.txt',
    'trip/day/deep/c.txt',
    'trip/day/港口.txt',
  ]);
  await page.context().close();
});

const READ_OUT = `(async () => {
  const found = {};
  const walk = async (folder, path) => {
    for await (const [name, handle] of folder.entries()) {
      if (handle.kind === 'directory') await walk(handle, path + name + '/');
      else found[path + name] = await (await handle.getFile()).text();
    }
  };
  await walk(await (await navigator.storage.getDirectory()).getDirectoryHandle('out'), '');
  return found;
})()`;

it('56: a folder is written with its tree to the computer, then what is missing', async () => {
  const { page, bucket } = await openTrip();
  await run(page, 'Save this folder to this computer');
  const dock = page.locator('.dock');
  await dock.getByText('3 of 3').waitFor();
  await dock.getByText('Saved to').waitFor();
  const expected = { 'a.txt': 'one', 'day/b.txt': 'two', 'day/港口.txt': 'three' };
  expect(await page.evaluate(READ_OUT)).toEqual(expected);
  await client.upload(bucket, 'trip/new.txt', 'four');
  await run(page, 'Save this folder to this computer');
  await dock.getByText('4 of 4').waitFor();
  await dock.getByText('3 were there').waitFor();
  expect(await page.evaluate(READ_OUT)).toEqual({ ...expected, 'new.txt': 'four' });
  await page.context().close();
});

it('56: the console says that the folder may not be written any more, and what to do', async () => {
  const { page } = await openTrip();
  await page.route(/b\.txt/, (route) => route.fulfill({ status: 403 }));
  await run(page, 'Save this folder to this computer');
  const again = page.getByRole('button', { name: 'Retry these' });
  await again.waitFor();
  await page.evaluate("FileSystemHandle.prototype.requestPermission = async () => 'denied'");
  await again.click();
  await page.getByText('The browser was not allowed to.').waitFor();
  await page.unroute(/b\.txt/);
  await page.evaluate("FileSystemHandle.prototype.requestPermission = async () => 'granted'");
  await again.click();
  await page.locator('.dock').getByText('3 of 3').waitFor();
  await again.waitFor({ state: 'detached' });
  expect(await page.evaluate(READ_OUT)).toMatchObject({ 'day/b.txt': 'two' });
  await page.context().close();
});

it('52: a text is written in place, checked against rules, and replaces no other', async () => {
  const { page, bucket } = await openTrip();
  await run(page, 'New text file');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('_redirects');
  await dialog.getByLabel('Content').fill('/old /new 301\n/lonely\n/a /b 999');
  await dialog.getByText('Line 2: a rule has a path and where it goes.').waitFor();
  await dialog.getByText('Line 3: “999” is no status of a rule').waitFor();
  await dialog.getByLabel('Name').fill('a.txt');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('There is one with this name.').waitFor();
  await dialog.getByLabel('Name').fill('README.md');
  await dialog.getByLabel('Content').fill('# 港口');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const readme = await client.download(bucket, 'trip/README.md');
  expect([await readme.text(), readme.contentType]).toEqual([
    '# 港口',
    'text/markdown; charset=utf-8',
  ]);
  expect(await (await client.download(bucket, 'trip/a.txt')).text()).toBe('one');
  await page.context().close();
});
