// Uploads in a real browser against a server on Node: ways in, the dock, clashes, breaks.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { startNode, type WireServer } from '../wire/kit/server.ts';
import { launchBrowser, newContext, serveBuild, signIn, watchErrors } from './kit/browser.ts';
import { dropFiles } from './kit/drop-files.ts';

let [browser, server, client]: [Browser, WireServer, Client] = [] as never;
let bucketNumber = 0;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startNode()]);
  const { url, accessKey: id, secretKey: secret } = server.target;
  client = createClient({ endpoint: url, accessKey: { id, secret } });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const CONSOLE_IS_SERVED = async () => {
  const response = await fetch(`${server.target.url}/-/console/`);
  return response.headers.get('content-type')?.includes('text/html') === true && response.ok;
};

type Opened = {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly bucket: string;
  readonly errors: string[];
};

/** A page that shows an empty folder of a new bucket. */
async function openFolder(prefix = 'in/'): Promise<Opened> {
  const bucket = `console-upload-${++bucketNumber}`;
  await client.buckets.create({ body: { name: bucket } });
  const context = await newContext(browser);
  if (!(await CONSOLE_IS_SERVED())) await serveBuild(context, server.target.url);
  await signIn(context, server.target.url, server.target);
  const page = await context.newPage();
  const errors = watchErrors(page);
  page.on('dialog', (dialog) => void dialog.accept());
  await goTo(page, bucket, prefix);
  return { page, context, bucket, errors };
}

const goTo = (page: Page, bucket: string, prefix: string) =>
  page.goto(`${server.target.url}/-/console/b/${bucket}/${prefix}`, { waitUntil: 'networkidle' });

async function bodiesOf(bucket: string): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {};
  for await (const entry of client.objects.list(bucket, { query: { delimiter: '' } })) {
    if (entry.kind !== 'object') continue;
    bodies[entry.key] = await (await client.download(bucket, entry.key)).text();
  }
  return bodies;
}

const dockSays = (page: Page, text: string | RegExp) =>
  page.locator('.dock').getByText(text).first().waitFor();

it('37: takes files by the dialog of the key U and by a drop, and says so in one line', async () => {
  const { page, context, bucket, errors } = await openFolder();
  await page.keyboard.press('u');
  const dialog = page.getByRole('dialog', { name: 'Upload to in' });
  await dialog.waitFor();
  const input = dialog.locator('input[type=file]').first();
  await input.setInputFiles([
    { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('one') },
    { name: '港口 é.txt', mimeType: 'text/plain', buffer: Buffer.from('two') },
  ]);
  await dockSays(page, '2 of 2');
  expect(await page.locator('.dock-list').count()).toBe(0);
  await dropFiles(page, [{ name: 'b.txt', body: 'three' }]);
  await dockSays(page, '3 of 3');
  expect(await bodiesOf(bucket)).toEqual({
    'in/a.txt': 'one',
    'in/b.txt': 'three',
    'in/港口 é.txt': 'two',
  });
  await page.getByRole('button', { name: 'Show the files' }).click();
  expect(await page.locator('.dock-list [role=listitem]').count()).toBe(3);
  expect(errors).toEqual([]);
  await context.close();
});
