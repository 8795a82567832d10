// CORS and website settings as forms of rows, in a real browser against a server on Node.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { axeViolations } from './kit/axe.ts';
import { launchBrowser, newContext, signIn, watchErrors } from './kit/browser.ts';
import { startServer, type WireServer } from './kit/server.ts';

let [browser, server, client, context]: [Browser, WireServer, Client, BrowserContext] = [] as never;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startServer()]);
  const { url, accessKey: id, secretKey: secret } = server.target;
  client = createClient({ endpoint: url, accessKey: { id, secret } });
  context = await newContext(browser);
  await signIn(context, url, server.target);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(
  bucket: string,
  inContext = context,
): Promise<{ page: Page; errors: string[] }> {
  await client.buckets.create({ body: { name: bucket } }).catch(() => {});
  const page = await inContext.newPage();
  const errors = watchErrors(page);
  await page.goto(`${server.target.url}/-/console/b/${bucket}?settings=website`);
  return { page, errors };
}

const partOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const settingsOf = (bucket: string) => client.buckets.get(bucket);

it('95: the form makes CORS rules row by row, with the server’s error at its field', async () => {
  const { page, errors } = await open('cors-rows');
  const cors = partOf(page, 'CORS');
  await cors.getByRole('button', { name: 'Add a rule' }).click();
  const first = cors.getByRole('group', { name: 'Rule 1' });
  const sites = first.getByRole('textbox', { name: 'Sites that may' });
  // What was added has the focus: one can go on typing.
  await page.keyboard.type('https://*.*.example');
  expect(await sites.inputValue()).toBe('https://*.*.example');
  await first.getByRole('checkbox', { name: 'PUT' }).check();
  await cors.getByRole('button', { name: 'Save' }).click();
  await first.getByText('at most one *, visible ASCII').waitFor();
  expect(await sites.getAttribute('aria-invalid')).toBe('true');
  expect(await sites.evaluate((field) => field.matches(':focus'))).toBe(true);
  expect(await cors.getByRole('alert').count()).toBe(0);

  await sites.fill('https://www.shop.example\nhttps://*.shop.example\n');
  expect(await sites.getAttribute('aria-invalid')).toBe('false');
  await first
    .getByRole('textbox', { name: 'Response headers to read' })
    .fill('ETag, x-amz-version-id');
  await first.getByRole('spinbutton').fill('600');
  await cors.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const rule = {
    id: null,
    allowedMethods: ['GET', 'HEAD', 'PUT'],
    allowedOrigins: ['https://www.shop.example', 'https://*.shop.example'],
    allowedHeaders: [],
    exposeHeaders: ['ETag', 'x-amz-version-id'],
    maxAgeSeconds: 600,
  };
  expect((await settingsOf('cors-rows')).cors).toEqual([rule]);
  await cors.getByText('Scripts of these sites may use files here').waitFor();

  await cors.getByRole('button', { name: 'Add a rule' }).click();
  await page.keyboard.type('https://other.example');
  await cors.getByRole('button', { name: 'Remove: Rule 1' }).click();
  const rest = cors.getByRole('group', { name: 'Rule 1' });
  expect(await rest.getByRole('textbox', { name: 'Sites that may' }).inputValue()).toBe(
    'https://other.example',
  );
  const remove = rest.getByRole('button', { name: 'Remove: Rule 1' });
  expect(await remove.evaluate((button) => button.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
  const add = cors.getByRole('button', { name: 'Add a rule' });
  expect(await add.evaluate((button) => button.matches(':focus'))).toBe(true);
  await cors.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await settingsOf('cors-rows')).cors).toEqual([]);
  await cors.getByText('Pages of other sites can’t read files here').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await settingsOf('cors-rows')).cors).toEqual([rule]);
  expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  await page.close({ runBeforeUnload: false });
});

it('95: the form shows its rules as JSON by one click, those of no row only so', async () => {
  const { page, errors } = await open('cors-json');
  const cors = partOf(page, 'CORS');
  await cors.getByRole('button', { name: 'Add a rule' }).click();
  await page.keyboard.type('https://a.example');
  await cors.getByRole('button', { name: 'As JSON' }).click();
  const json = cors.getByRole('textbox', { name: 'Rules as JSON' });
  expect(JSON.parse(await json.inputValue())).toEqual([
    { allowedMethods: ['GET', 'HEAD'], allowedOrigins: ['https://a.example'] },
  ]);
  await json.fill('[{"allowedMethods": ["GET"], "allowedOrigins": 1}]');
  const back = cors.getByRole('button', { name: 'As a form' });
  expect(await back.getAttribute('aria-disabled')).toBe('true');
  await cors.getByRole('button', { name: 'Save' }).click();
  // Here no field is at hand: the words stand below the text.
  await cors.getByRole('alert').getByText('/cors/0/allowedOrigins').waitFor();
  await json.fill('[{"allowedMethods": ["GET"], "allowedOrigins": ["*"]}]');
  await back.click();
  expect(await cors.getByRole('textbox', { name: 'Sites that may' }).inputValue()).toBe('*');
  await cors.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await settingsOf('cors-json')).cors).toMatchObject([{ allowedOrigins: ['*'] }]);
  expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  await page.close({ runBeforeUnload: false });
});

it('102: the form keeps both sides of CORS rules where somebody else changed them', async () => {
  const { page } = await open('cors-clash');
  const cors = partOf(page, 'CORS');
  await cors.getByRole('button', { name: 'Add a rule' }).click();
  await page.keyboard.type('https://mine.example');
  const theirs = { allowedMethods: ['GET' as const], allowedOrigins: ['https://theirs.example'] };
  await client.buckets.update('cors-clash', { body: { cors: [theirs] }, ifMatch: '*' });
  await cors.getByRole('button', { name: 'Save' }).click();
  await cors.getByText('Somebody changed this setting').waitFor();
  expect((await settingsOf('cors-clash')).cors).toMatchObject([theirs]);
  await cors.getByRole('button', { name: 'Save mine' }).click();
  await expect
    .poll(async () => (await settingsOf('cors-clash')).cors[0]?.allowedOrigins)
    .toEqual(['https://mine.example']);
  await page.close({ runBeforeUnload: false });
});

it('19: the form makes a website: hosts, pages, cache rules', async () => {
  const { page, errors } = await open('site-form');
  const hosting = partOf(page, 'Hosting');
  await hosting.getByRole('checkbox', { name: 'This bucket is a website' }).check();
  await hosting.getByRole('button', { name: 'Add a domain' }).click();
  await page.keyboard.type('WWW.shop.example');
  await hosting.getByRole('checkbox', { name: /^One page for every address/ }).check();
  await hosting.getByRole('textbox', { name: 'Page for what is not there' }).fill('');
  await hosting.getByRole('combobox', { name: 'Search engines' }).selectOption('disallow');
  await hosting.getByRole('button', { name: 'Add a cache rule' }).click();
  const rule = hosting.getByRole('group', { name: 'Cache rule 1' });
  await rule.getByRole('textbox', { name: 'Objects' }).fill('*.css');
  await rule.getByRole('textbox', { name: 'Cache-Control' }).fill('max-age=60');
  await hosting.getByRole('button', { name: 'Save' }).click();
  const host = hosting.getByRole('textbox', { name: 'Host name' });
  await hosting.getByText(/a domain name in lower case/).waitFor();
  expect(await host.getAttribute('aria-invalid')).toBe('true');

  await host.fill('www.shop.example');
  await hosting.getByRole('button', { name: 'Save' }).click();
  await hosting.getByText('This bucket is a website with').waitFor();
  expect((await settingsOf('site-form')).hosting).toMatchObject({
    domains: [{ host: 'www.shop.example', prefix: '' }],
    spaFallback: true,
    errorDocument: null,
    robots: 'disallow',
    cacheControlRules: [{ match: '*.css', cacheControl: 'max-age=60' }],
    cleanUrls: true,
  });
  await hosting.getByRole('checkbox', { name: 'This bucket is a website' }).uncheck();
  await hosting.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await settingsOf('site-form')).hosting).toBeNull();
  expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  await page.close({ runBeforeUnload: false });
});

it('19: the form makes a website in S3’s way, and leads all of it elsewhere', async () => {
  const { page, errors } = await open('s3-site');
  const site = partOf(page, 'Website in S3’s way');
  await site.getByRole('radio', { name: 'Pages' }).check();
  await site.getByRole('button', { name: 'Add a rule' }).click();
  await page.keyboard.type('old/');
  const rule = site.getByRole('group', { name: 'Rule 1' });
  await site.getByRole('button', { name: 'Save' }).click();
  await site.getByRole('alert').getByText('must change something').waitFor();
  await rule.getByRole('textbox', { name: 'Put in place of the beginning' }).fill('new/');
  await rule.getByRole('combobox', { name: 'With the status' }).selectOption('301');
  await site.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await settingsOf('s3-site')).website).toMatchObject({
    indexSuffix: 'index.html',
    routingRules: [
      { keyPrefix: 'old/', redirect: { replaceKeyPrefixWith: 'new/', statusCode: 301 } },
    ],
  });
  await site.getByRole('radio', { name: 'Everything leads to another host' }).check();
  await site.getByRole('textbox', { name: 'Host name' }).fill('shop.example');
  await site.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => (await settingsOf('s3-site')).website)
    .toMatchObject({ redirectAllTo: { hostName: 'shop.example' }, indexSuffix: null });
  expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  await page.close({ runBeforeUnload: false });
});

it('123: the forms fit on a phone in both languages, and break no rule of axe', async () => {
  await client.buckets.create({ body: { name: 'phone-forms' } });
  const cors = [{ allowedMethods: ['GET' as const], allowedOrigins: ['https://a.example'] }];
  const website = {
    indexSuffix: 'index.html',
    routingRules: [{ redirect: { hostName: 'b.example' } }],
  };
  const hosting = { domains: [{ host: 'c.example' }], cacheControlRules: [] };
  await client.buckets.update('phone-forms', { body: { cors, website, hosting }, ifMatch: '*' });
  for (const [language, isDark, add] of [
    ['en', false, 'Add a domain'],
    ['zh', true, '添加域名'],
  ] as const) {
    const look = { width: 360, height: 740, isDark, isTouch: true, language };
    const phone = await newContext(browser, look);
    await signIn(phone, server.target.url, server.target);
    const { page, errors } = await open('phone-forms', phone);
    await page.getByRole('button', { name: add }).waitFor();
    const widest = 'document.querySelector(".page").scrollWidth';
    expect(await page.evaluate(widest)).toBeLessThanOrEqual(360);
    expect(await axeViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
    await phone.close();
  }
});
