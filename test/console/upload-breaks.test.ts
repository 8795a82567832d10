// Uploads in a real browser that are paused, cancelled, cut, reloaded, or begun elsewhere.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../node/kit/temporary-folder.ts';
import { dropFiles } from './kit/drop-files.ts';
import {
  bodiesOf,
  choose,
  dockSays,
  LARGE_BYTES,
  largeFile,
  openFolder,
  root,
  steerPuts,
  uploadsOf,
  useUploadPages,
} from './kit/upload-page.ts';

useUploadPages();

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
  const stored: string[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'PUT') stored.push(response.url());
  });
  await choose(page, [film]);
  await expect.poll(() => stored.length).toBe(2);
  await page.reload({ waitUntil: 'networkidle' });
  await page.unroute(isMeant);
  await dockSays(page, 'One file to in was interrupted.');
  puts.passed.splice(0);
  await page.getByRole('button', { name: 'Choose them again' }).click();
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

it('43: goes on with an upload that another device began, with the same file', async () => {
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
