// Pinned places in the real browser: they belong to who signs in, not to a browser or a page.
import type { BrowserContext, Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { usePeopleKit } from './kit/people-kit.ts';

const kit = usePeopleKit(async (client) => {
  await client.buckets.create({ body: { name: 'pins' } });
  for (const key of ['trip/a.txt', 'other/b.txt']) await client.upload('pins', key, 'x');
});

beforeEach(async () => {
  await kit.client.request('PUT /me/preferences', { body: {}, ifMatch: '*' });
});

const pinned = async () => (await kit.client.request('GET /me/preferences')).pinned ?? [];
const pinOf = (page: Page) => page.locator('.side-bar').getByRole('link', { name: 'trip' });
const pin = (page: Page) => page.getByRole('button', { name: 'Pin this place' }).click();

/** Holds answers about preferences back until the result is called. */
async function holdPreferences(context: BrowserContext): Promise<() => void> {
  let letOn = () => {};
  const held = new Promise<void>((resolve) => {
    letOn = resolve;
  });
  await context.route('**/me/preferences', async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  return letOn;
}

it('22: a member keeps pinned places in every browser', async () => {
  const first = await kit.open('/b/pins/trip/');
  await pin(first.page);
  await pinOf(first.page).waitFor();
  await expect.poll(pinned).toMatchObject([{ bucket: 'pins', prefix: 'trip/' }]);
  const { page } = await kit.open('/');
  await pinOf(page).click();
  await page.getByText('a.txt').first().waitFor();
  await page.getByRole('button', { name: 'Unpin this place' }).click();
  await expect.poll(pinned).toEqual([]);
});

it('22: a pin stays that was set before the server had said which there are', async () => {
  const { page, context } = await kit.open('/');
  const letOn = await holdPreferences(context);
  await page.goto(`${kit.server.target.url}/-/console/b/pins/trip/`);
  await page.getByText('a.txt').first().waitFor();
  await pin(page);
  await pinOf(page).waitFor();
  const answered = page.waitForResponse('**/me/preferences');
  letOn();
  await answered;
  await expect.poll(pinned).toMatchObject([{ prefix: 'trip/' }]);
  await pinOf(page).waitFor();
});

it('22: no pin is lost to a page that was open before and only visits a folder', async () => {
  const older = (await kit.open('/b/pins/other/')).page;
  await older.getByText('b.txt').first().waitFor();
  const { page } = await kit.open('/b/pins/trip/');
  await pin(page);
  await expect.poll(pinned).toMatchObject([{ prefix: 'trip/' }]);
  const sent = older.waitForResponse(
    (response) => response.request().method() === 'PUT' && /preferences$/.test(response.url()),
  );
  await older.locator('nav.path').getByRole('link', { name: 'pins', exact: true }).click();
  expect((await sent).status()).toBe(200);
  expect(await pinned()).toMatchObject([{ prefix: 'trip/' }]);
  // It has learnt of the pin by that.
  await pinOf(older).waitFor();
});
