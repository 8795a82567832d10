// Drop links in the real browser: made from a folder and from the list, looked after, their files
// released, deleted and found again.
import { expect, it } from 'vitest';
import type { DropLink } from '../../../src/client/index.ts';
import { axeViolations } from '../kit/axe.ts';
import { createDrop, createLink, getDrop, sendFiles } from '../kit/link-calls.ts';
import { dialog, showPage, usePeopleKit } from '../kit/people-kit.ts';

const kit = usePeopleKit(async (client) => {
  await client.buckets.create({ body: { name: 'drops-a' } });
  for (const key of ['trip/a.txt', 'z.txt']) await client.upload('drops-a', key, new Blob([key]));
});

const QUARANTINE = 'quarantine/0001/';
const makeDrop = (body: object = {}): Promise<DropLink> =>
  createDrop(kit.client, 'drops-a', { prefix: 'in/', template: '{name}', ...body });
const pathOf = ({ id }: DropLink): string => `/links/drop/drops-a/${id}`;

/** The newest drop link of the bucket. */
async function newest(): Promise<DropLink | undefined> {
  const path = { bucket: 'drops-a' };
  const { items } = await kit.client.request('GET /buckets/{bucket}/drop-links', { path });
  return items.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0];
}

const exists = (key: string): Promise<boolean> =>
  kit.client
    .request('GET /buckets/{bucket}/object', { path: { bucket: 'drops-a' }, query: { key } })
    .then(
      () => true,
      () => false,
    );

it('a drop link into a folder is made by two keys, and takes files at once', async () => {
  const { page, errors } = await kit.open('/b/drops-a/trip/');
  await page.locator('.spacer .row').first().waitFor();
  await page.keyboard.press('a');
  const ask = dialog(page, 'Ask for files');
  await ask.getByText('1,000 files, 50.0 GB in all, into drops-a/trip/').waitFor();
  await page.keyboard.press('Control+Enter');
  const made = dialog(page, 'The link is ready');
  const url = await made.getByLabel('Link', { exact: true }).inputValue();
  const link = await newest();
  expect(link).toMatchObject({ url, prefix: 'trip/', quarantine: null, state: 'open' });
  if (link === undefined) return;
  await made.getByRole('link', { name: 'Inbox' }).click();
  await page.getByText('Nothing has come yet').waitFor();
  await sendFiles(link, { name: 'Ada' }, { 'b.txt': 'hello' });
  await page.getByRole('button', { name: 'Look again' }).click();
  await page.getByRole('link', { name: 'b.txt' }).click();
  const today = new Date().toISOString().slice(0, 10);
  await page.waitForURL(`**/b/drops-a/trip/${today}/Ada/b.txt`);
  expect(errors).toEqual([]);
});

it('the form of the list makes a link, says what is wrong, and shows an example', async () => {
  const { page, errors } = await kit.open('/links');
  await page.getByRole('button', { name: 'Ask for files' }).click();
  const ask = dialog(page, 'Ask for files');
  await ask.getByLabel('Bucket').selectOption('drops-a');
  await ask.getByLabel('What for').fill('Photos');
  await ask.getByLabel('Into the folder').fill('../x');
  await ask.getByText('A path without empty names').waitFor();
  await ask.getByLabel('Into the folder').fill('photos/of');
  await ask.getByLabel('Files wait in quarantine').check();
  await ask.getByText('More', { exact: true }).click();
  await ask.getByLabel('Names of the files').fill('{mail}/{file}');
  await ask.getByText('For example photos/of/ada@example.org/1.jpg').waitFor();
  await ask.getByLabel('Their mail address').selectOption('required');
  await ask.getByLabel('Largest file, GB').fill('0.5');
  await ask.getByLabel('Only these types').fill('image/*');
  expect(await axeViolations(page)).toEqual([]);
  await ask.getByRole('button', { name: 'Make the link' }).click();
  await dialog(page, 'The link is ready').waitFor();
  const link = await newest();
  expect(link).toMatchObject({
    prefix: 'photos/of/',
    template: '{mail}/{file}',
    limits: { fileBytes: 500_000_000, files: 1000, types: ['image/*'] },
    page: { title: 'Photos', name: 'required', mail: 'required', note: 'optional' },
  });
  expect(link?.quarantine).toMatch(/^quarantine\//);
  expect(errors).toEqual([]);
});

it('the form proposes a private bucket, and says where everyone can read the files', async () => {
  await kit.client.buckets.create({ body: { name: 'aa-open' } });
  await kit.client.buckets.update('aa-open', { body: { publicAccess: 'read' }, ifMatch: '*' });
  await kit.client.buckets.create({ body: { name: 'ab-part' } });
  const statement = {
    Effect: 'Allow',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: 'arn:aws:s3:::ab-part/open/*',
  };
  const policy = { Version: '2012-10-17', Statement: [statement] };
  await kit.client.buckets.update('ab-part', { body: { policy }, ifMatch: '*' });

  const { page, errors } = await kit.open('/links');
  await page.getByRole('button', { name: 'Ask for files' }).click();
  const ask = dialog(page, 'Ask for files');
  await ask.getByText('into drops-a/').waitFor();
  expect(await ask.getByLabel('Bucket').inputValue()).toBe('drops-a');
  expect(await ask.getByText('public').count()).toBe(0);

  await ask.getByLabel('Bucket').selectOption('aa-open');
  await ask.getByText('aa-open/ is public: everyone can read what comes in.').waitFor();
  await ask.getByLabel('Files wait in quarantine').check();
  await ask.getByText('aa-open/quarantine/ is public').waitFor();
  expect(await axeViolations(page)).toEqual([]);

  await ask.getByLabel('Files wait in quarantine').uncheck();
  await ask.getByLabel('Bucket').selectOption('ab-part');
  await ask.getByText('ab-part/ is partly public').waitFor();
  await ask.getByLabel('Into the folder').fill('open');
  await ask.getByText('ab-part/open/ is public').waitFor();
  await ask.getByLabel('Into the folder').fill('closed');
  await ask.getByText('ab-part/open/ is public').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});

it('a row asks for files of its folder, and the menu of a bucket for the bucket', async () => {
  const { page, errors } = await kit.open('/b/drops-a/');
  const row = page.locator('.spacer .row').filter({ hasText: 'trip' });
  await row.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Ask for files' }).waitFor();
  const items = await page.locator('.menu [role^=menuitem]').allInnerTexts();
  expect([items.at(0), items.at(-1)]).toEqual(['Open', expect.stringMatching(/^Delete/)]);
  await page.getByRole('menuitem', { name: 'Ask for files' }).click();
  const ask = dialog(page, 'Ask for files');
  expect(await ask.getByLabel('Into the folder').inputValue()).toBe('trip/');
  await page.keyboard.press('Escape');
  await ask.waitFor({ state: 'detached' });
  await page.locator('.spacer .row').filter({ hasText: 'z.txt' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Ask for files' }).count()).toBe(0);
  await page.getByRole('menuitem', { name: 'Open', exact: true }).click();
  await page.waitForURL('**/b/drops-a/z.txt');
  await page.goto(`${kit.server.target.url}/-/console/buckets`);
  await page.getByRole('row').filter({ hasText: 'drops-a' }).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Ask for files' }).click();
  await ask.getByText('into drops-a/').waitFor();
  expect(errors).toEqual([]);
});

it('one file is released, then all, and a release is undone', async () => {
  const link = await makeDrop({
    quarantine: QUARANTINE,
    prefix: 'released/',
    page: { note: 'optional' },
  });
  await sendFiles(link, { name: 'Ada', note: 'From <b>me</b>' }, { 'a.txt': 'a', 'b.txt': 'b' });
  await sendFiles(link, { name: 'Grace' }, { 'c.txt': 'c' });
  const { page, errors } = await kit.open(pathOf(link));
  const ada = page.getByRole('region', { name: 'Ada' });
  await ada.getByText('From <b>me</b>').waitFor();
  await ada.getByRole('checkbox', { name: 'Select a.txt' }).check();
  await page.getByText('1 selected').waitFor();
  await page.getByRole('button', { name: 'Release', exact: true }).click();
  const row = ada.getByRole('listitem').filter({ hasText: 'a.txt' });
  await row.getByText('Received').waitFor();
  expect(await row.getByRole('link').getAttribute('title')).toBe('released/a.txt');
  expect(await Promise.all([exists('released/a.txt'), exists('released/b.txt')])).toEqual([
    true,
    false,
  ]);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Waiting').waitFor();
  expect(await exists(`${QUARANTINE}a.txt`)).toBe(true);

  await page.getByRole('button', { name: 'Clear the selection' }).click();
  await page.getByRole('button', { name: 'Release all' }).click();
  await expect.poll(() => page.getByText('Received', { exact: true }).count()).toBe(3);
  expect(await page.getByRole('button', { name: /^Release/ }).count()).toBe(0);
  expect(await exists('released/c.txt')).toBe(true);
  expect(errors).toEqual([]);
});

it('the inbox deletes what came, and says of each file what became of it', async () => {
  const link = await makeDrop({ prefix: 'deleted/' });
  await sendFiles(link, { name: 'Ada' }, { 'a.txt': 'a', 'b.txt': 'b' });
  const { page, errors } = await kit.open(pathOf(link));
  await page.getByRole('button', { name: 'Actions for a.txt' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog(page, /^Delete/)
    .getByRole('button', { name: 'Delete' })
    .click();
  const row = page.getByRole('listitem').filter({ hasText: 'a.txt' });
  await row.getByText('Not there any more').waitFor();
  expect(await row.getByRole('link').count()).toBe(0);
  expect(await Promise.all([exists('deleted/a.txt'), exists('deleted/b.txt')])).toEqual([
    false,
    true,
  ]);
  expect(errors).toEqual([]);
});

it('a link is switched off and on again, changed, and deleted; its history says so', async () => {
  const link = await makeDrop({ page: { title: 'Plans', colour: '#aabbcc' } });
  const { page, errors } = await kit.open(pathOf(link));
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('button', { name: 'Switch on' }).waitFor();
  expect((await getDrop(kit.client, 'drops-a', link.id)).state).toBe('revoked');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Switch off' }).waitFor();
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('Opened again').waitFor();
  expect(await history.getByRole('listitem').count()).toBe(3);

  const menu = page.getByRole('button', { name: 'What can be done with the link to Plans' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  const change = dialog(page, 'What the link takes');
  await change.getByText('More', { exact: true }).click();
  await change.getByLabel('Files at most').fill('5');
  await change.getByRole('button', { name: 'Save' }).click();
  await change.waitFor({ state: 'detached' });
  await history.getByText('limits').waitFor();
  expect(await getDrop(kit.client, 'drops-a', link.id)).toMatchObject({
    limits: { files: 5, fileBytes: null },
    page: { title: 'Plans', colour: '#aabbcc' },
    expiresAt: null,
  });

  await menu.click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog(page, 'Delete the link: Plans').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL('**/links');
  await expect(getDrop(kit.client, 'drops-a', link.id)).rejects.toMatchObject({ status: 404 });
  expect(errors).toEqual([]);
});

it('the list has both kinds of link with what came, waits, and was downloaded', async () => {
  const link = await makeDrop({
    quarantine: 'quarantine/0002/',
    prefix: 'listed/',
    note: 'drop note',
  });
  await sendFiles(link, { name: 'Ada' }, { 'a.txt': 'four', 'b.txt': 'four' });
  const shared = await createLink(kit.client, 'drops-a', {
    target: { kind: 'object', key: 'z.txt', versionId: null },
    note: 'share note',
  });
  for (const _ of [1, 2]) expect(await (await fetch(shared.url)).text()).toBe('z.txt');
  const { page, errors } = await kit.open('/links');
  const share = page.getByRole('row').filter({ hasText: 'share note' });
  const drop = page.getByRole('row').filter({ hasText: 'drop note' });
  await drop.getByText('2 waiting').waitFor();
  await drop.getByText('2 files').waitFor();
  expect(await drop.getByRole('gridcell').nth(2).textContent()).toBe('8B');
  await expect
    .poll(
      async () => {
        await page.reload({ waitUntil: 'networkidle' });
        return share.getByRole('gridcell').allTextContents();
      },
      { timeout: 20_000, interval: 1000 },
    )
    .toEqual(expect.arrayContaining(['2', '10B']));

  await page.getByRole('radio', { name: 'Asked for' }).click();
  await share.waitFor({ state: 'detached' });
  await page.getByRole('radio', { name: 'Shared' }).click();
  await drop.waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('drop note');
  await page.getByText('Nothing matches the filter.').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await drop.waitFor();
  expect(new URL(page.url()).search).toBe('');
  await share.getByRole('link').click();
  const counts = page.getByRole('table').getByRole('row').filter({ hasText: 'Without a name' });
  await counts.getByText('10 B').waitFor();
  expect(errors).toEqual([]);
});

it('the inbox looks after files that never come only while somebody looks', async () => {
  const link = await makeDrop();
  const joined = await fetch(`${link.url}/senders`, { method: 'POST', body: '{}' });
  const { code } = (await joined.json()) as { code: string };
  const begun = await fetch(`${link.url}/files`, {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'x-quayside-drop-code': code,
      'upload-length': '300000',
      'upload-metadata': `filename ${btoa('half.bin')}`,
      'content-type': 'application/offset+octet-stream',
    },
    body: Buffer.alloc(200_000, 7),
  });
  expect(begun.status).toBe(201);
  const { page } = await kit.open(pathOf(link));
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes(`${link.id}/files`)) asked++;
  });
  await page.getByText('half.bin').first().waitFor();
  await expect.poll(() => asked, { timeout: 15_000 }).toBeGreaterThan(0);
  await showPage(page, false);
  const before = asked;
  // Two rounds of the timer pass, by the clock of the page.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 11_000))');
  expect(asked).toBe(before);
  await showPage(page, true);
  await expect.poll(() => asked).toBeGreaterThan(before);
});
