// Sign-in, members, invitations, sessions, tokens and the audit log, in the real browser.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { axeViolations } from './kit/axe.ts';
import { button, dialog, usePeopleKit } from './kit/people-kit.ts';

const kit = usePeopleKit(async (client) => {
  await client.buckets.create({ body: { name: 'people-assets' } });
});

/** The server under the name that passkeys work with. */
const LOCALHOST = () => kit.server.target.url.replace('127.0.0.1', 'localhost');

it('2: the root key’s holder becomes a member by passkey, and signs in by a tap', async () => {
  const { page, context, errors } = await kit.open('/settings#dialog=member', {
    atLocalhost: true,
  });
  const become = dialog(page, 'Make yourself a member');
  await become.getByLabel('Name to sign in with').fill('ada@example.org');
  await become.getByLabel('Display name').fill('Ada');
  await become.getByRole('button', { name: 'Make yourself a member' }).click();
  const done = dialog(page, 'You are Ada now');
  await done.getByText('If the device is lost').waitFor();
  await done.getByText('root-key.json').waitFor();
  await done.getByRole('button', { name: 'Done' }).click();
  await expect
    .poll(() => page.getByLabel('Name to sign in with').inputValue())
    .toBe('ada@example.org');

  await page.getByRole('button', { name: 'Account', exact: true }).click();
  // The field for the name offers the passkey, and the device takes it at once.
  const signedIn = page.waitForResponse(
    (response) => response.url().endsWith('/sessions') && response.request().method() === 'POST',
  );
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  expect((await signedIn).ok()).toBe(true);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  const me = await context.request.get(`${LOCALHOST()}/-/api/v1/me`);
  expect(await me.json()).toMatchObject({ role: 'owner', accessKeyId: null });
  expect(errors).toEqual([]);
});

it('2: the page says so when no passkey was given, and lets it be tried again', async () => {
  const { page } = await kit.open('/', { isIn: false, atLocalhost: true });
  await page.evaluate(`navigator.credentials.get = async () => {
    throw new DOMException('Timed out or not allowed', 'NotAllowedError');
  }`);
  await button(page, 'Use a passkey').click();
  await page.getByText('The browser was not allowed to.').waitFor();
  expect(await button(page, 'Use a passkey').isEnabled()).toBe(true);
});

it('2: the page offers no passkey at an IP address, where no browser makes one', async () => {
  const { page, errors } = await kit.open('/settings#dialog=member');
  const become = dialog(page, 'Make yourself a member');
  await become.getByLabel('New password').waitFor();
  expect(await become.getByRole('radio').count()).toBe(0);
  expect(errors).toEqual([]);
});

it('126: the settings keep their names apart on a phone', async () => {
  const { page } = await kit.open('/settings');
  await page.setViewportSize({ width: 360, height: 740 });
  const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  const cut = await links.evaluateAll((all) =>
    all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
  );
  expect([await links.count(), cut]).toEqual([7, []]);
});

it('6: a link invites; who follows it chooses a name and a password', async () => {
  const { page } = await kit.open('/settings/members');
  await button(page, 'Invite somebody').click();
  const invite = dialog(page, 'Invite a member');
  await invite.getByLabel('Display name').fill('Grace');
  await invite.getByRole('radio', { name: /Reader/ }).check();
  await invite.getByText('Whoever has the link').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Control+Enter');
  const made = dialog(page, 'The link for Grace');
  const link = await made.getByRole('textbox', { name: 'Link' }).inputValue();
  await made.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Grace').waitFor();

  const path = new URL(link).pathname.slice('/-/console'.length) + new URL(link).hash;
  const guest = await kit.open(path, { isIn: false });
  await guest.page.getByText('Grace').waitFor();
  expect(await axeViolations(guest.page)).toEqual([]);
  await guest.page.getByLabel('Name to sign in with').fill('grace');
  await guest.page.getByLabel('New password').fill('short');
  await button(guest.page, 'Accept by password').click();
  await guest.page.getByText('Use ten characters or more').waitFor();
  await guest.page.getByLabel('New password').fill('correct horse battery');
  await button(guest.page, 'Accept by password').click();
  await guest.page.locator('.side-bar').waitFor();
  const me = await guest.context.request.get(`${kit.server.target.url}/-/api/v1/me`);
  expect(await me.json()).toMatchObject({ role: 'reader' });

  // The link works once.
  const late = await kit.open(path, { isIn: false });
  await late.page.getByText('The link was used already').waitFor();
});

it('6: a second link that is opened in the same tab is the one that counts', async () => {
  const link = async (displayName: string) => {
    const made = await kit.client.request('POST /invitations', {
      body: { displayName, role: 'reader' },
    });
    return new URL(made.url).hash;
  };
  const [first, second] = [await link('First'), await link('Second')];
  const { page } = await kit.open(`/invitation${first}`, { isIn: false });
  await page.getByText('First').waitFor();
  await page.getByLabel('New password').fill('typed for the first');
  await page.goto(`${kit.server.target.url}/-/console/invitation${second}`);
  await page.getByText('Second').waitFor();
  expect(await page.getByLabel('New password').inputValue()).toBe('');
});

it('105: a reader sees what was used, and is told that the bill is not theirs', async () => {
  const password = 'ten characters or more';
  await kit.client.members.create({
    body: { login: 'rita', displayName: 'Rita', role: 'reader', password },
  });
  const { page, context, errors } = await kit.open('/', { isIn: false });
  const response = await context.request.post(`${kit.server.target.url}/-/api/v1/sessions`, {
    data: { login: 'rita', password },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  expect(response.ok()).toBe(true);
  await page.goto(`${kit.server.target.url}/-/console/`, { waitUntil: 'networkidle' });
  await page.getByRole('link', { name: 'Usage and bill' }).click();
  await page.getByText('Your role sees what was used, not what it costs').waitFor();
  await page
    .getByRole('row')
    .filter({ hasText: 'Requests' })
    .getByText(/requests?$/)
    .waitFor();
  await page.getByRole('heading', { name: 'Caps' }).waitFor();
  expect(await page.getByText('$').count()).toBe(0);
  expect(errors).toEqual([]);
});

it('7: the list shows sessions with device and network, ends one, makes a token', async () => {
  const { page, errors } = await kit.open('/settings/sessions');
  await kit.open('/settings');
  await page.reload({ waitUntil: 'networkidle' });
  await page.getByText('this one').first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  const sessions = page.getByRole('region', { name: 'Sessions' }).getByRole('listitem');
  const count = await sessions.count();
  expect(await sessions.first().innerText()).toContain('127.0.0.1');
  await sessions.filter({ hasNotText: 'this one' }).first().getByRole('button').click();
  await expect.poll(() => sessions.count()).toBe(count - 1);

  await button(page, 'Make a token').click();
  await dialog(page, 'Make a token').getByLabel('Name').fill('script');
  await page.keyboard.press('Control+Enter');
  const token = await page.getByRole('textbox', { name: 'Token' }).inputValue();
  const { url } = kit.server.target;
  const asToken = () =>
    fetch(`${url}/-/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  expect((await asToken()).status).toBe(200);
  await button(page, 'Done').click();
  await button(page, 'Withdraw script').click();
  await expect.poll(async () => (await asToken()).status).toBe(401);
  expect(errors).toEqual([]);
});

it('7: a session that ends in mid-work asks for a sign-in, and loses nothing typed', async () => {
  const { page, context } = await kit.open('/keys/new');
  await page.getByLabel('Name', { exact: true }).fill('typed before');
  const api = `${kit.server.target.url}/-/api/v1`;
  const same = { headers: { 'sec-fetch-site': 'same-origin' } };
  await context.request.delete(`${api}/sessions/current`, same);
  await button(page, 'Create access key').click();
  const ended = dialog(page, 'Your session has ended');
  await ended.getByLabel('Secret access key').fill(kit.server.target.secretKey);
  expect(await axeViolations(page)).toEqual([]);
  await ended.getByRole('button', { name: 'Sign in' }).click();
  await ended.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('typed before');
  await button(page, 'Create access key').click();
  await page.getByRole('heading', { name: 'typed before is ready' }).waitFor();
});

it('7: a dialog over the form asks for a recent proof, then repeats the request', async () => {
  const { page, context } = await kit.open('/keys/new');
  // The proof of ten minutes is over: the server says so once.
  let asked = 0;
  await context.route('**/-/api/v1/access-keys', (route) => {
    if (route.request().method() !== 'POST' || asked++ > 0) return route.fallback();
    const code = 'RecentProofRequired';
    return route.fulfill({ status: 403, json: { code, message: code, title: code, status: 403 } });
  });
  await page.getByLabel('Name', { exact: true }).fill('proved');
  await page.keyboard.press('Enter');
  const proof = dialog(page, 'Confirm that it is you');
  await proof.getByLabel('Secret access key').fill('wrong');
  await proof.getByRole('button', { name: 'Go on' }).click();
  await proof.getByText('do not belong together').waitFor();
  await proof.getByLabel('Secret access key').fill(kit.server.target.secretKey);
  await proof.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'proved is ready' }).waitFor();
  expect(asked).toBe(2);
});

it('3: the sign-in says what is wrong with a key, and when the cookie was refused', async () => {
  const made = await kit.client.keys.create({ body: { name: 'off' } });
  await kit.client.keys.update(made.id, { body: { isEnabled: false }, ifMatch: '*' });
  const { page, context } = await kit.open('/', { isIn: false });
  await page.getByText('Region').waitFor();
  const enter = async (id: string, secret: string) => {
    await page.getByLabel('Access key ID').fill(id);
    await page.getByLabel('Secret access key').fill(secret);
    await button(page, 'Sign in').click();
  };
  await enter(made.id, made.secretAccessKey);
  await page.getByText('This key is disabled').waitFor();
  await enter(made.id, 'wrong');
  await page.getByText('do not belong together').waitFor();

  // Safari on plain http: the server says 201, and the cookie is not there.
  await context.route('**/-/api/v1/sessions', (route) => route.fulfill({ status: 201, json: {} }));
  await enter(kit.server.target.accessKey, kit.server.target.secretKey);
  await page.getByText('did not keep the cookie').waitFor();
  expect(await page.locator('.side-bar').count()).toBe(0);
});

it('114, 115: roles change, members are disabled, and the audit log says it', async () => {
  const member = await kit.client.members.create({
    body: {
      login: 'alan',
      displayName: 'Alan',
      role: 'member',
      password: 'ten characters or more',
    },
  });
  const { page, errors } = await kit.open('/settings/members');
  await page.getByLabel('Role of Alan').selectOption('billing');
  await page.getByText('Alan is now: Billing.').waitFor();
  await page.getByRole('switch', { name: 'Alan may sign in' }).click();
  await page.getByText('Alan is signed out everywhere').waitFor();
  expect(await kit.client.members.get(member.id)).toMatchObject({
    role: 'billing',
    isEnabled: false,
  });
  await button(page, 'Undo').click();
  await expect.poll(async () => (await kit.client.members.get(member.id)).isEnabled).toBe(true);

  await page.goto(`${kit.server.target.url}/-/console/settings/audit?action=updateMember`);
  const row = page.getByRole('row').filter({ hasText: member.id }).first();
  await row.getByText('Alan').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'CSV of what is shown').click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  expect(text.split('\r\n')[0]).toContain('at,action,target');
  expect(text).toContain('updateMember');
  expect(errors).toEqual([]);
});

it('115: the audit log names who did it, by which token, and has the ids to copy', async () => {
  const { url } = kit.server.target;
  const { id, token } = await kit.client.tokens.create({ body: { name: 'nightly' } });
  const { id: keyId } = await kit.client.keys.create({ body: { name: 'web-deploy' } });
  const script = createClient({ endpoint: url, token });
  await script.keys.update(keyId, { body: { isEnabled: false }, ifMatch: '*' });
  const { page } = await kit.open('/settings/audit?action=updateAccessKey');
  const row = page.getByRole('row').filter({ hasText: keyId }).first();
  await row.getByText('web-deploy').waitFor();
  await row.getByText('by the token nightly').waitFor();
  await row.locator('summary').click();
  expect(await row.locator('pre').textContent()).toContain(`token ${id}`);
});

it('121: a member keeps language, theme and density, for the next browser too', async () => {
  const { page, errors } = await kit.open('/settings');
  await page.getByLabel('Rows').selectOption('dense');
  await page.getByLabel('Language').selectOption('zh');
  await page.getByText('外观').waitFor();
  const preferences = async () => kit.client.request('GET /me/preferences');
  await expect.poll(preferences).toMatchObject({ language: 'zh', density: 'compact' });

  const next = await kit.open('/settings');
  await next.page.getByText('外观').waitFor();
  expect(await next.page.locator('html').getAttribute('data-density')).toBe('dense');
  await next.page.getByLabel('语言').selectOption('en');
  await next.page.getByText('Looks').waitFor();
  await expect.poll(preferences).toMatchObject({ language: 'en' });
  expect([...errors, ...next.errors]).toEqual([]);

  // What is chosen before the server has answered stays.
  let letOn = () => {};
  const held = new Promise<void>((resolve) => {
    letOn = resolve;
  });
  await next.context.route('**/me/preferences', async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await next.page.goto(`${kit.server.target.url}/-/console/settings`);
  await next.page.getByLabel('Rows').selectOption('comfortable');
  letOn();
  await expect.poll(preferences).toMatchObject({ language: 'en', density: 'comfortable' });
  expect(await next.page.getByLabel('Rows').inputValue()).toBe('comfortable');
});
