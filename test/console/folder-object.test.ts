// Objects that are a folder themselves, `a/`: they are no row of it, and stay within reach.
import { expect, it } from 'vitest';
import { button, usePeopleKit } from './kit/people-kit.ts';

/** More names than one page, so that rows are found by their rank. */
const MANY = 1200;

const kit = usePeopleKit(async (client) => {
  await client.buckets.create({ body: { name: 'marked' } });
  await client.upload('marked', 'trip/', new Blob([]), { contentType: 'application/x-directory' });
  await client.upload('marked', 'empty/', new Blob([]));
  for (const key of ['trip/a.txt', 'trip/b.txt', 'trip/raw/c.txt']) {
    await client.upload('marked', key, 'x');
  }
  await client.upload('marked', 'many/', new Blob([]));
  for (let from = 0; from < MANY; from += 60) {
    const numbers = Array.from({ length: 60 }, (_, at) => from + at);
    await Promise.all(
      numbers.map((number) => client.upload('marked', `many/${1000 + number}.txt`, 'x')),
    );
  }
});

it('36: a folder with an object of its own shows what is in it, and no nameless row', async () => {
  const { page, errors } = await kit.open('/b/marked/trip/');
  const names = () => page.locator('.spacer .row .text').allTextContents();
  await expect.poll(names).toEqual(['raw', 'a.txt', 'b.txt']);
  for (const sort of ['-name', 'size', '-size', 'modified']) {
    await page.goto(page.url().replace(/\?.*|$/, `?sort=${sort}`), { waitUntil: 'networkidle' });
    await expect.poll(async () => (await names()).toSorted()).toEqual(['a.txt', 'b.txt', 'raw']);
  }
  await page.goto(page.url().replace(/trip\/.*/, 'empty/'));
  await page.getByText('Nothing in empty yet').waitFor();
  expect(errors).toEqual([]);
});

it('36: ranks of a folder of many pages are right without it', async () => {
  const { page } = await kit.open('/b/marked/many/?sort=-name');
  const row = (name: string) => page.locator('.spacer .row .text', { hasText: name });
  await row('2199.txt').waitFor();
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toMatch(/^120[01]$/);
  await page.getByRole('grid').press('End');
  await row('1000.txt').waitFor();
  await expect.poll(() => page.locator('.spacer .row .text').allTextContents()).not.toContain('');
});

it('36: its metadata and its deletion are reached from the inspector', async () => {
  const { page } = await kit.open('/b/marked/?sel=trip/&panel=details');
  await page.getByRole('link', { name: 'The object of this folder itself' }).click();
  await page.getByText('application/x-directory').first().waitFor();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').waitFor();
  await button(page, /^Delete.*for good/).click();
  await expect
    .poll(
      async () =>
        (await kit.client.objects.list('marked', { query: { prefix: 'trip/' } }).next()).value,
    )
    .toMatchObject({ key: 'trip/a.txt' });
  await page.locator('.spacer .row .text', { hasText: 'a.txt' }).waitFor();
});
