// The page of examples/ in a real browser: what is chosen there goes from the browser straight to
// the storage, at another origin; the token stays with the page's own server.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { servePage } from '../../../examples/browser-upload/server.ts';
import { bytesOf, MiB } from '../../client/client-server.ts';
import { watchErrors } from '../kit/browser.ts';
import { type ObjectPages, startObjectPages } from '../kit/object-page.ts';

let pages: ObjectPages = undefined as never;
beforeAll(async () => {
  pages = await startObjectPages();
});
afterAll(() => pages?.stop());

it('the page of examples/ sends files, small and in parts', async () => {
  const { client, target } = pages;
  const { token } = await client.tokens.create({ body: { name: 'page' } });
  const site = await servePage(target.url, token, 0);
  onTestFinished(site.end);
  const page = await pages.newPage();
  const errors = watchErrors(page);
  const sent: { readonly url: string; readonly method: string; readonly headers: string }[] = [];
  page.on('request', (request) => {
    const headers = JSON.stringify(request.headers());
    sent.push({ url: request.url(), method: request.method(), headers });
  });
  await page.goto(site.url);
  const large = bytesOf(17 * MiB);
  await page
    .locator('quayside-upload input[type=file]')
    .first()
    .setInputFiles([
      { name: 'note ü.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
      { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.from(large) },
    ]);
  const bodyOf = (key: string) =>
    client.download('uploads', key).then(
      async (download) => Buffer.from(await download.bytes()),
      () => null,
    );
  await expect.poll(() => bodyOf('in/note ü.txt')).toEqual(Buffer.from('hello'));
  await expect.poll(() => bodyOf('in/film.mp4'), { timeout: 60_000 }).not.toBeNull();
  expect(Buffer.compare((await bodyOf('in/film.mp4')) ?? Buffer.of(), large)).toBe(0);

  const puts = sent.filter(({ method }) => method === 'PUT');
  expect(puts.length).toBeGreaterThan(3);
  expect(puts.filter(({ url }) => !url.startsWith(target.url))).toEqual([]);
  expect(sent.filter(({ url, headers }) => `${url}${headers}`.includes(token))).toEqual([]);
  expect(errors).toEqual([]);
});
