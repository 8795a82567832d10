// What tests of uploads in the browser share: a server on Node, one browser for a file, a page that
// shows an empty folder, and what can be done to its uploads.
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type Client, createClient } from '../../../src/client/index.ts';
import { temporaryFolder } from '../../node/kit/temporary-folder.ts';
import { launchBrowser, newContext, signIn, watchErrors } from './browser.ts';
import { startServer, type WireServer } from './server.ts';

/** Set before the tests of a file. */
let [browser, server, client]: [Browser, WireServer, Client] = [] as never;
let bucketNumber = 0;

/** Starts a server and a browser before the tests of a file, and ends them after. */
export function useUploadPages(): void {
  beforeAll(async () => {
    [browser, server] = await Promise.all([launchBrowser(), startServer()]);
    const { url, accessKey: id, secretKey: secret } = server.target;
    client = createClient({ endpoint: url, accessKey: { id, secret } });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
}

/** The SDK with the server's root key. */
export const root = (): Client => client;

export type Opened = {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly bucket: string;
  readonly errors: string[];
};

/** A page that shows an empty folder of a new bucket. */
export async function openFolder(prefix = 'in/'): Promise<Opened> {
  const bucket = `console-upload-${++bucketNumber}`;
  await client.buckets.create({ body: { name: bucket } });
  const context = await newContext(browser);
  await signIn(context, server.target.url, server.target);
  const page = await context.newPage();
  const errors = watchErrors(page);
  page.on('dialog', (dialog) => void dialog.accept());
  await goTo(page, bucket, prefix);
  return { page, context, bucket, errors };
}

/** The address of the folder of a bucket. */
export const folderUrl = (bucket: string, prefix = 'in/'): string =>
  `${server.target.url}/-/console/b/${bucket}/${prefix}`;

const goTo = (page: Page, bucket: string, prefix: string) =>
  page.goto(folderUrl(bucket, prefix), { waitUntil: 'networkidle' });

export async function bodiesOf(bucket: string): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {};
  for await (const entry of client.objects.list(bucket, { query: { delimiter: '' } })) {
    if (entry.kind !== 'object') continue;
    bodies[entry.key] = await (await client.download(bucket, entry.key)).text();
  }
  return bodies;
}

export const dockSays = (page: Page, text: string | RegExp) =>
  page.locator('.dock').getByText(text).first().waitFor();

/** Lets PUTs of objects hang, fail or pass; presigned URLs name the bucket in their path. */
export async function steerPuts(page: Page, bucket: string) {
  let rule: 'pass' | 'hang' | 'cut' = 'pass';
  const passed: string[] = [];
  await page.route(`**/${bucket}/**`, async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    if (rule === 'cut') return route.abort('internetdisconnected');
    if (rule === 'hang') return;
    passed.push(new URL(route.request().url()).pathname);
    return route.continue();
  });
  return {
    passed,
    set: (next: typeof rule) => {
      rule = next;
    },
  };
}

export const LARGE_BYTES = 17 * 1024 * 1024;

/** A file on disk, which has the same time whenever it is chosen; three parts long. */
export async function largeFile(name: string): Promise<string> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, 'begins');
  await truncate(path, LARGE_BYTES);
  return path;
}

/** Chooses files by the dialog of U and begins to send them. */
export async function choose(page: Page, files: readonly string[]): Promise<void> {
  await page.keyboard.press('u');
  const dialog = page.getByRole('dialog');
  await dialog
    .locator('input[type=file]')
    .first()
    .setInputFiles([...files]);
  await dialog.getByRole('button', { name: /^Upload \d+ file/ }).click();
}

export async function uploadsOf(bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of client.uploads.list(bucket)) keys.push(key);
  return keys;
}
