// Share links of a real server as people open them: a folder with a password, a limit that previews
// and pages do not touch, a file's text, and a link that is over.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NewShareLink } from '../../../src/client/index.ts';
import { launchBrowser, newContext, watchErrors } from '../kit/browser.ts';
import { type ConsoleInstance, startFreshInstance } from '../kit/console-instance.ts';
import { createLink, getLink } from '../kit/link-calls.ts';

let [browser, instance]: [Browser, ConsoleInstance] = [] as never;
const BUCKET = 'press';

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startFreshInstance()]);
  const { client } = instance;
  await client.buckets.create({ body: { name: BUCKET } });
  const put = (key: string, text: string, contentType: string) =>
    client.upload(BUCKET, key, text, { contentType });
  await put('day 1/crew list.csv', 'boat,bib\n海燕,7\n', 'text/csv');
  await put('day 1/notes.txt', '<script>alert(1)</script>', 'text/plain');
  await put('day 1/photos/start.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml');
  await put('day 1/film.zip', 'x'.repeat(5000), 'application/zip');
});

afterAll(async () => {
  await browser?.close();
  await instance?.server.stop();
});

const makeLink = (body: NewShareLink) => createLink(instance.client, BUCKET, body);
const downloadsOf = async (id: string) =>
  (await getLink(instance.client, BUCKET, id)).usage.downloads;

async function open(url: string, javaScriptEnabled = true): Promise<Page> {
  const context = javaScriptEnabled
    ? await newContext(browser)
    : await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

it('a folder opens by its password, is walked and searched, and some of it is taken', async () => {
  const { url } = await makeLink({
    target: { kind: 'folder', prefix: 'day 1/' },
    password: 'sésame & co',
    page: { title: 'Regatta', text: '**Hello**', colour: '#7a1f5c' },
  });
  const page = await open(url, false);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText('That is not the password.').waitFor();
  await page.getByRole('link', { name: '中文' }).click();
  await page.getByLabel('密码').fill('sésame & co');
  await page.getByRole('button', { name: '打开' }).click();
  await page.getByRole('heading', { name: 'Regatta' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
  await page.getByRole('link', { name: 'photos' }).click();
  await page.getByText('start.svg').waitFor();
  await page.getByRole('link', { name: 'Regatta' }).click();
  await page.getByRole('searchbox').fill('START');
  await page.getByRole('searchbox').press('Enter');
  await page.getByText('photos/start.svg').waitFor();
  await page.getByRole('link', { name: '显示全部' }).click();
  await page.getByLabel('选择 crew list.csv').check();
  await page.getByLabel('选择 photos').check();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: '下载所选（ZIP）' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.zip$/);
  expect(await page.context().cookies()).toEqual([]);
  await page.context().close();
});

it('a password in the fragment opens the link, and stands nowhere after', async () => {
  const target = { kind: 'object', key: 'day 1/notes.txt' } as const;
  const { url } = await makeLink({ target, password: 'sésame' });
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.goto(`${url}#password=${encodeURIComponent('sésame')}`, { waitUntil: 'commit' });
  await page.getByRole('heading', { name: 'notes.txt' }).waitFor();
  expect(page.url()).not.toMatch(/password|#|same/);
  expect(await page.locator('.excerpt').textContent()).toBe('<script>alert(1)</script>');
  await context.close();
});

it('a look at a share link counts nothing, and a download counts one', async () => {
  const target = { kind: 'object', key: 'day 1/film.zip' } as const;
  const { id, url } = await makeLink({ target, limits: { downloads: 1 } });
  const page = await open(url);
  const errors = watchErrors(page);
  await page.reload({ waitUntil: 'networkidle' });
  await page.getByText('1 download left').waitFor();
  const chat = await fetch(url, { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } });
  const html = await chat.text();
  expect(html).toContain('<meta property="og:title" content="film.zip"/>');
  const [, picture = ''] = /og:image" content="([^"]*)"/.exec(html) ?? [];
  expect((await fetch(picture)).headers.get('content-type')).toBe('image/png');
  await fetch(url, { method: 'HEAD' });
  expect([await downloadsOf(id), errors]).toEqual([0, []]);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /^Download/ }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('film.zip');
  await download.path();
  await expect.poll(() => downloadsOf(id)).toBe(1);
  const over = await page.goto(url);
  expect(over?.status()).toBe(410);
  await page.getByRole('heading', { name: 'This link is used up' }).waitFor();
  await page.context().close();
});

it('a share page keeps to its policy on a real server', async () => {
  const target = { kind: 'folder', prefix: 'day 1/' } as const;
  const { url } = await makeLink({ target, page: { mode: 'view', colour: '#ffd400' } });
  const page = await open(url);
  const errors = watchErrors(page);
  await page.reload({ waitUntil: 'networkidle' });
  expect(await page.getByText('this page only leaves out the button').isVisible()).toBe(true);
  const style = await page.evaluate<string>(
    'getComputedStyle(document.documentElement).getPropertyValue("--water")',
  );
  expect([errors, style !== '' && style !== '#0b5872']).toEqual([[], true]);
  await page.context().close();
});
