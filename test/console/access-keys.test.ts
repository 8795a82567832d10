// Access keys in the real browser: the form, the secret that is shown once, the list.
import { expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { axeViolations } from './kit/axe.ts';
import { button, dialog, usePeopleKit } from './kit/people-kit.ts';

const kit = usePeopleKit(async (client) => {
  await client.buckets.create({ body: { name: 'people-assets' } });
  await client.buckets.create({ body: { name: 'people-photos' } });
});

it('96: the form makes a key by the keyboard alone, and its secret is shown once', async () => {
  const { page, errors } = await kit.open('/keys');
  await page.keyboard.press('n');
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.keyboard.type('web deploy');
  // The choice of the buckets: the second radio button, then the first box below it.
  await page.getByRole('radio', { name: 'All buckets' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('checkbox', { name: 'people-assets' }).focus();
  await page.keyboard.press('Space');
  await page.getByLabel('Only names that begin with').focus();
  await page.keyboard.type('site/');
  await page.getByText('Can read, write and list below people-assets/site/').waitFor();
  await page.getByText('Not delete or change settings').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { name: 'web deploy is ready' }).waitFor();
  const id = await page.getByRole('textbox', { name: 'Access key ID' }).inputValue();
  const secret = await page.getByRole('textbox', { name: 'Secret access key' }).inputValue();
  const key = await kit.client.keys.get(id);
  expect(key).toMatchObject({ name: 'web deploy', role: null });
  expect(key.scope).toMatchObject({ buckets: ['people-assets'], prefixes: ['site/'] });
  expect(await axeViolations(page)).toEqual([]);
  await page.getByText(`aws_secret_access_key = ${secret}`).waitFor();

  // Leaving without the secret asks, also by Back.
  await page.getByRole('link', { name: 'Home' }).first().click();
  await dialog(page, 'Leave without the secret?').waitFor();
  await page.keyboard.press('Escape');
  await page.goBack();
  await dialog(page, 'Leave without the secret?').waitFor();
  await button(page, 'Stay here').click();
  await page.getByRole('heading', { name: 'web deploy is ready' }).waitFor();

  // Its first request is seen.
  await page.getByText('Waiting for its first request').waitFor();
  const { url } = kit.server.target;
  const own = createClient({ endpoint: url, accessKey: { id, secret } });
  await own.upload('people-assets', 'site/a.txt', new Blob(['a']));
  await page.getByText('Its first request has arrived').waitFor();
  await button(page, 'I have kept the secret').click();
  await page.getByRole('grid', { name: 'Access keys' }).getByText(id).waitFor();
  await page.goto(`${url}/-/console/keys/made`);
  await page.getByRole('grid', { name: 'Access keys' }).waitFor();
  expect(await page.getByText(secret).count()).toBe(0);
  expect(errors).toEqual([]);
});

it('96: the form says what is wrong at its field, and saves nothing then', async () => {
  const { page } = await kit.open('/keys/new');
  await page.getByLabel('Only from these addresses').fill('192.0.2.0/24, nonsense');
  await button(page, 'Create access key').click();
  await page.getByText('Give it a name').waitFor();
  await page.getByText('nonsense is no address and no range').waitFor();
  await page.locator('input:focus[aria-invalid=true]').waitFor();
  expect(await page.locator('input:focus').getAttribute('aria-invalid')).toBe('true');
});

it('96: a key is disabled with undo, rotated with an overlap, and deleted', async () => {
  const made = await kit.client.keys.create({ body: { name: 'old job', scope: {} } });
  const { page, errors } = await kit.open('/keys?q=old+job');
  const isEnabled = async () => (await kit.client.keys.get(made.id)).isEnabled;
  await page.getByRole('switch', { name: 'old job is enabled' }).click();
  await page.getByText('old job is disabled').waitFor();
  await expect.poll(isEnabled).toBe(false);
  await button(page, 'Undo').click();
  await expect.poll(isEnabled).toBe(true);

  await button(page, 'What can be done with old job').click();
  await page.getByRole('menuitem', { name: 'Rotate' }).click();
  await dialog(page, 'Rotate old job')
    .getByLabel('How long the old secret works on')
    .selectOption('3600');
  await button(page, 'Make the new key').click();
  await page.getByRole('heading', { name: 'old job is ready' }).waitFor();
  const old = await kit.client.keys.get(made.id);
  expect(Date.parse(old.expiresAt ?? '') - Date.now()).toBeLessThan(3_700_000);
  await button(page, 'I have kept the secret').click();

  await page.getByRole('searchbox', { name: 'Filter by name or ID' }).fill(made.id);
  await button(page, 'What can be done with old job').click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await button(page, 'Delete the key').click();
  await expect
    .poll(() => kit.client.keys.get(made.id).catch(({ code }) => code))
    .toBe('NoSuchAccessKey');
  await page.getByText('Nothing matches the filter.').waitFor();
  expect(errors).toEqual([]);
});
