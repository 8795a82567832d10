// Changes of many objects in the real browser: folders and selections that are renamed, copied or
// edited as jobs, the list of jobs, and what takes them back.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axeViolations } from '../kit/axe.ts';
import { button, dialog, usePeopleKit } from '../kit/people-kit.ts';

const LOCKED = 'changes-locked';
const BUCKETS = ['changes', 'changes-too', LOCKED];
const kit = usePeopleKit(async (client) => {
  for (const name of BUCKETS) {
    await client.buckets.create({ body: { name } });
    const lock = name === LOCKED ? { objectLock: {} } : {};
    await client.buckets.update(name, { body: { versioning: 'enabled', ...lock }, ifMatch: '*' });
  }
});

const put = async (...keys: string[]) => {
  for (const key of keys) await kit.client.upload('changes', key, new Blob([key]));
};

async function keysBelow(prefix: string, bucket = 'changes'): Promise<string[]> {
  const keys: string[] = [];
  const query = { prefix, delimiter: '' as const };
  for await (const entry of kit.client.objects.list(bucket, { query })) {
    if (entry.kind === 'object') keys.push(entry.key);
  }
  return keys;
}

const row = (page: Page, name: string) => page.locator('.spacer .row', { hasText: name });

/** Selects everything in a folder and chooses a line of the menu of its rows. */
async function actOnAll(page: Page, first: string, item: RegExp): Promise<void> {
  await row(page, first).waitFor();
  await page.getByRole('checkbox', { name: 'Select all' }).click();
  await row(page, first).locator('.text').click({ button: 'right' });
  await page.getByRole('menuitem', { name: item }).click();
}

it('73, 81: a folder is renamed as a job that copies no byte, and that is undone', async () => {
  await put('album/one.txt', 'album/sub/two.txt');
  const detailOf = (key: string) => kit.client.objects.get('changes', { query: { key } });
  const before = await detailOf('album/sub/two.txt');
  const { page, errors } = await kit.open('/b/changes/');
  await row(page, 'album').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('F2');
  const rename = dialog(page, 'Rename album');
  await rename.getByText('no byte is copied').waitFor();
  await rename.getByRole('textbox', { name: 'Name' }).fill('pictures');
  await page.keyboard.press('Enter');
  await page.getByText('Moved 2 objects from changes/album/ to changes/pictures/').waitFor();
  expect(await keysBelow('album/')).toEqual([]);
  expect(await keysBelow('pictures/')).toEqual(['pictures/one.txt', 'pictures/sub/two.txt']);
  // A move keeps what the object is, with the time at which it was written.
  const { etag, lastModified } = await detailOf('pictures/sub/two.txt');
  expect([etag, lastModified]).toEqual([before.etag, before.lastModified]);

  await page.keyboard.press('Control+z');
  await expect.poll(() => keysBelow('album/')).toEqual(['album/one.txt', 'album/sub/two.txt']);
  await row(page, 'album').waitFor();
  expect(errors).toEqual([]);
});

it('73: a folder is refused the name of another, which would join both', async () => {
  await put('first/one.txt', 'second/two.txt');
  const { page } = await kit.open('/b/changes/');
  await row(page, 'first').locator('.text').click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Rename/ }).click();
  const rename = dialog(page, 'Rename first');
  await rename.getByRole('textbox', { name: 'Name' }).fill('second');
  await page.keyboard.press('Enter');
  await rename.getByText('second/ is there already.').waitFor();
  expect(await keysBelow('first/')).toEqual(['first/one.txt']);
  // Below itself it may go: nothing of another name is touched.
  await rename.getByRole('textbox', { name: 'Name' }).fill('first/inner');
  await page.keyboard.press('Enter');
  await expect.poll(() => keysBelow('first/')).toEqual(['first/inner/one.txt']);
});

it('75: a selection is copied into another bucket, where a taken name stays', async () => {
  await put('copied/a.txt', 'copied/b.txt');
  await kit.client.upload('changes-too', 'there/a.txt', new Blob(['older']));
  const { page, errors } = await kit.open('/b/changes/copied/');
  await actOnAll(page, 'a.txt', /^Copy to/);
  const copy = dialog(page, /^Copy /);
  await copy.getByRole('combobox', { name: 'Bucket' }).selectOption('changes-too');
  await copy.getByRole('textbox', { name: 'Folder' }).fill('there');
  await copy.getByText('changes-too/there/').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await copy.getByRole('button', { name: 'Copy here' }).click();
  await page.getByText(/^Copied 1 object .* 1 stayed as they were\.$/).waitFor();
  expect(await keysBelow('copied/')).toEqual(['copied/a.txt', 'copied/b.txt']);
  expect(await keysBelow('there/', 'changes-too')).toEqual(['there/a.txt', 'there/b.txt']);
  const kept = await kit.client.download('changes-too', 'there/a.txt');
  expect(await kept.text()).toBe('older');
  expect(errors).toEqual([]);
});

it('76: a pattern renames many, shows each new name, and marks what clashes', async () => {
  await put('many/IMG_1.jpeg', 'many/IMG_2.jpeg', 'many/beach-2.jpg', 'many/other.txt');
  const { page, errors } = await kit.open('/b/changes/many/');
  await actOnAll(page, 'IMG_1.jpeg', /^Rename/);
  const rename = page.getByRole('dialog');
  await rename.getByRole('textbox', { name: 'Find' }).fill('IMG_*.jpeg');
  await rename.getByRole('textbox', { name: 'Replace with' }).fill('beach-$1.jpg');
  const names = rename.getByRole('list', { name: 'New names' }).getByRole('listitem');
  await expect.poll(() => names.count()).toBe(2);
  await expect.poll(() => names.nth(1).innerText()).toMatch(/beach-2\.jpg\s*Taken/);
  expect(await names.nth(0).innerText()).not.toContain('Taken');
  await rename.getByText('keep their name').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^Renamed 1 object /).waitFor();
  const after = ['many/IMG_2.jpeg', 'many/beach-1.jpg', 'many/beach-2.jpg', 'many/other.txt'];
  expect(await keysBelow('many/')).toEqual(after);
  await button(page, 'Undo').click();
  await expect.poll(() => keysBelow('many/')).toContain('many/IMG_1.jpeg');
  expect(errors).toEqual([]);
});

it('78: a job gives many objects another class, after it says what that may cost', async () => {
  await put('cold/a.txt', 'cold/b.txt');
  const { page, errors } = await kit.open('/b/changes/cold/');
  await actOnAll(page, 'a.txt', /^Edit/);
  const edit = page.getByRole('dialog');
  await edit.getByRole('checkbox', { name: 'Storage class' }).check();
  await edit.getByRole('textbox', { name: 'Storage class' }).fill('STANDARD_IA');
  await edit.getByText('Another class may cost more to read').waitFor();
  await edit.getByRole('button', { name: /^Change/ }).click();
  const classOf = async (key: string) =>
    (await kit.client.objects.get('changes', { query: { key } })).storageClass;
  await expect.poll(() => classOf('cold/b.txt')).toBe('STANDARD_IA');
  expect(await classOf('cold/a.txt')).toBe('STANDARD_IA');
  await button(page, 'Undo').click();
  await expect.poll(() => classOf('cold/b.txt')).toBe('STANDARD');
  expect(errors).toEqual([]);
});

it('78: the dialog locks many and one, says what is for good, and unlocks them', async () => {
  for (const key of ['a.txt', 'b.txt']) await kit.client.upload(LOCKED, key, new Blob([key]));
  const detailOf = (key: string) => kit.client.objects.get(LOCKED, { query: { key } });
  const lockOf = async (key: string) => {
    const { retention, legalHold } = await detailOf(key);
    return [retention?.mode ?? null, legalHold];
  };
  const { page, errors } = await kit.open(`/b/${LOCKED}/`);
  await actOnAll(page, 'a.txt', /^Edit/);
  const edit = page.getByRole('dialog');
  const mode = edit.getByRole('combobox', { name: 'Object lock' });
  await mode.selectOption('Compliance');
  await edit.getByText('Nobody can delete them before').waitFor();
  expect(await edit.getByRole('button', { name: /^Change/ }).isDisabled()).toBe(true);
  await mode.selectOption('Governance');
  await edit.getByLabel('Last day').fill('2090-12-31');
  await edit.getByRole('combobox', { name: 'Legal hold' }).selectOption('Yes');
  expect(await axeViolations(page)).toEqual([]);
  await edit.getByRole('button', { name: /^Change/ }).click();
  await expect.poll(() => lockOf('b.txt')).toEqual(['GOVERNANCE', true]);
  expect(await lockOf('a.txt')).toEqual(['GOVERNANCE', true]);
  await button(page, 'Undo').click();
  await expect.poll(() => lockOf('b.txt')).toEqual([null, false]);

  await page.keyboard.press('Escape');
  await row(page, 'a.txt').locator('.text').click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Edit/ }).click();
  const one = dialog(page, 'Edit a.txt');
  await one.getByRole('combobox', { name: 'Legal hold' }).selectOption('Yes');
  await one.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => lockOf('a.txt')).toEqual([null, true]);
  expect(await lockOf('b.txt')).toEqual([null, false]);
  expect(errors).toEqual([]);
});

it('81, 82: the list has jobs of all buckets, and undoes those of an earlier page', async () => {
  await put('old/a.txt');
  await kit.client.upload('changes-too', 'old/b.txt', new Blob(['b']));
  const start = (bucket: string, to: string) =>
    kit.client.jobs.start(bucket, { body: { kind: 'move', prefix: 'old/', to } });
  await start('changes', 'new/');
  await start('changes-too', 'new/');
  await expect.poll(() => keysBelow('new/')).toEqual(['new/a.txt']);
  await expect.poll(() => keysBelow('new/', 'changes-too')).toEqual(['new/b.txt']);

  const { page, errors } = await kit.open('/jobs');
  const job = (bucket: string) =>
    page.getByRole('row', { name: `Moved 1 object from ${bucket}/old/ to ${bucket}/new/` });
  await job('changes-too').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await job('changes').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => keysBelow('old/')).toEqual(['old/a.txt']);
  await job('changes').getByText('Undone').waitFor();
  expect(await keysBelow('old/', 'changes-too')).toEqual([]);
  await page.reload();
  await job('changes').getByText('Undone').waitFor();
  await page.getByText('Failed', { exact: true }).click();
  await page.getByText('Nothing matches the filter.').waitFor();
  expect(new URL(page.url()).search).toBe('?state=failed');
  expect(errors).toEqual([]);
});

it('79: a deletion says of objects, too, what is saved once they are gone', async () => {
  await kit.client.buckets.create({ body: { name: 'changes-plain' } });
  await kit.client.upload('changes-plain', 'large.bin', new Blob([new Uint8Array(16 * 1024 ** 2)]));
  await kit.client.upload('changes-plain', 'small.txt', new Blob(['small']));
  const { page, errors } = await kit.open('/b/changes-plain/');
  for (const [name, money] of [
    ['large.bin', /^\$0\.000\d a month$/],
    ['small.txt', /^<\$0\.0001 a month$/],
  ] as const) {
    await row(page, name).locator('.text').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const saved = page.getByRole('dialog').locator('.effects dd');
    await saved.waitFor();
    expect(await saved.textContent()).toMatch(money);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  expect(errors).toEqual([]);
});

it('82: a job shows how far it is, and is cancelled', async () => {
  await put('slow/a.txt');
  const { id } = await kit.client.jobs.start('changes', {
    body: { kind: 'copy', prefix: 'slow/', to: 'slow-copy/' },
  });
  await expect.poll(() => keysBelow('slow-copy/')).toEqual(['slow-copy/a.txt']);
  const { page } = await kit.open('/');
  // The page is told that the job is at a third of its objects.
  await page.route('**/-/api/v1/jobs?*', async (route) => {
    const { items, nextCursor } = await (await route.fetch()).json();
    const counts = { done: 400, bytes: '0', missing: 0, conflicts: 0, locked: 0 };
    const own = items.filter((job: { id: string }) => job.id === id);
    const running = own.map((job: object) => ({ ...job, state: 'running', counts, total: 1200 }));
    await route.fulfill({ json: { items: running, nextCursor } });
  });
  await page.getByRole('link', { name: 'Jobs' }).first().click();
  await page.getByText('Copying 1,200 objects').waitFor();
  await page.getByText('400 of 1,200').waitFor();
  await page.getByText('1 running').waitFor();
  const cancelling = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith(`/jobs/${id}/cancel`),
  );
  await button(page, 'Cancel').click();
  await cancelling;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
