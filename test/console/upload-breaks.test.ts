// Uploads in a real browser that are paused, cancelled, cut, reloaded, or begun elsewhere.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../node/kit/temporary-folder.ts';
import { dropFiles } from './kit/drop-files.ts';
import { FILM_DIGEST, PICKED_FILES, recordCount, STAND_IN_HANDLES } from './kit/picked-folder.ts';
import {
  bodiesOf,
  choose,
  dockSays,
  folderUrl,
  LARGE_BYTES,
  largeFile,
  openFolder,
  root,
  steerPuts,
  uploadsOf,
  useUploadPages,
} from './kit/upload-page.ts';

useUploadPages();

/** Bodies of megabytes pass the tests on their way: on a busy machine each takes seconds. */
const SENT = { timeout: 60_000 };

it('40: an upload pauses and goes on; cancelled, it leaves no upload behind', async () => {
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

it('42: an upload goes on after a reload, part by part, when its files are chosen', async () => {
  const { page, context, bucket } = await openFolder();
  const puts = await steerPuts(page, bucket);
  const isMeant = (url: URL) => url.searchParams.get('partNumber') === '3';
  await page.route(isMeant, () => {});
  const film = await largeFile('film.mp4');
  const stored: string[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'PUT') stored.push(response.url());
  });
  await choose(page, [film]);
  await expect.poll(() => stored.length, SENT).toBe(2);
  await page.reload({ waitUntil: 'networkidle' });
  await page.unroute(isMeant);
  await dockSays(page, 'film.mp4 to in was interrupted.');
  puts.passed.splice(0);
  await page.getByRole('button', { name: 'Choose again' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('input[type=file]').first().setInputFiles(film);
  await dockSays(page, '1 of 1');
  expect(await uploadsOf(bucket)).toEqual([]);
  expect((await root().objects.get(bucket, { query: { key: 'in/film.mp4' } })).size).toBe(
    `${LARGE_BYTES}`,
  );
  expect(puts.passed).toHaveLength(1);
  await page.reload({ waitUntil: 'networkidle' });
  expect(await page.locator('.dock').count()).toBe(0);
  await context.close();
}, 120_000);

it('42: an upload goes on by one click after its tab was killed, no part twice', async () => {
  const { page, context, bucket } = await openFolder();
  await context.addInitScript(STAND_IN_HANDLES);
  await page.reload({ waitUntil: 'networkidle' });
  // Two small files and one part of the film never arrive.
  const isHeld = ({ pathname, searchParams }: URL) =>
    searchParams.get('partNumber') === '3' || /\/day\/1[89]\.txt$/.test(pathname);
  await page.route(isHeld, () => {});
  const stored: string[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'PUT' && response.ok()) stored.push(response.url());
  });
  await page.keyboard.press('u');
  await page.getByRole('button', { name: 'Choose folder' }).click();
  await page.getByRole('button', { name: `Upload ${PICKED_FILES} files` }).click();
  await expect.poll(() => stored.length, SENT).toBe(20);
  // What was begun is written down some time after: the batch and three files.
  await expect.poll(() => recordCount(page)).toBe(4);
  const crashed = page.waitForEvent('crash');
  const devtools = await context.newCDPSession(page);
  devtools.send('Page.crash').catch(() => {});
  await crashed;
  await page.close();

  const next = await context.newPage();
  const { passed } = await steerPuts(next, bucket);
  await next.goto(folderUrl(bucket));
  await dockSays(next, '3 files to in were interrupted.');
  await next.getByRole('button', { name: 'Go on' }).click();
  await dockSays(next, '3 of 3');
  expect(passed.sort()).toEqual(
    ['day/18.txt', 'day/19.txt', 'film.mp4'].map((name) => `/${bucket}/in/trip/${name}`),
  );
  expect(await uploadsOf(bucket)).toEqual([]);
  const bodies = await bodiesOf(bucket);
  expect(Object.keys(bodies)).toHaveLength(PICKED_FILES);
  expect(bodies['in/trip/day/19.txt']).toHaveLength(119);
  const film = await root().download(bucket, 'in/trip/film.mp4');
  const digest = createHash('sha256').update(await film.bytes());
  expect(digest.digest('hex')).toBe(FILM_DIGEST);
  await expect.poll(() => recordCount(next)).toBe(0);
  await context.close();
}, 120_000);

it('42: an upload stays as it is when its files may not be read again', async () => {
  const { page, context, bucket } = await openFolder();
  await context.addInitScript(STAND_IN_HANDLES);
  await page.reload({ waitUntil: 'networkidle' });
  await page.route('**/trip/**', (route) =>
    route.request().method() === 'PUT' ? undefined : route.fallback(),
  );
  await page.keyboard.press('u');
  await page.getByRole('button', { name: 'Choose folder' }).click();
  await page.getByRole('button', { name: `Upload ${PICKED_FILES} files` }).click();
  await expect.poll(() => recordCount(page)).toBe(PICKED_FILES + 1);
  await page.close();

  const next = await context.newPage();
  const { passed } = await steerPuts(next, bucket);
  await next.goto(folderUrl(bucket));
  await next.evaluate("globalThis.answerOfReader = 'denied'");
  const goOn = next.getByRole('button', { name: 'Go on' });
  await goOn.click();
  await expect.poll(() => next.evaluate('globalThis.timesAsked')).toBe(1);
  await next.getByText('The browser was not allowed to.').waitFor();
  await goOn.and(next.locator(':enabled')).waitFor();
  await dockSays(next, `${PICKED_FILES} files to in were interrupted.`);
  expect(passed).toEqual([]);
  await next.evaluate("globalThis.answerOfReader = 'granted'");
  await goOn.click();
  await dockSays(next, `${PICKED_FILES} of ${PICKED_FILES}`);
  expect(Object.keys(await bodiesOf(bucket))).toHaveLength(PICKED_FILES);
  await context.close();
}, 120_000);

it('41: an upload waits for a lost line, says it once, and goes on by itself', async () => {
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

it('43: an upload that another device began goes on with the same file', async () => {
  const { page, context, bucket } = await openFolder();
  const film = await largeFile('film.mp4');
  await root().request('POST /buckets/{bucket}/uploads', {
    path: { bucket },
    body: { key: 'in/film.mp4', checksum: 'CRC64NVME' },
  });
  const puts = await steerPuts(page, bucket);
  await page.keyboard.press('Control+k');
  const field = page.getByRole('dialog').getByRole('combobox');
  await field.fill('>Unfinished uploads');
  await page.getByRole('option', { name: 'Unfinished uploads' }).first().waitFor();
  await field.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Unfinished uploads' });
  await dialog.getByText('in/film.mp4').waitFor();
  await dialog.locator('input[type=file]').setInputFiles(film);
  await dockSays(page, '1 of 1');
  expect(puts.passed).toHaveLength(3);
  expect(await uploadsOf(bucket)).toEqual([]);
  const { size } = await root().objects.get(bucket, { query: { key: 'in/film.mp4' } });
  expect(size).toBe(`${LARGE_BYTES}`);
  await context.close();
});
