// The page of an object in a real browser, under the policy that the server sends.
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addressOf,
  BUCKET,
  complaints,
  type ObjectPages,
  startObjectPages,
  valueIn,
} from '../kit/object-page.ts';
import { IS_WORKERS } from '../kit/server.ts';

let pages: ObjectPages = undefined as never;
beforeAll(async () => {
  pages = await startObjectPages();
});
afterAll(() => pages?.stop());

/** Pixels of the first picture of a viewer. */
const WIDTH = "document.querySelector('.stage img, .markdown img')?.naturalWidth";

const picture = (background: string) =>
  sharp({ create: { width: 320, height: 200, channels: 3, background } });

/** Sum of the layout shifts of the page so far, two frames after the last. */
const SHIFTS = `new Promise((resolve) => {
  let sum = 0;
  const add = (list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value;
  };
  new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum))));
})`;
/** Source: https://web.dev/articles/cls */
const GOOD_SHIFT = 0.1;

/** Largest thumbnail of a list, bytes. */
const THUMBNAIL_MAX_BYTES = 20_000;

it.skipIf(IS_WORKERS)(
  '58: pictures of a private bucket are shown small, to who may see them',
  async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const create = { width: 1600, height: 1200, channels: 3, background: 'white', noise } as const;
    const jpeg = await sharp({ create }).jpeg().toBuffer();
    await pages.put('private/noise.jpg', new Uint8Array(jpeg), { contentType: 'image/jpeg' });
    const { page, errors } = await pages.open('');
    const thumbnails: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/thumbnail?')) thumbnails.push(request.url());
    });
    for (const view of ['', '?view=gallery']) {
      await page.goto(new URL(`private/${view}`, page.url().replace(/private\/.*/, '')).href);
      const shown = "document.querySelector('.spacer img')?.naturalWidth";
      await expect.poll(() => valueIn(page, shown)).toBeGreaterThan(0);
    }
    expect(thumbnails.length).toBeGreaterThan(1);
    for (const thumbnail of thumbnails) {
      const seen = await page.request.get(thumbnail);
      expect([seen.status(), seen.headers()['content-type']]).toEqual([
        200,
        expect.stringMatching(/^image\//),
      ]);
      expect((await seen.body()).length).toBeLessThan(THUMBNAIL_MAX_BYTES);
      // Who is not signed in sees none.
      expect((await fetch(thumbnail)).status).toBe(401);
    }
    expect(errors()).toEqual([]);
  },
);

describe('the page of an object', () => {
  beforeAll(async () => {
    for (const [name, colour] of [
      ['a1', 'red'],
      ['a2', 'green'],
      ['a10', 'blue'],
    ] as const) {
      const exif = {
        IFD0: { Make: 'Canon', Model: 'Canon R6' },
        IFD3: {
          GPSLatitudeRef: 'N',
          GPSLatitude: '53/1 30/1 0/1',
          GPSLongitudeRef: 'E',
          GPSLongitude: '9/1 0/1 0/1',
        },
      };
      const jpeg = await picture(colour).withExif(exif).jpeg().toBuffer();
      await pages.put(`walk/${name}.jpg`, new Uint8Array(jpeg), { contentType: 'image/jpeg' });
    }
  });

  it('57: shows a picture, walks the folder by arrows and goes back by Esc', async () => {
    const { page, errors } = await pages.open('walk/a1.jpg');
    await page.getByText('1 of 3').waitFor();
    await page.getByText('320 × 200').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('2 of 3').waitFor();
    expect(addressOf(page)).toBe(`${BUCKET}/walk/a10.jpg`);
    await page.keyboard.press('ArrowLeft');
    await page.getByText('1 of 3').waitFor();
    await expect.poll(() => addressOf(page)).toBe(`${BUCKET}/walk/a1.jpg`);
    await page.keyboard.press('Escape');
    await expect.poll(() => addressOf(page)).toBe(`${BUCKET}/walk/`);
    expect(new URL(page.url()).searchParams.get('sel')).toBe('a1.jpg');
    expect(errors()).toEqual([]);
  });

  it('125: moves nothing on a phone when the picture comes', async () => {
    const { page } = await pages.open('walk/a1.jpg', { width: 412, height: 823, isTouch: true });
    await expect.poll(() => valueIn(page, WIDTH)).toBe(320);
    await page.locator('.versions').first().waitFor();
    const moved = await page.evaluate<number>(SHIFTS);
    expect(moved).toBeLessThan(GOOD_SHIFT);
  });

  it('57: tells the camera, and the place on demand alone', async () => {
    const { page } = await pages.open('walk/a2.jpg');
    await page.getByRole('button', { name: 'What the camera wrote' }).click();
    await page.getByText('Canon R6').waitFor();
    expect(await page.getByText('53.50000').count()).toBe(0);
    await page.getByRole('button', { name: 'Show the place' }).click();
    await page.getByText('53.50000, 9.00000').waitFor();
  });

  it('57: zooms by keys', async () => {
    const { page } = await pages.open('walk/a2.jpg');
    await expect.poll(() => valueIn(page, WIDTH)).toBe(320);
    await page.keyboard.press('1');
    await page.getByRole('button', { name: '100 %' }).waitFor();
    await page.keyboard.press('+');
    await page.getByRole('button', { name: '150 %' }).waitFor();
    expect(await valueIn(page, "document.querySelector('.stage img').offsetWidth")).toBe(480);
  });

  it('57: looks quickly by Space from the folder, and opens by Enter', async () => {
    const { page, errors } = await pages.open('walk/');
    await page.getByRole('row', { name: /a10\.jpg/ }).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('img', { name: 'a1.jpg' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await dialog.getByRole('img', { name: /^a(?:2|10)\.jpg$/ }).waitFor();
    await page.keyboard.press('Space');
    await expect.poll(() => dialog.count()).toBe(0);
    await page.keyboard.press('Space');
    await dialog.getByRole('img').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => addressOf(page)).toMatch(/a(?:2|10)\.jpg$/);
    expect(errors()).toEqual([]);
  });

  it('57: walks in a folder of more than a page', async () => {
    const names = Array.from({ length: 1030 }, (_, at) => `${at}`.padStart(4, '0'));
    const left = [...names];
    const worker = async () => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        await pages.put(`many/${name}.txt`, name, { contentType: 'text/plain' });
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    const { page } = await pages.open('many/1010.txt');
    await page.getByText('1,011 of 1,030').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('1,012 of 1,030').waitFor();
    expect(addressOf(page)).toBe(`${BUCKET}/many/1011.txt`);
    await page.keyboard.press('ArrowLeft');
    await page.getByText('1,011 of 1,030').waitFor();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => addressOf(page)).toBe(`${BUCKET}/many/1009.txt`);
    // A thousand uploads come first.
  }, 120_000);

  it('72: renames by F2 without its extension, and takes it back', async () => {
    await pages.put('rename/before.txt', 'x', { contentType: 'text/plain' });
    const { page } = await pages.open('rename/before.txt');
    await page.getByText('Details').waitFor();
    await page.keyboard.press('F2');
    await page.getByRole('dialog').getByRole('textbox').waitFor();
    await page.keyboard.type('after');
    await page.keyboard.press('Enter');
    await page.getByText('Renamed to after.txt.').waitFor();
    expect(addressOf(page)).toBe(`${BUCKET}/rename/after.txt`);
    expect(await pages.textOf('rename/after.txt')).toBe('x');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => addressOf(page)).toBe(`${BUCKET}/rename/before.txt`);
  });

  it('79: deletes to the trash, goes to the next, and takes it back', async () => {
    await pages.put('delete/a.txt', 'a');
    await pages.put('delete/b.txt', 'b');
    const { page } = await pages.open('delete/a.txt');
    await page.getByText('1 of 2').waitFor();
    await page.keyboard.press('Delete');
    await page.getByText('a.txt is in the trash.').waitFor();
    expect(addressOf(page)).toBe(`${BUCKET}/delete/b.txt`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => addressOf(page)).toBe(`${BUCKET}/delete/a.txt`);
    expect(await pages.textOf('delete/a.txt')).toBe('a');
  });

  it('124: has nothing that axe complains of, in both widths', async () => {
    await pages.put('axe/a.csv', 'a,b\n1,2\n');
    await pages.put('axe/a.ts', 'const a = 1; // one\n', { contentType: 'text/plain' });
    for (const width of [1280, 360]) {
      for (const key of ['walk/a1.jpg', 'axe/a.csv', 'axe/a.ts']) {
        const { page } = await pages.open(key, { width, isTouch: width < 720 });
        await page.getByText('Details').waitFor();
        await page.locator('.viewer img, .code-line, .cells-row').first().waitFor();
        expect([width, key, await complaints(page)]).toEqual([width, key, []]);
        const isWide = await valueIn(page, 'document.documentElement.scrollWidth > innerWidth');
        expect([width, key, isWide]).toEqual([width, key, false]);
        await page.context().close();
      }
    }
  });
});
