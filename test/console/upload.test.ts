// Uploads in a real browser against a server on Node: ways in, the dock, clashes, breaks.
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { temporaryFolder } from '../node/kit/temporary-folder.ts';
import { startNode, type WireServer } from '../wire/kit/server.ts';
import {
  isConsoleServed,
  launchBrowser,
  newContext,
  serveBuild,
  signIn,
  watchErrors,
} from './kit/browser.ts';
import { dropFiles } from './kit/drop-files.ts';

let [browser, server, client]: [Browser, WireServer, Client] = [] as never;
let bucketNumber = 0;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startNode()]);
  const { url, accessKey: id, secretKey: secret } = server.target;
  client = createClient({ endpoint: url, accessKey: { id, secret } });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

type Opened = {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly bucket: string;
  readonly errors: string[];
};

/** A page that shows an empty folder of a new bucket. */
async function openFolder(prefix = 'in/'): Promise<Opened> {
  const bucket = `console-upload-${++bucketNumber}`;
  await client.buckets.create({ body: { name: bucket } });
  const context = await newContext(browser);
  if (!(await isConsoleServed(server.target.url))) await serveBuild(context, server.target.url);
  await signIn(context, server.target.url, server.target);
  const page = await context.newPage();
  page.setDefaultTimeout(8000);
  const errors = watchErrors(page);
  page.on('dialog', (dialog) => void dialog.accept());
  await goTo(page, bucket, prefix);
  return { page, context, bucket, errors };
}

const goTo = (page: Page, bucket: string, prefix: string) =>
  page.goto(`${server.target.url}/-/console/b/${bucket}/${prefix}`, { waitUntil: 'networkidle' });

async function bodiesOf(bucket: string): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {};
  for await (const entry of client.objects.list(bucket, { query: { delimiter: '' } })) {
    if (entry.kind !== 'object') continue;
    bodies[entry.key] = await (await client.download(bucket, entry.key)).text();
  }
  return bodies;
}

const dockSays = (page: Page, text: string | RegExp) =>
  page.locator('.dock').getByText(text).first().waitFor();

it('37: takes files by the dialog of the key U and by a drop, and says so in one line', async () => {
  const { page, context, bucket, errors } = await openFolder();
  await page.keyboard.press('u');
  const dialog = page.getByRole('dialog', { name: 'Upload to in' });
  await dialog.waitFor();
  const input = dialog.locator('input[type=file]').first();
  await input.setInputFiles([
    { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('one') },
    { name: '港口 é.txt', mimeType: 'text/plain', buffer: Buffer.from('two') },
  ]);
  await dialog.getByText('2 files, 6 B, to').waitFor();
  await page.getByRole('button', { name: 'Upload 2 files' }).click();
  await dockSays(page, '2 of 2');
  expect(await page.locator('.dock-list').count()).toBe(0);
  await dropFiles(page, [{ name: 'b.txt', body: 'three' }]);
  await dockSays(page, '3 of 3');
  expect(await bodiesOf(bucket)).toEqual({
    'in/a.txt': 'one',
    'in/b.txt': 'three',
    'in/港口 é.txt': 'two',
  });
  await page.getByRole('button', { name: 'Show the files' }).click();
  expect(await page.locator('.dock-list [role=listitem]').count()).toBe(3);
  expect(errors).toEqual([]);
  await context.close();
});

it('44: asks before a byte flows what becomes of names that are taken', async () => {
  const { page, context, bucket, errors } = await openFolder();
  for (const key of ['in/a.txt', 'in/b.txt', 'in/c.txt', 'in/d.tar.gz']) {
    await client.upload(bucket, key, 'old');
  }
  const files = ['a.txt', 'b.txt', 'c.txt', 'd.tar.gz', 'e.txt'];
  await dropFiles(
    page,
    files.map((name) => ({ name, body: 'brand new' })),
  );
  const dialog = page.getByRole('dialog');
  await dialog.getByText('4 names are taken').waitFor();
  // Nothing is replaced unless somebody says so.
  expect(await dialog.getByRole('button', { name: 'Upload 1 file' }).count()).toBe(1);
  expect(Object.keys(await bodiesOf(bucket))).toHaveLength(4);
  await dialog.getByRole('radio', { name: 'Only newer' }).check();
  expect(await dialog.getByText('Replaces the 0 that are older.').count()).toBe(1);
  await dialog.getByRole('radio', { name: /^Replace/ }).check();
  await dialog.getByLabel('What becomes of b.txt').selectOption('skip');
  await dialog.getByLabel('What becomes of d.tar.gz').selectOption('both');
  // Somebody writes while the dialog stands open: the condition saves that.
  await client.upload(bucket, 'in/c.txt', 'meanwhile');
  await dialog.getByRole('button', { name: 'Upload 4 files' }).click();
  await dockSays(page, '1 failed');
  await page.getByRole('button', { name: 'Show the files' }).click();
  await dockSays(page, 'Somebody else put a file there meanwhile');
  expect(await bodiesOf(bucket)).toEqual({
    'in/a.txt': 'brand new',
    'in/b.txt': 'old',
    'in/c.txt': 'meanwhile',
    'in/d.tar (2).gz': 'brand new',
    'in/d.tar.gz': 'old',
    'in/e.txt': 'brand new',
  });
  await page.getByRole('button', { name: 'Replace it' }).click();
  await dockSays(page, '4 of 4');
  expect((await bodiesOf(bucket))['in/c.txt']).toBe('brand new');
  expect(errors).toEqual([]);
  await context.close();
});

it('50: says what it costs, and refuses before byte one what a quota or cap would not take', async () => {
  const { page, context, bucket } = await openFolder();
  await client.buckets.update(bucket, { body: { quota: { bytes: '100' } }, ifMatch: '*' });
  await dropFiles(page, [{ name: 'big.txt', body: 'x'.repeat(101) }]);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The bucket may hold 100 B.').waitFor();
  const send = dialog.getByRole('button', { name: 'Upload 1 file' });
  expect(await send.getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Escape');

  await client.request('PUT /caps/{capId}', {
    path: { capId: 'tiny' },
    body: { unit: 'money', limit: '1', period: 'month', bucket, rateCardId: 'aws-s3-us-east-1' },
  });
  await client.request('PUT /billing/rate-card', {
    body: { rateCardId: 'aws-s3-us-east-1' },
    ifMatch: '*',
  });
  await dropFiles(page, [{ name: 'small.txt', body: 'x'.repeat(99) }]);
  await dialog.getByText('The cap “tiny” leaves no room for this.').waitFor();
  expect(await bodiesOf(bucket)).toEqual({});
  await page.keyboard.press('Escape');

  await client.request('PUT /caps/{capId}', {
    path: { capId: 'tiny' },
    body: { unit: 'money', limit: '1000', period: 'month', bucket, rateCardId: 'aws-s3-us-east-1' },
    ifMatch: '*',
  });
  await dropFiles(page, [{ name: 'small.txt', body: 'x'.repeat(99) }]);
  await dockSays(page, /a month, \d+ % of the cap/);
  await dockSays(page, '1 of 1');
  await context.close();
});

/** Lets PUTs of objects hang, fail or pass; presigned URLs name the bucket in their path. */
async function steerPuts(page: Page, bucket: string) {
  let rule: 'pass' | 'hang' | 'cut' = 'pass';
  const passed: string[] = [];
  await page.route(`**/${bucket}/**`, async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    if (rule === 'cut') return route.abort('internetdisconnected');
    if (rule === 'hang') return;
    passed.push(new URL(route.request().url()).pathname);
    return route.continue();
  });
  return {
    passed,
    set: (next: typeof rule) => {
      rule = next;
    },
  };
}

const LARGE_BYTES = 17 * 1024 * 1024;

/** A file on disk, which has the same time whenever it is chosen; three parts long. */
async function largeFile(name: string): Promise<string> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, 'begins');
  await truncate(path, LARGE_BYTES);
  return path;
}

/** Chooses files by the dialog of U and begins to send them. */
async function choose(page: Page, files: readonly string[]): Promise<void> {
  await page.keyboard.press('u');
  const dialog = page.getByRole('dialog');
  await dialog
    .locator('input[type=file]')
    .first()
    .setInputFiles([...files]);
  await dialog.getByRole('button', { name: /^Upload \d+ file/ }).click();
}

async function uploadsOf(bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of client.uploads.list(bucket)) keys.push(key);
  return keys;
}

it('40: pauses and goes on; cancelled, it leaves no upload behind', async () => {
  const { page, context, bucket } = await openFolder();
  const puts = await steerPuts(page, bucket);
  puts.set('hang');
  const small = join(temporaryFolder(), 'small.txt');
  await writeFile(small, 'small');
  await choose(page, [await largeFile('film.mp4'), small]);
  await expect.poll(() => uploadsOf(bucket)).toEqual(['in/film.mp4']);
  await page.getByRole('button', { name: 'Show the files' }).click();
  const pausedAtMs = performance.now();
  await page.getByRole('button', { name: 'Pause all' }).click();
  await page.getByRole('button', { name: 'Resume all' }).waitFor();
  expect(performance.now() - pausedAtMs).toBeLessThan(1000);
  puts.set('pass');
  await page.getByRole('button', { name: 'Resume small.txt' }).click();
  await dockSays(page, '1 of 2');
  expect(puts.passed).toEqual([`/${bucket}/in/small.txt`]);
  await page.getByRole('button', { name: 'Cancel film.mp4' }).click();
  await dockSays(page, '1 of 1');
  await expect.poll(() => uploadsOf(bucket)).toEqual([]);
  expect(await bodiesOf(bucket)).toEqual({ 'in/small.txt': 'small' });
  await context.close();
});

it('42: goes on after a reload when the same files are chosen again, at part level', async () => {
  const { page, context, bucket } = await openFolder();
  const puts = await steerPuts(page, bucket);
  const isMeant = (url: URL) => url.searchParams.get('partNumber') === '3';
  await page.route(isMeant, () => {});
  const film = await largeFile('film.mp4');
  await choose(page, [film]);
  await expect.poll(() => puts.passed.length).toBe(2);
  await page.reload({ waitUntil: 'networkidle' });
  await page.unroute(isMeant);
  await dockSays(page, 'One file to in was interrupted.');
  puts.passed.splice(0);
  await page.getByRole('button', { name: 'Choose them again' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('input[type=file]').first().setInputFiles(film);
  await dockSays(page, '1 of 1');
  expect(await uploadsOf(bucket)).toEqual([]);
  expect((await client.objects.get(bucket, { query: { key: 'in/film.mp4' } })).size).toBe(
    `${LARGE_BYTES}`,
  );
  expect(puts.passed).toHaveLength(1);
  await page.reload({ waitUntil: 'networkidle' });
  expect(await page.locator('.dock').count()).toBe(0);
  await context.close();
});

it('41: waits for a lost line, says it once, and goes on by itself', async () => {
  const { page, context, bucket } = await openFolder();
  const puts = await steerPuts(page, bucket);
  puts.set('hang');
  await dropFiles(page, [
    { name: 'a.txt', body: 'a' },
    { name: 'b.txt', body: 'b' },
  ]);
  await dockSays(page, '0 of 2');
  await context.setOffline(true);
  await dockSays(page, 'Waits for the connection');
  expect(await page.getByRole('dialog').count()).toBe(0);
  puts.set('pass');
  await context.setOffline(false);
  await dockSays(page, '2 of 2');
  expect(Object.keys(await bodiesOf(bucket))).toEqual(['in/a.txt', 'in/b.txt']);
  await context.close();
});
