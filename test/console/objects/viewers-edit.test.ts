// Editing of texts, clashes with others, versions and comparisons in a real browser.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BUCKET,
  complaints,
  type ObjectPages,
  startObjectPages,
  valueIn,
} from '../kit/object-page.ts';

let pages: ObjectPages = undefined as never;
beforeAll(async () => {
  pages = await startObjectPages();
});
afterAll(() => pages?.stop());

describe('editing', () => {
  const facts = { contentType: 'text/markdown; charset=utf-8', metadata: { author: 'ada' } };
  const edit = async (page: Page) => {
    await page.getByRole('button', { name: 'Edit' }).click();
    return page.getByRole('textbox', { name: /^Edit / });
  };

  it('64: an edit is saved by a key and keeps type, metadata and tags', async () => {
    const key = 'edit/keep.txt';
    await pages.put(key, 'one\n', facts);
    await pages.client.objects.update(BUCKET, {
      query: { key },
      body: { tags: { stage: 'draft one' } },
      ifMatch: await pages.client.objects.get(BUCKET, { query: { key } }),
    });
    const { page, errors } = await pages.open(key);
    await page.getByRole('button', { name: 'Source' }).click();
    const field = await edit(page);
    await field.fill('two\n');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved.').waitFor();
    expect(await pages.textOf(key)).toBe('two\n');
    const stored = await pages.client.objects.get(BUCKET, { query: { key } });
    expect(stored).toMatchObject({ ...facts, tags: { stage: 'draft one' } });
    expect(errors()).toEqual([]);
  });

  it('64: an edit keeps the ends of lines that were there', async () => {
    const key = 'edit/windows.txt';
    await pages.put(key, 'one\r\ntwo\r\n', { contentType: 'text/plain' });
    const { page } = await pages.open(key);
    await (await edit(page)).fill('one\nthree\n');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved.').waitFor();
    expect(await pages.textOf(key)).toBe('one\r\nthree\r\n');
  });

  it('64: an edit writes into a text that is empty', async () => {
    const key = 'edit/empty.md';
    await pages.put(key, '', { contentType: 'text/markdown' });
    const { page, errors } = await pages.open(key);
    await page.getByText('This object is empty').waitFor();
    await page.getByText('0 lines').waitFor();
    await (await edit(page)).fill('first\n');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved.').waitFor();
    expect(await pages.textOf(key)).toBe('first\n');
    await pages.put('edit/empty.png', '', { contentType: 'image/png' });
    const picture = await pages.open('edit/empty.png');
    await picture.page.getByText('This object is empty').waitFor();
    expect(await picture.page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    expect(errors()).toEqual([]);
  });

  it('64, 102: a clash shows both sides, merges them and saves', async () => {
    const key = 'edit/clash.txt';
    await pages.put(key, 'a\nb\nc\nd\ne\n', { contentType: 'text/plain' });
    const { page } = await pages.open(key);
    const field = await edit(page);
    await field.fill('MINE\nb\nc\nd\ne\n');
    await pages.put(key, 'a\nb\nc\nd\nTHEIRS\n', { contentType: 'text/plain' });
    await page.keyboard.press('Control+s');
    await page.getByText('Somebody saved this object while you edited it').waitFor();
    expect(await pages.textOf(key)).toContain('THEIRS');
    await page.locator('.diff-line.is-added').getByText('MINE').waitFor();
    await page.locator('.diff-line.is-removed').getByText('THEIRS').waitFor();
    expect(await complaints(page)).toEqual([]);
    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Merged. Look it over, then save.').waitFor();
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('Saved.').waitFor();
    expect(await pages.textOf(key)).toBe('MINE\nb\nc\nd\nTHEIRS\n');
  });

  it('102: the editor of a clash keeps both', async () => {
    const key = 'edit/both.txt';
    await pages.put(key, 'a\n', { contentType: 'text/plain' });
    const { page } = await pages.open(key);
    await (await edit(page)).fill('mine\n');
    await pages.put(key, 'theirs\n', { contentType: 'text/plain' });
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Keep both' }).click();
    await page.getByText('Yours is saved as both (2).txt.').waitFor();
    expect([await pages.textOf(key), await pages.textOf('edit/both (2).txt')]).toEqual([
      'theirs\n',
      'mine\n',
    ]);
  });

  it('127: what was typed and not saved is there after a reload', async () => {
    const key = 'edit/draft.txt';
    await pages.put(key, 'a\n', { contentType: 'text/plain' });
    const { page } = await pages.open(key);
    await (await edit(page)).fill('typed\n');
    const kept = "Object.keys(sessionStorage).filter((name) => name.startsWith('quayside-draft '))";
    await expect.poll(() => valueIn(page, kept)).toHaveLength(1);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    const field = await edit(page);
    expect(await field.inputValue()).toBe('typed\n');
    await page.getByText('You had typed this before and not saved it.').waitFor();
    await page.getByRole('button', { name: 'Discard it' }).click();
    expect(await field.inputValue()).toBe('a\n');
  });
});

describe('versions', () => {
  it('84, 85: older ones are compared, restored and deleted', async () => {
    const key = 'versions/a.txt';
    for (const text of ['one\nsame\n', 'two\nsame\n', 'three\nsame\n']) {
      await pages.put(key, text, { contentType: 'text/plain' });
    }
    const { page, errors } = await pages.open(key);
    const versions = page.locator('.versions li');
    await expect.poll(() => versions.count()).toBe(3);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('The bytes differ').waitFor();
    await page.locator('.diff-line.is-removed').getByText('two').waitFor();
    await page.locator('.diff-line.is-added').getByText('three').waitFor();
    expect(await complaints(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await versions.last().getByRole('button', { name: 'More about this version' }).click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    await page.getByText('Restored as the current version.').waitFor();
    expect(await pages.textOf(key)).toBe('one\nsame\n');
    await expect.poll(() => versions.count()).toBe(4);

    await page.getByRole('button', { name: 'Delete older versions' }).click();
    await page.getByText('3 older versions').waitFor();
    await page.getByRole('button', { name: 'Delete 3 for good' }).click();
    await expect.poll(() => versions.count()).toBe(1);
    expect(await pages.textOf(key)).toBe('one\nsame\n');
    expect(errors()).toEqual([]);
  });

  it('84: an older one is shown by its address', async () => {
    const key = 'versions/b.txt';
    await pages.put(key, 'old text', { contentType: 'text/plain' });
    const { versionId } = await pages.client.objects.get(BUCKET, { query: { key } });
    await pages.put(key, 'new text', { contentType: 'text/plain' });
    const { page } = await pages.open(`${key}?version=${versionId}&panel=versions`);
    await page.getByText('old text').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show the current one' }).click();
    await page.getByText('new text').waitFor();
  });

  it('71: two objects with the same bytes are found equal without a read', async () => {
    for (const name of ['a', 'b']) await pages.put(`same/${name}.bin`, new Uint8Array(100_000));
    const { page, fetched } = await pages.open('same/a.bin');
    await page.getByText('00000010').waitFor();
    const before = fetched();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Compare with another object' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(`s3://${BUCKET}/same/b.bin`);
    await dialog.getByRole('button', { name: 'Compare' }).click();
    await dialog.getByText('The bytes are the same').waitFor();
    expect(fetched()).toBe(before);
  });
});
