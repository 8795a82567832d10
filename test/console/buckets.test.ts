// Buckets in a real browser against a server on Node: the list, making, settings, opening, closing,
// emptying, deleting, and who may read.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { axeViolations } from './kit/axe.ts';
import { launchBrowser, newContext, signIn, watchErrors } from './kit/browser.ts';
import { startServer, type WireServer } from './kit/server.ts';

let [browser, server, client, context]: [Browser, WireServer, Client, BrowserContext] = [] as never;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startServer()]);
  const { url, accessKey: id, secretKey: secret } = server.target;
  client = createClient({ endpoint: url, accessKey: { id, secret } });
  context = await newContext(browser);
  await signIn(context, url, server.target);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(path: string): Promise<{ page: Page; errors: string[] }> {
  const page = await context.newPage();
  const errors = watchErrors(page);
  await page.goto(`${server.target.url}/-/console${path}`);
  return { page, errors };
}

async function makeBucket(name: string, keys: readonly string[] = []): Promise<void> {
  await client.buckets.create({ body: { name } });
  for (const key of keys) await client.upload(name, key, new Blob([`text of ${key}`]));
}

const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

it('12: the list shows buckets with what they store, sorted and filtered by the URL', async () => {
  await makeBucket('list-small', ['a.txt']);
  await makeBucket('list-large', ['a.txt', 'b.txt', 'c.txt']);
  await client.request('PUT /buckets/{bucket}/public-access', {
    path: { bucket: 'list-large' },
    body: { prefix: 'pub/' },
    ifMatch: '*',
  });
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.includes('/api/v1/buckets')) asked.push(pathname + search);
  });
  const errors = watchErrors(page);
  await page.goto(`${server.target.url}/-/console/buckets?sort=-objects`);
  await rowOf(page, 'list-large').getByText('Everyone, part').first().waitFor();
  expect(asked).toEqual(['/-/api/v1/buckets?include=totals&limit=100']);
  const names = async () => page.locator('.bucket-name').allTextContents();
  expect((await names()).filter((name) => name.startsWith('list-'))).toEqual([
    'list-large',
    'list-small',
  ]);
  await page.getByRole('button', { name: 'Objects' }).click();
  expect(new URL(page.url()).search).toBe('?sort=objects');

  await page.keyboard.press('/');
  await page.keyboard.type('list-s');
  await expect.poll(names).toEqual(['list-small']);
  expect(new URL(page.url()).searchParams.get('filter')).toBe('list-s');
  await page.getByText('1 bucket', { exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Filter' }).fill('');
  expect(await axeViolations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.close();
});

it('12: the list shows a thousand names at once and counts them page by page', async () => {
  const { page, errors } = await open('/jobs');
  const totals = {
    publicAccess: 'none',
    versioning: 'off',
    current: { objects: 2, bytes: '10' },
    noncurrent: { objects: 0, bytes: '0' },
    uploads: { objects: 0, bytes: '0' },
    perMonthMicro: '20000',
    currency: 'USD',
  };
  const all = Array.from({ length: 1000 }, (_, at) => ({
    name: `many-${String(at).padStart(4, '0')}`,
    createdAt: '2026-11-01T00:00:00.000Z',
  }));
  let letOn = () => {};
  const heldBack = new Promise<void>((resolve) => {
    letOn = resolve;
  });
  await page.route('**/api/v1/buckets?*', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    if (!query.has('include')) return route.fulfill({ json: { items: all, nextCursor: null } });
    const from = Number(query.get('cursor') ?? 0);
    if (from > 0) await heldBack;
    const items = all.slice(from, from + 100).map((bucket) => ({ ...bucket, totals }));
    return route.fulfill({ json: { items, nextCursor: from < 900 ? `${from + 100}` : null } });
  });
  await page.getByRole('radio', { name: 'All' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await page.getByText('of the first 100, still counting').waitFor();
  await page.getByText('1,000 buckets').waitFor();
  expect(await page.locator('.bucket-name').count()).toBe(1000);
  expect(await page.locator('[data-row="500"] .skeleton').count()).toBeGreaterThan(3);
  letOn();
  await page.getByText('2,000 objects').waitFor();
  await page.getByText('$20.00 a month for what is stored now').waitFor();
  expect(errors).toEqual([]);
  await page.close();
});

it('13: the dialog of N makes buckets, checks the name, and follows a template', async () => {
  const { page, errors } = await open('/buckets');
  await page.locator('.status-bar .sep').first().waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog', { name: 'New bucket' });
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await name.fill('Bad_name');
  expect(await dialog.locator('.name-rules .red').allTextContents()).toEqual([
    'Only a–z, 0–9, hyphen and dot',
    'Begins and ends with a letter or digit',
  ]);
  await page.keyboard.press('Enter');
  await name.fill('xn--bought');
  await dialog.getByText('No beginning or end that S3 reserves').waitFor();
  await name.fill('made-backups');
  expect(await dialog.locator('.name-rules .kept').count()).toBe(3);
  await dialog.getByRole('radio', { name: 'Backups' }).check();
  await dialog.getByText('stays 30 days').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Create bucket' }).click();
  await page.waitForURL('**/b/made-backups/');
  expect(await client.buckets.get('made-backups')).toMatchObject({
    versioning: 'enabled',
    publicAccess: 'none',
    quota: { objects: 1_000_000 },
    lifecycle: [{ noncurrentExpiration: { noncurrentDays: 30 }, abortUploadsAfterDays: 7 }],
  });

  await page.goto(`${server.target.url}/-/console/buckets`);
  await rowOf(page, 'made-backups').waitFor();
  await page.keyboard.press('n');
  await name.fill('made-backups');
  await dialog.getByRole('radio', { name: 'Website' }).check();
  await dialog.getByRole('button', { name: 'Create public bucket' }).click();
  await dialog.getByText('The name made-backups is taken. Choose another.').waitFor();
  await name.fill('made-site');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/b/made-site/');
  expect(await client.buckets.get('made-site')).toMatchObject({
    publicAccess: 'read',
    hosting: { indexDocument: 'index.html', errorDocument: '404.html' },
  });
  expect(errors.filter((text) => !text.includes('409'))).toEqual([]);
  await page.close();
});

it('15: a bucket is emptied as a job, for good after its name was typed', async () => {
  await makeBucket('to-empty', ['a.txt', 'b.txt']);
  const { page, errors } = await open('/b/to-empty?settings=danger');
  await page.getByRole('button', { name: 'Empty', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Empty to-empty?' });
  await dialog.getByText('Type to-empty to confirm').waitFor();
  const remove = dialog.getByRole('button', { name: 'Remove 2 objects for good' });
  expect(await remove.getAttribute('aria-disabled')).toBe('true');
  await dialog.getByRole('textbox').fill('to-empty');
  await remove.click();
  await page.getByText('Removed 2 objects with all versions').waitFor();
  const { items } = await client.buckets.totals('to-empty');
  expect(items.map(({ current }) => current.objects)).toEqual([0]);
  expect(errors).toEqual([]);
  await page.close();
});

it('16: a bucket is deleted with what is in it, after the dialog said all that dies', async () => {
  await makeBucket('to-delete', ['pub/a.txt', 'b.txt']);
  await client.buckets.update('to-delete', { body: { versioning: 'enabled' }, ifMatch: '*' });
  await client.upload('to-delete', 'b.txt', new Blob(['newer']));
  const domains = [{ host: 'www.to-delete.example' }];
  await client.buckets.update('to-delete', { body: { hosting: { domains } }, ifMatch: '*' });
  await client.request('PUT /buckets/{bucket}/public-access', {
    path: { bucket: 'to-delete' },
    body: { prefix: 'pub/' },
    ifMatch: '*',
  });
  const { page, errors } = await open('/b/to-delete?settings=danger');
  await page.getByRole('button', { name: 'Delete bucket' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete to-delete for good?' });
  await dialog.getByText('www.to-delete.example').waitFor();
  await dialog.getByText('Public addresses end: to-delete/pub/').waitFor();
  const numbers = await dialog.locator('.effects dd').allTextContents();
  expect(numbers.slice(0, 3)).toEqual(['2 · 22 B', '1 · 13 B', '0 · 0 B']);
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('textbox').fill('to-delete');
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('to-delete is deleted.').waitFor();
  await expect(client.buckets.get('to-delete')).rejects.toMatchObject({ code: 'NoSuchBucket' });
  expect(errors).toEqual([]);
  await page.close();
});

it('17: a bucket is made public after its cost is shown, with a cap and Undo', async () => {
  await makeBucket('press', ['logo.svg', 'docs/terms.pdf']);
  const { page, errors } = await open('/b/press?settings=access');
  await page.getByRole('button', { name: 'Make public' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Make press public' });
  await dialog.getByText('Everyone on the internet can then read 2 objects').waitFor();
  expect(await dialog.locator('.addresses li').allTextContents()).toEqual([
    `${server.target.url.slice('http://'.length)}/press/docs/terms.pdf`,
    `${server.target.url.slice('http://'.length)}/press/logo.svg`,
  ]);
  await dialog.getByText('At worst one client reads').waitFor();
  await dialog.getByText('The exact statement').click();
  await dialog.getByText('"s3:GetObject"').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Make 2 objects public' }).click();
  await page.getByText('Everyone can read 2 objects now.').waitFor();
  expect((await fetch(`${server.target.url}/press/logo.svg`)).status).toBe(200);
  const cap = (await client.caps.list()).items.find(({ bucket }) => bucket === 'press');
  expect(cap).toMatchObject({ unit: 'money', limit: '10000000', alertPercents: [80] });

  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone.').waitFor();
  expect((await fetch(`${server.target.url}/press/logo.svg`)).status).toBe(403);
  expect((await client.buckets.get('press')).publicAccess).toBe('none');
  expect(errors).toEqual([]);
  await page.close();
});

it('17: a folder open to everyone is closed, and opened again by Undo', async () => {
  await makeBucket('closing', ['pub/a.txt']);
  await client.request('PUT /buckets/{bucket}/public-access', {
    path: { bucket: 'closing' },
    body: { prefix: 'pub/' },
    ifMatch: '*',
  });
  const { page, errors } = await open('/b/closing?settings=access');
  await page.locator('.opened').getByText('closing/pub/').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByText('closing/pub/ is private.').waitFor();
  await page.getByText('Private: nobody reads anything here').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone.').waitFor();
  expect((await client.buckets.get('closing')).publicAccess).toBe('some');
  expect(errors).toEqual([]);
  await page.close();
});

it('124: axe finds nothing on a phone in the dark, in Chinese', async () => {
  await makeBucket('axe', ['pub/a.txt']);
  await client.request('PUT /buckets/{bucket}/public-access', {
    path: { bucket: 'axe' },
    body: { prefix: 'pub/' },
    ifMatch: '*',
  });
  const look = { width: 360, height: 740, isDark: true, isTouch: true, language: 'zh' } as const;
  const phone = await newContext(browser, look);
  await signIn(phone, server.target.url, server.target);
  const page = await phone.newPage();
  const errors = watchErrors(page);
  for (const [path, sign] of [
    ['/buckets', '个存储桶'],
    ['/b/axe?settings=access', '任何人可以读取此处以下的内容的一部分'],
    ['/usage', '还没有已结算的月份'],
  ] as const) {
    await page.goto(`${server.target.url}/-/console${path}`);
    await page.getByText(sign).first().waitFor();
    expect([path, await axeViolations(page)]).toEqual([path, []]);
    const isWider = await page.evaluate('document.body.scrollWidth > innerWidth');
    expect([path, isWider]).toEqual([path, false]);
  }
  expect(errors).toEqual([]);
  await phone.close();
});
