// Share links in the real browser: made from a folder, listed, changed, revoked, counted.
import { expect, it } from 'vitest';
import { axeViolations } from '../kit/axe.ts';
import { createLink, getLink } from '../kit/link-calls.ts';
import { dialog, usePeopleKit } from '../kit/people-kit.ts';

const kit = usePeopleKit(async (client) => {
  await client.buckets.create({ body: { name: 'links-a' } });
  for (const key of ['trip/a.txt', 'trip/b.txt', 'c.txt'])
    await client.upload('links-a', key, new Blob([key]));
});

/** The links of the bucket, newest first. */
const linksOf = async () =>
  (await kit.client.request('GET /buckets/{bucket}/share-links', { path: { bucket: 'links-a' } }))
    .items;

it('a folder is shared with a password and ten downloads by the keyboard alone', async () => {
  const { page, errors } = await kit.open('/b/links-a/');
  await page.locator('.spacer .row').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('l');
  const share = dialog(page, /^Share /);
  await share.waitFor();
  await share.getByLabel('Password').fill('abc');
  await share.getByText('At least 4 characters').waitFor();
  await share.getByLabel('Password').fill('open sesame');
  await share.getByLabel('Downloads at most').fill('10');
  await share.getByText('The password is needed too.').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Control+Enter');

  const made = dialog(page, 'The link is ready');
  const url = await made.getByLabel('Link', { exact: true }).inputValue();
  const [link] = await linksOf();
  expect(link).toMatchObject({ url, hasPassword: true, limits: { downloads: 10 } });
  expect(Date.parse(link?.expiresAt ?? '')).toBeGreaterThan(Date.now() + 29 * 86_400_000);
  await made.getByRole('link', { name: 'Recipients and counts' }).click();
  await page.getByText('0 of 10').waitFor();
  expect(errors).toEqual([]);
});

it('a phone shows each link in a row with its menu, and nothing beside the page', async () => {
  await createLink(kit.client, 'links-a', {
    target: { kind: 'object', key: 'c.txt', versionId: null },
    note: 'a note that is far longer than what fits on a phone',
  });
  const { page, errors } = await kit.open('/links');
  await page.setViewportSize({ width: 360, height: 740 });
  const menu = page.getByRole('row').filter({ hasText: 'a note' }).getByRole('button');
  const row = page.getByRole('row').filter({ hasText: 'a note' });
  const [rowBox, menuBox] = [await row.boundingBox(), await menu.boundingBox()];
  expect(rowBox?.height).toBeLessThan(64);
  expect(menuBox?.x).toBeGreaterThan(300);
  expect((menuBox?.x ?? 0) + (menuBox?.width ?? 0)).toBeLessThanOrEqual(360);
  expect(await page.evaluate("document.querySelector('.list').scrollWidth")).toBe(360);
  await menu.click();
  await page.getByRole('menuitem', { name: 'Copy the link' }).click();
  const toast = page.locator('.toast');
  const isAbove = async () => ((await toast.boundingBox())?.y ?? 0) < 370;
  expect(await isAbove()).toBe(false);
  await page.keyboard.press('a');
  await dialog(page, 'Ask for files').waitFor();
  expect(await isAbove()).toBe(true);
  expect(errors).toEqual([]);
});

it('a link is revoked, opened again, and deleted for good', async () => {
  const { id } = await createLink(kit.client, 'links-a', {
    target: { kind: 'object', key: 'c.txt', versionId: null },
    note: 'for the press',
  });
  const { page, errors } = await kit.open('/links');
  const row = page.getByRole('row').filter({ hasText: 'for the press' });
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await row.getByText('Revoked').waitFor();
  expect((await getLink(kit.client, 'links-a', id)).revokedAt).not.toBeNull();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Open', { exact: true }).waitFor();

  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog(page, 'Delete the link: c.txt').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
  await expect(getLink(kit.client, 'links-a', id)).rejects.toMatchObject({ status: 404 });
  expect(errors).toEqual([]);
});

it('the form changes what a link allows, and keeps its password where none is typed', async () => {
  const { id } = await createLink(kit.client, 'links-a', {
    target: { kind: 'folder', prefix: 'trip/' },
    password: 'open sesame',
    limits: { downloads: 3 },
  });
  const { page, errors } = await kit.open(`/links/links-a/${id}`);
  await page.getByRole('button', { name: 'What can be done with the link to trip/' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  const change = dialog(page, 'Change the link');
  await change.getByLabel('Downloads at most').fill('');
  await change.getByText('More', { exact: true }).click();
  await change.getByLabel('Traffic at most, GB').fill('0.5');
  await change.getByLabel('Title of the page').fill('Our trip');
  await change.getByRole('button', { name: 'Save' }).click();
  await change.waitFor({ state: 'detached' });
  const changed = await getLink(kit.client, 'links-a', id);
  expect(changed).toMatchObject({
    hasPassword: true,
    limits: { downloads: null, bytes: '500000000' },
    page: { title: 'Our trip' },
    target: { kind: 'folder', prefix: 'trip/' },
  });
  await page.getByText('expiresAt').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});

it('the form names recipients, each with an address that is revoked alone', async () => {
  const { id } = await createLink(kit.client, 'links-a', {
    target: { kind: 'object', key: 'c.txt', versionId: null },
  });
  const { page, errors } = await kit.open(`/links/links-a/${id}`);
  await page.getByLabel('Name of a recipient').fill('Ada <b>');
  await page.keyboard.press('Enter');
  const row = page.getByRole('row').filter({ hasText: 'Ada <b>' });
  await row.waitFor();
  const { items } = await kit.client.request('GET /buckets/{bucket}/share-links/{linkId}/labels', {
    path: { bucket: 'links-a', linkId: id },
  });
  const [label] = items;
  expect(label?.url).toContain(`${id}~`);
  expect((await fetch(label?.url ?? '')).status).toBe(200);
  await row.getByRole('button', { name: 'Revoke: Ada <b>' }).click();
  await row.getByText('Revoked').waitFor();
  expect((await fetch(label?.url ?? '')).ok).toBe(false);
  expect(await axeViolations(page)).toEqual([]);
  expect(errors).toEqual([]);
});

it('the list says that there are more links than it shows', async () => {
  const target = { kind: 'object', key: 'c.txt', versionId: null } as const;
  await createLink(kit.client, 'links-a', { target });
  const { page } = await kit.open('/links');
  await page.getByText(/^\d+ links?$/).waitFor();
  await page.route('**/-/api/v1/links?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...(await response.json()), nextCursor: 'more' } });
  });
  await page.reload();
  const words = page.locator('.status-bar').getByText(/^\d+\+ links$/);
  await words.waitFor();
  expect(await page.getByRole('row').count()).toBe(
    Number.parseInt(await words.innerText(), 10) + 1,
  );
});
