// Viewers of objects of gigabytes in a real browser: what is seen, how soon, and for how few bytes.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { largeFilm } from '../kit/large-film.ts';
import { putOfPieces } from '../kit/large-objects.ts';
import {
  BUCKET,
  MEGABYTE,
  type ObjectPages,
  startObjectPages,
  valueIn,
} from '../kit/object-page.ts';

const GIGABYTE = 1000 * MEGABYTE;

let pages: ObjectPages = undefined as never;
beforeAll(async () => {
  pages = await startObjectPages();
});
afterAll(() => pages?.stop());

/** Counts bytes of objects that arrive, also of responses that the browser leaves half read. */
async function countArrivals(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  const objects = new Set<string>();
  let arrived = 0;
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.includes('X-Amz-Signature')) objects.add(requestId);
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (objects.has(requestId)) arrived += dataLength;
  });
  await session.send('Network.enable');
  return () => arrived;
}

/** Seeks in the film; milliseconds until the picture stands. */
const seek = (page: Page, second: number) =>
  page.evaluate<number>(`(async () => {
    const film = document.querySelector('video');
    const at = performance.now();
    const over = new Promise((resolve) => film.addEventListener('seeked', resolve, { once: true }));
    film.currentTime = ${second};
    await over;
    return performance.now() - at;
  })()`);

/** Red, green and blue of the middle of the picture that stands. */
const colour = (page: Page) =>
  page.evaluate<number[]>(`{
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    context.drawImage(document.querySelector('video'), 0, 0);
    [...context.getImageData(32, 32, 1, 1).data].slice(0, 3);
  }`);

it('59: a film of 10 GB is sought in within a second, for few of its bytes', async () => {
  const film = await largeFilm(300);
  const place = { bucket: BUCKET, key: 'large/film.mp4', contentType: 'video/mp4' };
  const sizeBytes = await putOfPieces(pages.target, place, film.pieces);
  expect(sizeBytes).toBeGreaterThan(10 * GIGABYTE);

  const { page, errors } = await pages.open('');
  const arrived = await countArrivals(page);
  await page.goto(new URL('large/film.mp4', page.url()).href);
  const duration = () => valueIn(page, "document.querySelector('video')?.duration");
  await expect.poll(duration).toBeCloseTo(film.seconds, 0);
  const took: number[] = [];
  const { seconds, blueFromSeconds } = film;
  for (const second of [seconds / 2, 5, seconds - 30, blueFromSeconds - 20, seconds - 3]) {
    took.push(await seek(page, second));
    const [red = 0, , blue = 0] = await colour(page);
    expect([second, blue > red]).toEqual([second, second > blueFromSeconds]);
  }
  // The quickest: this machine may do much else meanwhile.
  expect(Math.min(...took)).toBeLessThan(1000);
  expect(arrived()).toBeLessThan(20 * MEGABYTE);
  expect(errors()).toEqual([]);
});

it('65: a table of 5 GB is shown, and gone on in, for a page of bytes each', async () => {
  const row = (at: number) => `${at},"Person, ${at}",${(at * 7919) % 10_007}\n`;
  const block = Array.from({ length: 400_000 }, (_, at) => row(at)).join('');
  const times = Math.ceil((5 * GIGABYTE) / block.length);
  const place = { bucket: BUCKET, key: 'large/table.csv', contentType: 'text/csv' };
  await putOfPieces(pages.target, place, [
    { body: Buffer.from(`id,name,amount\n${block}`), times: 1 },
    { body: Buffer.from(block), times },
  ]);

  const { page, errors, fetched } = await pages.open('large/table.csv');
  await page.getByRole('cell', { name: 'Person, 3', exact: true }).waitFor();
  await page.locator('.status-line').getByText('of 5.0').waitFor();
  expect(fetched()).toBeLessThan(0.6 * MEGABYTE);

  // To the end of what is loaded: one more page comes, and its rows stand below.
  const last = () => page.getByRole('table').getAttribute('aria-rowcount').then(Number);
  const before = await last();
  await page.locator('.cells').focus();
  await page.keyboard.press('End');
  await expect.poll(last).toBeGreaterThan(before);
  await page.locator(`.cells-row[aria-rowindex="${before}"]`).waitFor();
  expect(fetched()).toBeLessThan(1.2 * MEGABYTE);
  expect(errors()).toEqual([]);
});
