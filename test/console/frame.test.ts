// The frame in a real browser, on a server that is started for it: from the first visit to a public
// link, sign-in, palette and keys, addresses, languages, themes, failures and a lost server.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../node/kit/temporary-folder.ts';
import { launchBrowser, newContext, signIn, watchErrors } from './kit/browser.ts';
import {
  type ConsoleInstance,
  startDemoInstance,
  startFreshInstance,
} from './kit/console-instance.ts';
import { openAt, settled, textsOf } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { chinese, english } from './kit/texts.ts';

let [browser, instance]: [Browser, ConsoleInstance] = [] as never;

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startDemoInstance()]);
});

afterAll(async () => {
  await browser?.close();
  await instance?.server.stop();
});

it('1: the printed key leads to a public link within a minute and six clicks', async () => {
  const fresh = await startFreshInstance();
  const context = await newContext(browser);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const errors = watchErrors(page);
  const startedAtMs = performance.now();
  let clicks = 0;
  const click = (name: string, role: 'button' | 'radio' = 'button') => {
    clicks++;
    return page.getByRole(role, { name }).click();
  };

  await page.goto(fresh.url);
  expect(page.url()).toBe(`${fresh.url}/-/console/`);
  await page.getByLabel('Access key ID').waitFor();
  // The first field has the focus: the key is typed without a click.
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('username');
  await page.keyboard.type(fresh.keys.accessKey);
  await page.keyboard.press('Tab');
  await page.keyboard.type(fresh.keys.secretKey);
  await page.keyboard.press('Enter');
  await page.getByText('Put the first file online').waitFor();

  await click('Public', 'radio');
  const choosing = page.waitForEvent('filechooser');
  await click('choose one');
  const file = { name: 'port & 港.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };
  await (await choosing).setFiles([file]);
  const link = page.getByRole('textbox', { name: 'Link' });
  await link.waitFor();

  const url = await link.inputValue();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url);
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([200, 'hello']);
  expect(clicks).toBeLessThanOrEqual(6);
  expect(performance.now() - startedAtMs).toBeLessThan(60_000);
  expect(errors).toEqual([]);
  await context.close();
  await fresh.server.stop();
});

it('3: the sign-in says what is wrong with a key, and keeps what was typed', async () => {
  const { page, context } = await openAt(browser, instance, '/jobs', { isSignedIn: false });
  const submit = page.getByRole('button', { name: 'Sign in', exact: true });
  await page.getByLabel('Access key ID').fill(instance.keys.accessKey);
  await page.getByLabel('Secret access key').fill('not-the-secret');
  await submit.click();
  await page.getByText('The two do not belong together').waitFor();
  expect(await page.getByLabel('Secret access key').getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByLabel('Access key ID').inputValue()).toBe(instance.keys.accessKey);

  await page.getByLabel('Secret access key').fill(instance.keys.secretKey);
  await submit.click();
  // Where somebody wanted to go is where they come to.
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  expect(page.url()).toBe(`${instance.url}/-/console/jobs`);
  await context.close();
});

it('10: the palette finds places, commands and keys, all of the menus too', async () => {
  const { page, context, errors } = await openAt(browser, instance, '/');
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search or jump to' });
  await field.fill('press-k');
  const found = page.getByRole('option', { name: 'press-kit' });
  await found.waitFor();
  // What stands in a line is one line: the icon beside the name, not above it.
  const middles = await found.evaluate((option) =>
    [...option.children].map((part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return Math.round((top + bottom) / 4);
    }),
  );
  expect(middles.length).toBeGreaterThan(1);
  expect(new Set(middles).size).toBe(1);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toBe(`${instance.url}/-/console/b/press-kit/`);

  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await expect.poll(() => page.url()).toBe(`${instance.url}/-/console/jobs`);
  const labels: string[] = [];
  for (const menu of ['Help', 'Account']) {
    await page.getByRole('button', { name: menu, exact: true }).click();
    labels.push(...(await page.locator('[role^=menuitem] > span:first-of-type').allTextContents()));
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  }
  await page.keyboard.press('Control+k');
  await field.fill('>');
  const offered = await page.getByRole('option').allTextContents();
  expect(labels.length).toBeGreaterThan(5);
  expect(labels.filter((label) => !offered.some((text) => text.includes(label)))).toEqual([]);
  await page.keyboard.press('Escape');

  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await keys.getByText('Go back').or(keys.getByText('As API call')).first().waitFor();
  await page.keyboard.press('Escape');
  await keys.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await context.close();
});

it('10: the list of keys names those that print nothing', async () => {
  const { page, context } = await openAt(browser, instance, '/b/press-kit/');
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await keys.getByText('Quick look').waitFor();
  const shown = await keys.locator('kbd').allTextContents();
  expect(shown).toEqual(expect.arrayContaining(['Space', 'Esc']));
  expect(shown.filter((label) => label.trim() === '')).toEqual([]);
  await context.close();
});

it('10: the frame takes keys that are typed ahead, though nothing is painted yet', async () => {
  const { page, context, errors } = await openAt(browser, instance, '/jobs');
  // A busy machine draws late: what waits for the next frame comes after 3 s.
  await page.evaluate('{ requestAnimationFrame = (run) => setTimeout(run, 3000); }');
  const field = page.getByRole('combobox', { name: 'Search or jump to' });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('press-k');
  // Keys that came before the palette are pressed again one after the other.
  await expect.poll(() => field.inputValue()).toBe('press-k');
  await page.getByRole('option', { name: 'press-kit' }).waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Help', exact: true }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await field.waitFor();
  await page.keyboard.press('Escape');

  await field.waitFor({ state: 'detached' });

  await page.keyboard.press('g');
  await page.keyboard.press('b');
  const dialog = page.getByRole('dialog', { name: 'New bucket' });
  await page.getByRole('heading', { name: 'Buckets' }).waitFor();
  await page.keyboard.press('n');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('n');
  await page.keyboard.type('typed-ahead');
  const name = dialog.getByRole('textbox', { name: 'Name' });
  await expect.poll(() => name.inputValue()).toBe('typed-ahead');
  expect(errors).toEqual([]);
  await context.close();
});

it('10: a menu is closed by its button, and by that of another, which opens its own', async () => {
  const { page, context, errors } = await openAt(browser, instance, '/jobs');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await button('Help').click();
  await page.getByRole('menu', { name: 'Help' }).waitFor();
  await button('Account').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
  expect(await page.getByRole('menu').count()).toBe(1);
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate('document.activeElement.textContent')).toMatch(/中文/);
  await button('Account').click();
  await page.getByRole('menu').waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await context.close();
});

it('11: a view is shown as calls of the API that work', async () => {
  const { page, context } = await openAt(browser, instance, '/jobs');
  await page.keyboard.press('.');
  const dialog = page.getByRole('dialog', { name: 'As API call' });
  const call = await dialog.locator('pre', { hasText: '/-/api/v1/jobs' }).first().innerText();
  expect(call).toMatch(/^curl -H "authorization: Bearer \$QUAYSIDE_TOKEN"/);
  const [url = ''] = /http[^']+/.exec(call) ?? [];
  const { token } = await instance.client.tokens.create({
    body: { name: 'try', scopes: ['objects:read'] },
  });
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect([response.status, await response.text()]).toEqual([
    200,
    expect.stringContaining('archive/2026/drone/'),
  ]);
  await dialog.getByText('SDK', { exact: true }).click();
  await dialog.getByText('client.request("GET /jobs"').waitFor();
  await context.close();
});

it('28: each address comes back by reload, Back and a pasted link', async () => {
  const { page, context, errors } = await openAt(browser, instance, '/buckets');
  await page.evaluate('globalThis.isSamePage = true');
  for (const name of ['Jobs', 'Trash', 'Home']) {
    await page.getByRole('navigation', { name: 'Main' }).first().getByText(name).click();
    const path = name === 'Home' ? '/' : `/${name.toLowerCase()}`;
    await expect.poll(() => page.url()).toBe(`${instance.url}/-/console${path}`);
  }
  await page.goBack();
  await expect.poll(() => page.url()).toBe(`${instance.url}/-/console/trash`);
  await page.goBack();
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
  await page.reload();
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  await page.goto(`${instance.url}/-/console/no/such/page`);
  await page.getByText('There is no such page').waitFor();
  await page.getByRole('link', { name: 'Go to Home' }).click();
  await expect.poll(() => page.url()).toBe(`${instance.url}/-/console/`);
  expect(errors).toEqual([]);
  await context.close();
});

/** The texts of a language that are no functions, by their place: `shell.home`. */
function flatten(value: unknown, place = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[place, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    flatten(inner, place === '' ? name : `${place}.${name}`),
  );
}

it('121: the language changes without a reload, and leaves no word behind', async () => {
  // The server keeps the language with the key: no other test shall have it.
  const { id, secretAccessKey } = await instance.client.keys.create({
    body: { name: 'in-chinese' },
  });
  const own = { accessKey: id, secretKey: secretAccessKey };
  const { page, errors } = await openAt(browser, { ...instance, keys: own }, '/');
  await page.evaluate('globalThis.isSamePage = true');
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('menuitem', { name: '中文' }).click();
  await page.getByRole('link', { name: '存储桶' }).first().waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('zh-CN');

  const translated = new Map(flatten(chinese));
  const foreign = new Set(
    flatten(english).flatMap(([place, text]) => (translated.get(place) === text ? [] : [text])),
  );
  const places = new Set(translated.keys());
  const left: string[] = [];
  for (const keys of ['g h', 'g b', 'g j', 'g t', 'g u', 'g k', 'g s', '?', '.', 'Control+k']) {
    for (const key of keys.split(' ')) await page.keyboard.press(key);
    await settled(page);
    for (const text of await textsOf(page)) {
      const isRaw = places.has(text) || /undefined|\[object|NaN/.test(text);
      if (foreign.has(text) || isRaw) left.push(`${keys}: ${text}`);
    }
    if (keys.length < 3 && !keys.includes(' ')) await page.keyboard.press('Escape');
  }
  expect(left).toEqual([]);
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
  expect(errors).toEqual([]);
});

it('121: a view is shown though its member’s language comes while its texts load', async () => {
  await instance.client.request('PUT /me/preferences', { body: { language: 'zh' }, ifMatch: '*' });
  const context = await newContext(browser);
  onTestFinished(async () => {
    await context.close();
    await instance.client.request('PUT /me/preferences', { body: {}, ifMatch: '*' });
  });
  await signIn(context, instance.url, instance.keys);
  const page = await context.newPage();
  const errors = watchErrors(page);
  // English comes when Chinese is wanted; Chinese when English has been taken or left.
  let requests = 0;
  await page.route('**/object-texts-*.js', async (route) => {
    requests++;
    if (requests > 1) await page.waitForTimeout(500);
    else await expect.poll(() => requests).toBe(2);
    await route.continue();
  });
  await page.goto(`${instance.url}/-/console/settings`);
  await page.getByText('外观').waitFor();
  expect(errors).toEqual([]);
});

it.each([
  { chosen: 'dark', isDark: false, ground: 'dark' },
  { chosen: 'light', isDark: true, ground: 'light' },
  { chosen: 'system', isDark: true, ground: 'dark' },
])(
  '122: the page is $ground before anything is painted, with $chosen chosen',
  async ({ chosen, isDark, ground: expected }) => {
    const context = await newContext(browser, { isDark });
    const look = JSON.stringify({ theme: chosen, language: 'en' });
    await context.addInitScript(`localStorage.setItem('quayside-look', '${look}')`);
    const page = await context.newPage();
    // The program itself never comes: what is seen is the first paint.
    await page.route('**/assets/shell-*.js', () => {});
    await page.goto(`${instance.url}/-/console/`, { waitUntil: 'commit' });
    await page.locator('#console').waitFor({ state: 'attached' });
    const ground = 'getComputedStyle(document.body).backgroundColor';
    // Nothing is painted before the style sheet is there, which may come after the page.
    await expect.poll(() => page.evaluate(ground)).not.toBe('rgba(0, 0, 0, 0)');
    const channels = await page.evaluate<string>(ground);
    const [red = Number.NaN] = (channels.match(/[\d.]+/g) ?? []).map(Number);
    expect([channels, red < 128 ? 'dark' : 'light']).toEqual([channels, expected]);
    await context.close();
  },
);

it('127: a failure says what, why, and what next, and the rest of the page stays', async () => {
  const { page, context } = await openAt(browser, instance, '/');
  const problem = { type: 'about:blank', title: 'Forbidden', status: 403, code: 'AccessDenied' };
  const body = JSON.stringify({ ...problem, detail: 'No.', requestId: 'rq-of-this-test' });
  await page.route('**/-/api/v1/jobs?*', (route) =>
    route.fulfill({ status: 403, contentType: 'application/problem+json', body }),
  );
  await page.getByRole('link', { name: 'Jobs' }).first().click();
  const failure = page.getByRole('alert');
  await failure.getByText('You may not do this.').waitFor();
  expect(await failure.innerText()).toContain('rq-of-this-test');
  expect(await failure.getByRole('link').getAttribute('href')).toBe('/-/docs#AccessDenied');
  await page.unroute('**/-/api/v1/jobs?*');
  await failure.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('archive/2026/drone/').first().waitFor();
  await context.close();
});

/** A port that stays while the server behind it comes and goes. */
async function startDoor() {
  let target: URL | null = null;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    if (target === null) {
      socket.destroy();
      return;
    }
    const inner = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const leadTo = (url: string) => {
    target = new URL(url);
  };
  const cut = () => {
    target = null;
    for (const socket of open) socket.destroy();
  };
  return { server, url: `http://127.0.0.1:${port}`, leadTo, cut };
}

it('128: the console says when the server is gone, and comes back by itself', async () => {
  const folder = temporaryFolder();
  const door = await startDoor();
  const first = await startServer({ folder });
  door.leadTo(first.target.url);
  const context = await newContext(browser);
  await signIn(context, door.url, first.target);
  const page = await context.newPage();
  await page.goto(`${door.url}/-/console/settings`);
  await page.getByRole('heading', { name: 'Settings' }).first().waitFor();
  await settled(page);

  door.cut();
  await first.stop();
  await page.getByRole('link', { name: 'Home' }).first().click();
  const banner = page.getByRole('status').filter({ hasText: /No connection since today \d/ });
  await banner.waitFor();
  const second = await startServer({ folder });
  door.leadTo(second.target.url);
  await banner.waitFor({ state: 'detached' });
  // The files of a view that had not come before come by themselves, too.
  await page.getByText('Put the first file online').waitFor();
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  await context.close();
  await second.stop();
  door.server.close();
});
