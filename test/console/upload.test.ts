// Uploads in a real browser against a server on Node: ways in, the dock, clashes, costs.
import { readFile, truncate } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { dropFiles } from './kit/drop-files.ts';
import {
  bodiesOf,
  choose,
  dockSays,
  largeFile,
  openFolder,
  root,
  steerPuts,
  uploadsOf,
  useUploadPages,
} from './kit/upload-page.ts';

useUploadPages();

it('37: the queue takes files by the dialog of the key U and by a drop, in one line', async () => {
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

it('39: the queue says how far all are and each is, and draws few of many files', async () => {
  const { page, context, bucket, errors } = await openFolder();
  const puts = await steerPuts(page, bucket);
  puts.set('hang');
  const names = Array.from({ length: 3000 }, (_, at) => `${`${at}`.padStart(4, '0')}.txt`);
  const film = { name: 'film.mp4', body: 'x'.repeat(4_000_000) };
  await dropFiles(page, [film, ...names.map((name) => ({ name, body: 'x' }))]);
  await dockSays(page, '0 of 3,001');
  // Small by default: one line, until somebody asks for the files.
  expect(await page.locator('.dock-list').count()).toBe(0);
  await page.getByRole('button', { name: 'Show the files' }).click();
  const rows = page.locator('.dock-list [role=listitem]');
  await rows.first().waitFor();
  expect(await rows.count()).toBeLessThan(60);
  expect(await rows.first().getAttribute('aria-setsize')).toBe('3001');
  await page.locator('.dock-list').hover();
  await page.mouse.wheel(0, 1_000_000);
  await expect.poll(() => rows.last().getAttribute('aria-posinset')).toBe('3001');
  await page.locator('.dock').getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /^Cancel/ }).click();
  await expect.poll(() => uploadsOf(bucket)).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

it('39: the queue says the speed, the time left, and how much of a file is there', async () => {
  const { page, context, bucket } = await openFolder();
  const session = await context.newCDPSession(page);
  const conditions = { offline: false, latency: 0, downloadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', {
    ...conditions,
    uploadThroughput: 1_000_000,
  });
  await choose(page, [await largeFile('film.mp4')]);
  await dockSays(page, /^0 of 1 · [\d.,]+ [kM]?B\/s · \d+ s(?:ec)? left/);
  await page.getByRole('button', { name: 'Show the files' }).click();
  await page
    .locator('.dock-list .part')
    .getByText(/^[1-9]\d? %$/)
    .waitFor();
  await session.send('Network.emulateNetworkConditions', { ...conditions, uploadThroughput: -1 });
  await dockSays(page, '1 of 1');
  expect(await uploadsOf(bucket)).toEqual([]);
  await context.close();
});

/** One terabyte, of which the disk has nothing. */
const TERABYTE = 1_000_000_000_000;

it('45: a file of a terabyte begins in few large parts and little memory', async () => {
  const { page, context, bucket } = await openFolder();
  const path = await largeFile('disk.img');
  await truncate(path, TERABYTE);
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const heapBytes = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
  };
  // Nearly nothing of it arrives: the first parts are enough here.
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 100_000,
  });
  let parts = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).searchParams.has('partNumber')) parts++;
  });
  await choose(page, [path]);
  await expect.poll(() => parts, { timeout: 60_000 }).toBeGreaterThan(0);
  expect(await uploadsOf(bucket)).toEqual(['in/disk.img']);
  expect(await heapBytes()).toBeLessThan(64_000_000);
  await dockSays(page, '0 of 1');
  await context.close();
}, 90_000);

it('44: the dialog asks before a byte flows what becomes of names that are taken', async () => {
  const { page, context, bucket, errors } = await openFolder();
  for (const key of ['in/a.txt', 'in/b.txt', 'in/c.txt', 'in/d.tar.gz']) {
    await root().upload(bucket, key, 'old');
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
  await root().upload(bucket, 'in/c.txt', 'meanwhile');
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

it('50: the dialog says the cost, and refuses before byte one what a limit forbids', async () => {
  const { page, context, bucket } = await openFolder();
  await root().buckets.update(bucket, { body: { quota: { bytes: '100' } }, ifMatch: '*' });
  await dropFiles(page, [{ name: 'big.txt', body: 'x'.repeat(101) }]);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The bucket may hold 100 B.').waitFor();
  const send = dialog.getByRole('button', { name: 'Upload 1 file' });
  expect(await send.getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Escape');

  await root().request('PUT /caps/{capId}', {
    path: { capId: 'tiny' },
    body: { unit: 'money', limit: '1', period: 'month', bucket, rateCardId: 'aws-s3-us-east-1' },
  });
  await root().request('PUT /billing/rate-card', {
    body: { rateCardId: 'aws-s3-us-east-1' },
    ifMatch: '*',
  });
  await dropFiles(page, [{ name: 'small.txt', body: 'x'.repeat(99) }]);
  await dialog.getByText('The cap “tiny” leaves no room for this.').waitFor();
  expect(await bodiesOf(bucket)).toEqual({});
  await page.keyboard.press('Escape');

  await root().request('PUT /caps/{capId}', {
    path: { capId: 'tiny' },
    body: { unit: 'money', limit: '1000', period: 'month', bucket, rateCardId: 'aws-s3-us-east-1' },
    ifMatch: '*',
  });
  await dropFiles(page, [{ name: 'small.txt', body: 'x'.repeat(99) }]);
  await dockSays(page, /a month, \d+ % of the cap/);
  await dockSays(page, '1 of 1');
  await context.close();
});

it('46, 51: a batch gets its headers, and its list has the checksums', async () => {
  const { page, context, bucket } = await openFolder();
  await page.keyboard.press('u');
  const dialog = page.getByRole('dialog');
  await dialog
    .locator('input[type=file]')
    .first()
    .setInputFiles([{ name: 'notes.md', mimeType: '', buffer: Buffer.from('abc') }]);
  await dialog.getByText('Headers, tags, class').click();
  await dialog.getByLabel('Cache').selectOption({ label: 'One day (pictures)' });
  await dialog.getByLabel('Metadata').fill('from');
  await dialog.getByText('Write name=value, separated by commas.').waitFor();
  await dialog.getByLabel('Metadata').fill('from=Zürich, year=2026');
  await dialog.getByLabel('Tags').fill('kind=note');
  await dialog.getByRole('button', { name: 'Upload 1 file' }).click();
  await dockSays(page, '1 of 1');
  const note = await root().objects.get(bucket, { query: { key: 'in/notes.md' } });
  expect(note).toMatchObject({
    contentType: 'text/markdown',
    cacheControl: 'public, max-age=86400',
    metadata: { from: 'Zürich', year: '2026' },
    tags: { kind: 'note' },
  });
  await page.locator('.dock').getByRole('button', { name: 'More' }).click();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save the list with checksums' }).click(),
  ]);
  const list = await readFile(await saved.path(), 'utf8');
  const line = `${bucket},in/notes.md,3,SHA256,ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=`;
  expect(list).toContain(line);
  await context.close();
});

/** A picture of one pixel, as a screenshot on the clipboard. */
const COPY_SCREENSHOT = `(async () => {
  const canvas = new OffscreenCanvas(1, 1);
  canvas.getContext('2d').fillRect(0, 0, 1, 1);
  const blob = await canvas.convertToBlob({ type: 'image/png' });
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
})()`;

it('38: a pasted screenshot is uploaded under a name, and its link is copied', async () => {
  const { page, context, bucket, errors } = await openFolder();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  await page.evaluate(COPY_SCREENSHOT);
  await page.keyboard.press('Control+v');
  const dialog = page.getByRole('dialog', { name: 'Upload to in' });
  const name = dialog.getByRole('textbox', { name: 'Name' });
  expect(await name.inputValue()).toMatch(/^Screenshot \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/);
  await name.fill('港口.png');
  await page.keyboard.press('Enter');
  await page.getByText('Link for members copied.').waitFor();
  expect(await copied()).toBe(new URL(encodeURI('港口.png'), page.url()).href);
  const stored = await root().objects.get(bucket, { query: { key: 'in/港口.png' } });
  expect(stored).toMatchObject({ contentType: 'image/png' });

  await page.evaluate(COPY_SCREENSHOT);
  await page.keyboard.press('Control+v');
  await name.fill('open.png');
  await dialog.getByRole('checkbox', { name: /works without signing in/ }).check();
  // Browsers refuse the clipboard when the click is long ago: then the link is shown.
  await page.evaluate(`{
    const write = navigator.clipboard.writeText.bind(navigator.clipboard);
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    document.execCommand = () => false;
    globalThis.allowCopying = () => { navigator.clipboard.writeText = write; };
  }`);
  await dialog.getByRole('button', { name: 'Upload and copy the link' }).click();
  const shown = page.getByRole('dialog', { name: 'Link' });
  const url = await shown.getByRole('textbox', { name: 'Link' }).inputValue();
  expect((await fetch(url)).headers.get('content-type')).toBe('image/png');
  await page.evaluate('allowCopying()');
  await shown.getByRole('button', { name: 'Copy' }).click();
  await shown.waitFor({ state: 'detached' });
  expect(await copied()).toBe(url);
  expect(errors).toEqual([]);
  await context.close();
});

it('38: pasted files keep their own names, and are not taken while one types', async () => {
  const { page, context, bucket, errors } = await openFolder();
  const paste = (target: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      for (const name of ['a.txt', 'b.txt']) clipboardData.items.add(new File([name], name));
      const init = { clipboardData, bubbles: true, cancelable: true };
      document.querySelector('${target}').dispatchEvent(new ClipboardEvent('paste', init));
    }`);
  await page.keyboard.press('/');
  await page.getByRole('searchbox').waitFor();
  await paste('input[type=search]');
  await page.keyboard.press('Escape');
  await paste('#main');
  await dockSays(page, '2 of 2');
  expect(await bodiesOf(bucket)).toEqual({ 'in/a.txt': 'a.txt', 'in/b.txt': 'b.txt' });
  expect(errors).toEqual([]);
  await context.close();
});
