// The trash and the editing of headers, metadata and tags, in the real browser.
import { expect, it } from 'vitest';
import { axeViolations } from './kit/axe.ts';
import { button, dialog, usePeopleKit } from './kit/people-kit.ts';

const kit = usePeopleKit(async (client) => {
  await client.buckets.create({ body: { name: 'trash-a' } });
  await client.trash.setSettings('trash-a', { body: { days: 30 }, ifMatch: '*' });
  await client.buckets.create({ body: { name: 'trash-off' } });
  for (const key of ['a.txt', 'in/b.txt', 'in/c.txt', 'd.txt']) {
    await client.upload('trash-a', key, new Blob([key]));
    await client.objects.delete('trash-a', { query: { key }, ifMatch: '*' });
  }
  await client.upload('trash-a', 'live.css', new Blob(['body {}']), { contentType: 'text/css' });
});

async function keysOf(bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const entry of kit.client.objects.list(bucket, { query: { delimiter: '' } })) {
    if (entry.kind === 'object') keys.push(entry.key);
  }
  return keys;
}

async function trashOf(bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of kit.client.trash.list(bucket)) keys.push(key);
  return keys;
}

it('80: the trash shows what is deleted, brings it back to its place and to another', async () => {
  const { page, errors } = await kit.open('/trash');
  await page.getByRole('combobox', { name: 'Bucket' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Bucket' }).inputValue()).toBe('trash-a');
  await page.getByRole('checkbox', { name: 'Choose a.txt' }).check();
  expect(await axeViolations(page)).toEqual([]);
  await button(page, 'Restore 1 object').click();
  await expect.poll(() => keysOf('trash-a')).toContain('a.txt');
  await page.getByRole('checkbox', { name: 'Choose a.txt' }).waitFor({ state: 'detached' });

  await page.getByRole('checkbox', { name: 'Choose in/b.txt' }).check();
  await page.getByRole('checkbox', { name: 'Choose in/c.txt' }).check();
  await button(page, 'Restore elsewhere').click();
  await dialog(page, 'Restore 2 objects elsewhere').getByLabel('Folder').fill('rescued');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => keysOf('trash-a'))
    .toEqual(['a.txt', 'live.css', 'rescued/b.txt', 'rescued/c.txt']);
  expect(errors).toEqual([]);
});

it('80: the trash is emptied only when the name is typed, and says how long it keeps', async () => {
  const { page, errors } = await kit.open('/trash?b=trash-a');
  await button(page, 'Kept 30 days').click();
  const days = dialog(page, 'How long trash-a keeps what is deleted');
  await days.getByLabel('Days').fill('0');
  await days.getByText('Write a whole number').waitFor();
  await days.getByLabel('Days').fill('7');
  await days.getByText('can come back for 7 days').waitFor();
  await page.keyboard.press('Enter');
  await button(page, 'Kept 7 days').waitFor();
  const filter = page.getByRole('searchbox', { name: 'Names that begin with' });
  await filter.fill('nothing begins so');
  await page.getByText('Nothing matches the filter.').waitFor();
  await button(page, 'Clear the filter').click();
  await page.getByRole('checkbox', { name: 'Choose d.txt' }).waitFor();
  expect(await kit.client.trash.settings('trash-a')).toEqual({ days: 7 });

  expect(await trashOf('trash-a')).toContain('d.txt');
  await button(page, 'Empty the trash').click();
  const empty = dialog(page, 'Empty the trash of trash-a');
  await empty.getByLabel('Type trash-a to go on').fill('trash');
  await page.keyboard.press('Enter');
  expect(await trashOf('trash-a')).toContain('d.txt');
  await empty.getByLabel('Type trash-a to go on').fill('trash-a');
  await empty.getByRole('button', { name: 'Delete for good' }).click();
  await expect.poll(() => trashOf('trash-a')).toEqual([]);
  await page.getByText('The trash is empty').waitFor();

  await page.getByRole('combobox', { name: 'Bucket' }).selectOption('trash-off');
  await page.getByText('This bucket keeps nothing that is deleted').waitFor();
  expect(errors).toEqual([]);
});

it('77: the form edits headers of one object, and shows both sides of a clash', async () => {
  const { page } = await kit.open('/b/trash-a/');
  // A person holds the button for some frames.
  await page.getByText('live.css').first().hover();
  await page.mouse.down({ button: 'right' });
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => setTimeout(done))).then(() => {})',
  );
  await page.mouse.up({ button: 'right' });
  await page.getByRole('menuitem', { name: /Edit/ }).click();
  const edit = dialog(page, 'Edit live.css');
  await edit.getByLabel('Content-Type').waitFor();
  expect(await edit.getByLabel('Content-Type').inputValue()).toBe('text/css');
  await edit.getByRole('button', { name: 'A year, it never changes' }).click();
  await edit.getByText('Cache-Control of live.css change').waitFor();
  expect(await axeViolations(page)).toEqual([]);

  const query = { key: 'live.css' };
  const body = { cacheControl: 'no-cache' };
  await kit.client.objects.update('trash-a', { query, body, ifMatch: '*' });
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.getByText('By now it is: no-cache').waitFor();
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  const object = await kit.client.objects.get('trash-a', { query });
  expect(object.cacheControl).toBe('public, max-age=31536000, immutable');
});

it('77: the form edits many as a job that can be undone', async () => {
  for (const key of ['many/a.txt', 'many/b.txt']) {
    await kit.client.upload('trash-a', key, new Blob([key]));
  }
  const { page, errors } = await kit.open('/b/trash-a/many/');
  await page.getByText('b.txt').first().waitFor();
  await page.getByRole('checkbox', { name: 'Select all' }).click();
  await page.getByText('b.txt').first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: /Edit/ }).click();
  const edit = page.getByRole('dialog');
  await edit.getByRole('checkbox', { name: 'Tags' }).check();
  await edit.getByRole('textbox', { name: 'Tags' }).fill('project: harbour');
  await edit.getByRole('button', { name: /^Change/ }).click();
  const tagsOf = async (key: string) =>
    (await kit.client.objects.get('trash-a', { query: { key } })).tags;
  await expect.poll(() => tagsOf('many/b.txt')).toEqual({ project: 'harbour' });
  await button(page, 'Undo').click();
  await expect.poll(() => tagsOf('many/b.txt')).toEqual({});
  expect(errors).toEqual([]);
});
