// The page of a drop link in a real browser: with a script and without, broken connections, another
// visit, both languages, a phone, and what axe says.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../../src/client/index.ts';
import { axeViolations } from '../kit/axe.ts';
import { launchBrowser } from '../kit/browser.ts';
import { startServer, type WireServer } from '../kit/server.ts';

let [browser, server, client]: [Browser, WireServer, Client] = [] as never;
let bucketNumber = 0;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startServer()]);
  const { url, accessKey: id, secretKey: secret } = server.target;
  client = createClient({ endpoint: url, accessKey: { id, secret } });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** A link of a new bucket. */
async function makeLink(body: object = {}): Promise<{ bucket: string; path: string }> {
  const bucket = `drop-page-${++bucketNumber}`;
  await client.buckets.create({ body: { name: bucket } });
  const made = await client.request('POST /buckets/{bucket}/drop-links', {
    path: { bucket },
    body: { prefix: 'in/', template: '{name}', ...body },
  });
  return { bucket, path: new URL(made.url).pathname };
}

async function visit(
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ page: Page; context: BrowserContext; faults: string[] }> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(server.target.url + path);
  return { page, context, faults };
}

const file = (name: string, bytes: number) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.alloc(bytes, 7),
});

async function keysOf(bucket: string): Promise<string[]> {
  const { items } = await client.request('GET /buckets/{bucket}/objects', {
    path: { bucket },
    query: { prefix: 'in/' },
  });
  return items.flatMap((entry) => (entry.kind === 'object' ? [entry.key] : []));
}

it('the drop page promises no secret: the folder may be one that everyone reads', async () => {
  const { path } = await makeLink();
  for (const locale of ['en-GB', 'zh-CN']) {
    const { page, context } = await visit(path, { locale });
    const words = await page.getByRole('main').innerText();
    expect(words).toMatch(/You see only what you send|你只能看到自己发送的文件/);
    expect(words).not.toMatch(/Only the receiver|只有接收者/);
    await context.close();
  }
});

it('the drop page sends files with progress, and shows the code', async () => {
  const { bucket, path } = await makeLink({ page: { title: 'Photos', name: 'required' } });
  const { page, faults } = await visit(path);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Photos');
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Files').setInputFiles([file('a.bin', 200_000), file('b.bin', 0)]);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByText('Received').count()).toBe(2);
  expect(await page.getByRole('status').textContent()).toMatch(/Your code: [0-9a-z-]{19}/);
  expect(await keysOf(bucket)).toEqual(['in/a.bin', 'in/b.bin']);
  expect(await axeViolations(page)).toEqual([]);
  expect(faults).toEqual([]);

  // The receipt is one click away, and again when the page is opened later.
  await page.getByRole('button', { name: 'Show the receipt' }).click();
  await page.getByRole('heading', { name: 'Your receipt' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(3);
  await page.goto(server.target.url + path);
  await page.getByRole('button', { name: 'Show the receipt' }).click();
  await page.getByRole('heading', { name: 'Your receipt' }).waitFor();
  expect(page.url()).toBe(server.target.url + path);

  // Nor is the name asked for again.
  await page.goto(server.target.url + path);
  await page.getByLabel('Files').setInputFiles(file('c.bin', 10));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Received').waitFor();
  expect(await keysOf(bucket)).toEqual(['in/a.bin', 'in/b.bin', 'in/c.bin']);
  expect(faults).toEqual([]);
});

it('an upload goes on after a broken connection, and after a reload', async () => {
  const { bucket, path } = await makeLink();
  const { page, context } = await visit(path);
  let breaks = 0;
  await context.route('**/files/*', (route) =>
    route.request().method() === 'PATCH' && breaks++ === 0 ? route.abort() : route.continue(),
  );
  await page.getByLabel('Files').setInputFiles(file('broken.bin', 300_000));
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByText('Received').count()).toBe(1);
  expect(breaks).toBeGreaterThan(1);

  await context.route('**/files/*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await page.getByLabel('Files').setInputFiles(file('later.bin', 300_000));
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByText('The connection broke').count()).toBe(1);
  await page.reload();
  await expect.poll(() => page.getByRole('status').textContent()).toContain('later.bin');
  await context.unroute('**/files/*');
  await page.getByLabel('Files').setInputFiles(file('later.bin', 300_000));
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByText('Received').count()).toBe(1);
  expect(await keysOf(bucket)).toEqual(['in/broken.bin', 'in/later.bin']);
});

it('an upload goes on with a code in another browser, where the file stands', async () => {
  const { bucket, path } = await makeLink();
  const { code } = await (
    await fetch(`${server.target.url}${path}/senders`, { method: 'POST', body: '{}' })
  ).json();
  const begin = { 'tus-resumable': '1.0.0', 'x-quayside-drop-code': code };
  const begun = await fetch(`${server.target.url}${path}/files`, {
    method: 'POST',
    headers: {
      ...begin,
      'upload-length': '300000',
      'upload-metadata': `filename ${btoa('half.bin')}`,
      'content-type': 'application/offset+octet-stream',
    },
    body: Buffer.alloc(200_000, 7),
  });
  expect(begun.status).toBe(201);

  const { page } = await visit(path);
  await page.getByText('Your receipt, or go on: with your code').click();
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Go on with the code' }).click();
  await page.getByText('Choose these files again to go on: half.bin').waitFor();
  await page.getByLabel('Send more files').setInputFiles(file('half.bin', 300_000));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Received').waitFor();
  expect(await keysOf(bucket)).toEqual(['in/half.bin']);
});

it('the page keeps its code and retries where the line breaks before a file begins', async () => {
  const { bucket, path } = await makeLink();
  const { page, context } = await visit(path);
  await page.getByLabel('Files').setInputFiles(file('a.bin', 1000));
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByText('Received').count()).toBe(1);
  const codeOf = async () => (await page.getByRole('status').textContent())?.slice(0, 40);
  const code = await codeOf();

  const broken = new Set<string>();
  await context.route(/\/(receipt|files)$/, (route) => {
    const { pathname } = new URL(route.request().url());
    if (broken.has(pathname)) return route.continue();
    broken.add(pathname);
    return route.abort();
  });
  await page.getByLabel('Files').setInputFiles(file('b.bin', 1000));
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByText('Received').count()).toBe(2);
  await expect.poll(codeOf).toBe(code);
  expect(broken.size).toBe(2);
  expect(await keysOf(bucket)).toEqual(['in/a.bin', 'in/b.bin']);
});

it('the drop page sends no file a second time, but another one of the same name', async () => {
  const { bucket, path } = await makeLink();
  const { page, context } = await visit(path);
  // All of an empty file comes with its beginning, whose answer is lost.
  let losses = 0;
  await context.route(
    '**/files',
    async (route) => {
      await route.fetch();
      losses += 1;
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByLabel('Files').setInputFiles(file('empty.bin', 0));
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByText('Received').count()).toBe(1);
  expect([losses, await keysOf(bucket)]).toEqual([1, ['in/empty.bin']]);

  const other = { ...file('b.bin', 1000), buffer: Buffer.alloc(1000, 8) };
  for (const [chosen, received] of [
    [[file('a.bin', 1000), file('b.bin', 1000)], 3],
    [[file('a.bin', 1000), other], 5],
  ] as const) {
    await page.getByLabel('Files').setInputFiles([...chosen]);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => page.getByText('Received').count()).toBe(received);
    await page.getByRole('button', { name: 'Send', disabled: false }).waitFor();
  }
  expect(await keysOf(bucket)).toEqual(['in/a.bin', 'in/b (2).bin', 'in/b.bin', 'in/empty.bin']);
});

it('the drop page sends as much at once as the service wants of a large file', async () => {
  const { bucket, path } = await makeLink();
  const { page, context } = await visit(path);
  const leastBytes = 17 * 1024 * 1024;
  let pieces = 0;
  await context.route('**/files', async (route) => {
    const response = await route.fetch();
    const least = { 'x-quayside-drop-least-piece': `${leastBytes}` };
    await route.fulfill({ response, headers: { ...response.headers(), ...least } });
  });
  page.on('request', (request) => {
    if (request.method() === 'PATCH') pieces += 1;
  });
  await page.getByLabel('Files').setInputFiles(file('large.bin', leastBytes));
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByText('Received').count()).toBe(1);
  expect([pieces, await keysOf(bucket)]).toEqual([1, ['in/large.bin']]);
  const { items } = await client.request('GET /buckets/{bucket}/objects', {
    path: { bucket },
    query: { prefix: 'in/' },
  });
  expect(items).toMatchObject([{ size: `${leastBytes}` }]);
});

it('the drop page says what is refused and why, and takes the others', async () => {
  const { bucket, path } = await makeLink({ limits: { fileBytes: 1000 } });
  const { page } = await visit(path);
  await page.getByLabel('Files').setInputFiles([file('small', 10), file('large', 2000)]);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByText('Not taken').count()).toBe(1);
  await expect.poll(() => page.getByText('Received').count()).toBe(1);
  expect(await keysOf(bucket)).toEqual(['in/small']);
});

it('the drop page works without a script, on a phone, in Chinese', async () => {
  const { bucket, path } = await makeLink({ page: { note: 'optional' } });
  const phone = {
    javaScriptEnabled: false,
    locale: 'zh-CN',
    viewport: { width: 360, height: 740 },
  };
  const { page } = await visit(path, phone);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('发送文件');
  await page.getByLabel('文件', { exact: true }).setInputFiles(file('a.bin', 5000));
  await page.getByRole('button', { name: '发送' }).click();
  await page.getByRole('heading', { name: '你的回执' }).waitFor();
  expect(await page.getByText('SHA-256').count()).toBe(1);
  expect(await keysOf(bucket)).toEqual(['in/a.bin']);
  const code = await page.locator('code').first().textContent();
  await page.goto(`${server.target.url}${path}?lang=en`);
  await page.getByText('Your receipt, or go on: with your code').click();
  await page.getByLabel('Code').fill(code ?? '');
  await page.getByRole('button', { name: 'Go on with the code' }).click();
  await page.getByRole('cell', { name: 'a.bin' }).waitFor();
});

it('the drop page fits a phone in all its states, and axe finds nothing', async () => {
  const full = { page: { name: 'required', mail: 'required', note: 'optional', text: 'Hello.' } };
  const { path } = await makeLink({ ...full, limits: { fileBytes: 1e6, types: ['image/*'] } });
  const { page } = await visit(path, { viewport: { width: 360, height: 740 } });
  const width = () => page.evaluate('document.documentElement.scrollWidth');
  expect([await width(), await axeViolations(page)]).toEqual([360, []]);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Your mail address').fill('ada@example.org');
  await page.getByLabel('Files').setInputFiles([file('a.bin', 5), file('b.bin', 2_000_000)]);
  // Sent as by a browser without the script.
  await page.evaluate("HTMLFormElement.prototype.submit.call(document.querySelector('form.drop'))");
  await page.getByRole('heading', { name: 'Your receipt' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(2);
  expect([await width(), await axeViolations(page)]).toEqual([360, []]);
});
