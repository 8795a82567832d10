// Settings of a bucket, who may read, presigned URLs, probes, usage and caps, in a real browser
// against a server on Node.
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

const partOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

it('20: each setting is saved by itself, says what is refused, and is undone', async () => {
  await makeBucket('settings');
  const { page, errors } = await open('/b/settings');
  const versions = partOf(page, 'Versions');
  await versions.getByRole('radio', { name: 'On' }).check();
  await versions.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await client.buckets.get('settings')).versioning).toBe('enabled');

  const tags = partOf(page, 'Tags');
  await tags.getByRole('textbox').fill('project=harbour\nowner=mara');
  await tags.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => (await client.buckets.get('settings')).tags)
    .toEqual({ project: 'harbour', owner: 'mara' });
  await tags.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone.').waitFor();
  expect((await client.buckets.get('settings')).tags).toEqual({});

  const cors = partOf(page, 'CORS');
  await cors.getByRole('button', { name: 'As JSON' }).click();
  await cors.getByRole('textbox').fill('[{"allowedMethods": ["GET"], "allowedOrigins": 1}]');
  await cors.getByRole('button', { name: 'Save' }).click();
  await cors
    .getByText(/allowedOrigins/)
    .last()
    .waitFor();
  expect(await cors.getByRole('alert').textContent()).toContain('allowedOrigins');
  await cors.getByRole('textbox').fill('[{');
  await cors.getByText('This is not JSON').waitFor();

  const hosting = partOf(page, 'Hosting');
  await hosting.getByRole('button', { name: 'As JSON' }).click();
  await hosting.getByRole('textbox').fill('{"spaFallback": true, "robots": "disallow"}');
  await hosting.getByRole('button', { name: 'Save' }).click();
  await hosting.getByText('This bucket is a website').waitFor();
  const whole = JSON.parse(await hosting.getByRole('textbox').inputValue());
  delete whole.robots;
  await hosting.getByRole('textbox').fill(JSON.stringify(whole));
  await hosting.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => (await client.buckets.get('settings')).hosting)
    .toMatchObject({ spaFallback: true, robots: 'allow' });
  expect(await axeViolations(page)).toEqual([]);
  expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  await page.close({ runBeforeUnload: false });
});

it('20: the settings of a bucket are reached from the bucket itself', async () => {
  await makeBucket('reached', ['in/a.txt']);
  const { page, errors } = await open('/b/reached/in/');
  await page.getByRole('button', { name: 'Pin this place' }).waitFor();
  const settings = page.getByRole('link', { name: 'Settings of the bucket' });
  expect(await settings.count()).toBe(0);
  await page.goto(`${server.target.url}/-/console/b/reached/`);
  await settings.click();
  await page.getByRole('heading', { name: 'General' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/-/console/b/reached');
  expect(errors).toEqual([]);
});

it('123: the settings lead back to the folder on a phone', async () => {
  await makeBucket('phone-settings');
  const { page } = await open('/b/phone-settings');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('link', { name: 'phone-settings' }).first().click();
  await page.getByText('Nothing in phone-settings yet').waitFor();
  expect(page.url()).toMatch(/\/b\/phone-settings\/$/);
});

it('98: lifecycle rules are shown as sentences, with a preview of what they would do', async () => {
  await makeBucket('rules', ['logs/a.txt', 'logs/b.txt', 'kept.txt']);
  const rule = { filter: { prefix: 'logs/' }, expiration: { days: 30 }, abortUploadsAfterDays: 7 };
  await client.buckets.update('rules', { body: { lifecycle: [rule] }, ifMatch: '*' });
  const { page, errors } = await open('/b/rules?settings=rules');
  const lifecycle = partOf(page, 'Lifecycle');
  await lifecycle
    .getByText('What begins with logs/: deleted after 30 days and unfinished uploads removed')
    .waitFor();
  await lifecycle.getByRole('combobox').selectOption('365');
  await lifecycle.getByRole('button', { name: 'Preview' }).click();
  await lifecycle.getByText('Nothing else is touched.').waitFor();
  expect(await lifecycle.locator('.effects dd').allTextContents()).toEqual(['2 · 36 B']);
  await lifecycle.getByText('The first names').click();
  expect(await lifecycle.locator('.failures li').allTextContents()).toEqual([
    'logs/a.txt',
    'logs/b.txt',
  ]);
  expect(errors).toEqual([]);
  await page.close();
});

it('102: a clash with somebody else’s change shows both sides, and saves mine', async () => {
  await makeBucket('clash');
  const { page, errors } = await open('/b/clash?settings=rules');
  const tags = partOf(page, 'Tags');
  await tags.getByRole('textbox').fill('color=blue');
  // Another setting is no clash: it is saved all the same.
  await client.buckets.update('clash', { body: { versioning: 'enabled' }, ifMatch: '*' });
  await tags.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await expect
    .poll(async () => client.buckets.get('clash'))
    .toMatchObject({ versioning: 'enabled', tags: { color: 'blue' } });

  await tags.getByRole('textbox').fill('color=green');
  await client.buckets.update('clash', { body: { tags: { color: 'red' } }, ifMatch: '*' });
  await tags.getByRole('button', { name: 'Save' }).click();
  await tags.getByText('Somebody changed this setting').waitFor();
  expect(await tags.locator('.sides pre').allTextContents()).toEqual(['color=red', 'color=green']);
  expect(await axeViolations(page)).toEqual([]);
  await tags.getByRole('button', { name: 'Save mine' }).click();
  await expect
    .poll(async () => (await client.buckets.get('clash')).tags)
    .toEqual({ color: 'green' });
  await tags.getByText('Somebody changed this setting').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await page.close();
});

it('93: the access view says who can read and by which line, and tests a request', async () => {
  await makeBucket('readers', ['pub/a.txt']);
  await client.request('PUT /buckets/{bucket}/public-access', {
    path: { bucket: 'readers' },
    body: { prefix: 'pub/' },
    ifMatch: '*',
  });
  const { page, errors } = await open('/b/readers?settings=access');
  const rights = partOf(page, 'Everybody’s rights');
  await rights.getByText('Everyone can read a part of what is below here.').waitFor();
  await rights
    .getByText(/Statement 1 \(QuaysidePublicRead.*allows it/)
    .first()
    .click();
  await rights.getByText('"Effect": "Allow"').first().waitFor();
  await rights.getByRole('button', { name: 'Test' }).click();
  const dialog = page.getByRole('dialog', { name: 'Test a request to readers/' });
  await dialog.getByRole('combobox', { name: 'To' }).selectOption('delete');
  await dialog.getByRole('textbox', { name: 'From the address' }).fill('192.0.2.7');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByText('Refused.').waitFor();
  await dialog.getByText('Nothing allows it.').waitFor();
  await dialog.getByRole('combobox', { name: 'As' }).selectOption('role admin');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await dialog.getByText('Allowed.').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.close();
});

it('91: a presigned URL is made, says what it can do, and does that', async () => {
  await makeBucket('signed', ['plan.txt']);
  const { page, errors } = await openObject('signed', 'plan.txt', 'Presigned URL');
  const dialog = page.getByRole('dialog', { name: 'Presigned URL for plan.txt' });
  await dialog.getByText('Whoever has the URL can download plan.txt until').waitFor();
  await dialog.getByRole('spinbutton', { name: 'Life' }).fill('8');
  await dialog.getByRole('combobox', { name: 'Unit' }).selectOption('days');
  await dialog.getByText('From 1 minute to 7 days.').waitFor();
  await dialog.getByRole('spinbutton', { name: 'Life' }).fill('7');
  await dialog.getByRole('textbox', { name: /Saved under/ }).fill('计划.txt');
  await dialog.getByRole('button', { name: 'Make and copy' }).click();
  const url = await dialog.getByRole('textbox', { name: 'URL', exact: true }).inputValue();
  const response = await fetch(url);
  expect(await response.text()).toBe('text of plan.txt');
  expect(response.headers.get('content-disposition')).toContain('attachment');
  expect(await axeViolations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.close();
});

it('101: the trace of a read says whether it was a hit, and where the time went', async () => {
  await makeBucket('probed', ['pub/a.txt', 'own.txt']);
  await client.request('PUT /buckets/{bucket}/public-access', {
    path: { bucket: 'probed' },
    body: { prefix: 'pub/' },
    ifMatch: '*',
  });
  const { page, errors } = await openObject('probed', 'pub/a.txt', 'Why slow, why a miss?');
  const dialog = page.getByRole('dialog', { name: 'How pub/a.txt is served' });
  await dialog.getByText('Requested as a stranger').waitFor();
  await dialog.getByText(/^cache-status: quayside-memory/m).waitFor();
  await dialog.getByRole('button', { name: 'Ask again' }).click();
  await dialog.getByText('A hit: it came from memory.').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.close();

  const signed = await openObject('probed', 'own.txt', 'Why slow, why a miss?');
  await signed.page.getByText('A signed read: it goes to the bucket each time').waitFor();
  await signed.page.getByText('since strangers can’t read it').waitFor();
  expect([...errors, ...signed.errors]).toEqual([]);
  await signed.page.close();
});

/** Opens a dialog of an object's readers, on the page of the object. */
async function openObject(bucket: string, key: string, button: string) {
  const opened = await open(`/b/${bucket}/${key}`);
  await opened.page.getByRole('button', { name: button }).click();
  return opened;
}

it('14: the usage view says what went out, how much from caches, and what failed', async () => {
  await makeBucket('served', ['pub/a.txt', 'own.txt']);
  await client.request('PUT /buckets/{bucket}/public-access', {
    path: { bucket: 'served' },
    body: { prefix: 'pub/' },
    ifMatch: '*',
  });
  const { page, errors } = await open('/b/served');
  const part = partOf(page, 'This month');
  const numbers = () => part.locator('dd').allTextContents();
  await expect.poll(numbers).toEqual(['0 B', '–', '0', '0']);
  const statuses = [];
  for (const key of ['pub/a.txt', 'pub/a.txt', 'pub/none', 'own.txt'])
    statuses.push((await fetch(`${server.target.url}/served/${key}`)).status);
  expect(statuses).toEqual([200, 200, 404, 403]);
  await expect
    .poll(
      async () => {
        await page.reload({ waitUntil: 'networkidle' });
        return numbers();
      },
      { timeout: 60_000, interval: 1000 },
    )
    .toEqual(['34 B', '100 %', '2', '0']);
  expect(await axeViolations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.close();
}, 90_000);

it('105, 107: the bill is shown by lines, days and buckets that add up', async () => {
  const { page, errors } = await open('/jobs');
  const day = (at: number, meter: string, quantity: string, bucket: string | null) => ({
    time: `2026-10-0${at}T00:00:00.000Z`,
    bucket,
    accessKeyId: null,
    accessKeyName: null,
    operation: null,
    meter,
    quantity,
  });
  const real = await client.billing.forecast();
  const line = (label: string, meter: string, amountMicro: string) => ({
    ...real.soFar.lines[0],
    label,
    meters: [meter],
    units: '3',
    amountMicro,
  });
  const lines = [
    line('Storage, Standard', 'storage/STANDARD', '6000000'),
    line('Class A operations', 'class-a/STANDARD', '2000000'),
  ];
  const invoice = {
    ...real.soFar,
    period: '2026-10',
    periodEnd: '2026-11-01T00:00:00.000Z',
    lines,
    totalMicro: '8500000',
  };
  await page.route('**/api/v1/invoices/2026-10', (route) => route.fulfill({ json: invoice }));
  await page.route('**/api/v1/usage?*', (route) => {
    const isByBucket = route.request().url().includes('groupBy');
    const buckets = isByBucket ? ['large', 'small'] : [null, null];
    const items = [
      day(1, 'storage/STANDARD', '100', buckets[0] ?? null),
      day(2, 'storage/STANDARD', '200', buckets[1] ?? null),
      day(2, 'class-a/STANDARD', '7', buckets[1] ?? null),
    ];
    return route.fulfill({ json: { from: '', to: '', items } });
  });
  await page.goto(`${server.target.url}/-/console/usage?month=2026-10`);
  await page.getByRole('cell', { name: '$8.50' }).waitFor();
  expect(
    await page.locator('.bill').last().locator('tbody td:last-child').allTextContents(),
  ).toEqual(['$6.00', '$2.00', '$0.50']);
  expect(await page.locator('.by-bucket li .spread').allTextContents()).toEqual([
    'small$6.00',
    'large$2.00',
    'Others$0.50',
  ]);
  await page.getByRole('listbox', { name: 'By day' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.getByText('2 Oct 2026: $6.00 (Storage $4.00, Requests $2.00)').waitFor();
  expect(new URL(page.url()).searchParams.get('day')).toBe('2');
  await page.getByText('The same as a table').click();
  const second = page.getByRole('row', { name: /^2 Oct 2026/ });
  expect(await second.getByRole('cell').allTextContents()).toEqual([
    '2 Oct 2026',
    '$4.00',
    '$0.00',
    '$2.00',
    '$0.00',
    '$6.00',
  ]);
  expect(await axeViolations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.close();
});

it('108: a cap is set after it says what happens, and is removed with Undo', async () => {
  await makeBucket('capped');
  const { page, errors } = await open('/usage');
  const caps = partOf(page, 'Caps');
  await caps.getByRole('button', { name: 'Set a cap' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set a cap' });
  await dialog.getByRole('spinbutton', { name: /Limit/ }).fill('25');
  await dialog
    .getByText('At $20.00 your webhooks get a message. At $25.00 reads and uploads')
    .waitFor();
  await dialog.getByRole('combobox', { name: 'On' }).selectOption('capped');
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save cap' }).click();
  await caps.getByText('Bucket capped').waitFor();
  await caps.getByText('$0.00 of $25.00').waitFor();
  await caps.getByRole('button', { name: 'Change' }).click();
  const change = page.getByRole('dialog', { name: 'Change cap' });
  await change.getByRole('spinbutton', { name: /Limit/ }).fill('30');
  await page.keyboard.press('Enter');
  await caps.getByText('$0.00 of $30.00').waitFor();
  await caps.getByRole('button', { name: 'Remove' }).click();
  await caps.getByText('Bucket capped').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await caps.getByText('$0.00 of $30.00').waitFor();
  expect((await client.caps.list()).items).toMatchObject([
    { bucket: 'capped', limit: '30000000', alertPercents: [80] },
  ]);
  expect(errors).toEqual([]);
  await page.close();
});
