// The operator in another account, and at a bucket of another account, in the real browser.
import { expect, it } from 'vitest';
import { axeViolations } from './kit/axe.ts';
import { signIn } from './kit/browser.ts';
import { overflowOf } from './kit/pages.ts';
import { button, usePeopleKit } from './kit/people-kit.ts';

let okoro = '';
const kit = usePeopleKit(async (client) => {
  const account = await client.request('POST /accounts', { body: { displayName: 'Okoro Print' } });
  okoro = account.id;
  await client.request('POST /buckets', {
    query: { accountId: okoro },
    body: { name: 'okoro-proofs' },
  });
  await client.buckets.create({ body: { name: 'own-assets' } });
});

it('8: an operator works in another account under a lasting banner, and goes back', async () => {
  const { page, errors } = await kit.open('/settings/accounts');
  await button(page, 'Work in Okoro Print').click();
  const banner = page.getByText('You are in the account of Okoro Print');
  await banner.waitFor();

  await page.getByRole('link', { name: 'Buckets' }).click();
  await page.getByRole('link', { name: 'okoro-proofs' }).first().click();
  await banner.waitFor();
  expect(await page.getByText('own-assets').count()).toBe(0);
  await page.reload({ waitUntil: 'networkidle' });
  await banner.waitFor();
  expect(await axeViolations(page)).toEqual([]);

  // A bucket that is made here is that account's.
  await page.getByRole('link', { name: 'Buckets' }).first().click();
  await button(page, 'New bucket').first().click();
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('okoro-made');
  await page.keyboard.press('Control+Enter');
  await expect
    .poll(() =>
      kit.client.buckets.get('okoro-made').then(
        ({ accountId }) => accountId,
        () => null,
      ),
    )
    .toBe(okoro);
  const { items } = await kit.client.request('GET /audit', { query: { accountId: okoro } });
  expect(items.some(({ action }) => action === 'createBucket')).toBe(true);

  await button(page, 'Back to your account').click();
  await banner.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Buckets' }).first().click();
  await page.getByText('own-assets').first().waitFor();
  expect(errors).toEqual([]);
});

it('8: a bucket of another account says whose it is, also on a phone', async () => {
  const { page } = await kit.open('/b/okoro-proofs/');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByText('This bucket belongs to Okoro Print').waitFor();
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  await button(page, 'Work in this account').click();
  await page.getByText('You are in the account of Okoro Print').waitFor();
});

it('8: who runs no server sees no accounts', async () => {
  const { id, secretAccessKey } = await kit.client.request('POST /access-keys', {
    query: { accountId: okoro },
    body: { name: 'own' },
  });
  const { page, context } = await kit.open('/', { isIn: false });
  await signIn(context, kit.server.target.url, { accessKey: id, secretKey: secretAccessKey });
  await page.goto(`${kit.server.target.url}/-/console/settings`, { waitUntil: 'networkidle' });
  await page.getByRole('link', { name: 'Sessions and tokens' }).waitFor();
  expect(await page.getByRole('link', { name: 'Accounts' }).count()).toBe(0);
  expect(await page.locator('.account-banner').count()).toBe(0);
});

it('113: accounts of the settings are shown as such, and are not changed here', async () => {
  const { page, errors } = await kit.open('/settings/accounts');
  const row = page.getByRole('listitem').filter({ hasText: 'other' });
  await row.getByText('from the settings').waitFor();
  expect(await page.getByText('from the settings').count()).toBe(1);
  expect(await axeViolations(page)).toEqual([]);
  await button(page, 'Work in other').click();
  await page.getByText('You are in the account of other').waitFor();

  await page.goto(`${kit.server.target.url}/-/console/settings/account`);
  await page.getByText('It stands in the settings of the server').waitFor();
  const name = page.getByLabel('Name of the account');
  expect(await name.inputValue()).toBe('other');
  expect(await name.getAttribute('readonly')).not.toBeNull();
  expect(errors).toEqual([]);
});
