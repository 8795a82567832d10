// A server with one bucket that keeps versions, and pages of its objects in the browser, for the
// tests of viewers: what was fetched is counted, and what axe finds wrong can be asked for.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { type Client, createClient } from '../../../src/client/index.ts';
import type { WireTarget } from '../../wire/kit/clients/target.ts';
import { type Look, launchBrowser, newContext, signIn, watchErrors } from './browser.ts';
import { startServer } from './server.ts';

export const BUCKET = 'viewers';
export const MEGABYTE = 1_000_000;
/** A sandboxed page that wanted to run a script: the browser says so, and rightly. */
const BLOCKED = /^Blocked script execution/;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type Attributes = {
  readonly contentType?: string;
  readonly metadata?: Record<string, string>;
};

export type Opened = {
  readonly page: Page;
  readonly errors: () => string[];
  /** Bytes of objects that came so far. */
  readonly fetched: () => number;
};

export type ObjectPages = {
  readonly client: Client;
  readonly target: WireTarget;
  readonly put: (
    key: string,
    body: string | Uint8Array<ArrayBuffer>,
    attributes?: Attributes,
  ) => PromiseLike<unknown>;
  readonly textOf: (key: string) => Promise<string>;
  /** Opens the page of an object, by what follows the bucket in its address. */
  readonly open: (path: string, look?: Look) => Promise<Opened>;
  /** Any page of the browser, without the console. */
  readonly newPage: () => Promise<Page>;
  readonly stop: () => Promise<void>;
};

export async function startObjectPages(): Promise<ObjectPages> {
  const [browser, server] = await Promise.all([launchBrowser(), startServer()]);
  const { url, accessKey: id, secretKey: secret } = server.target;
  const client = createClient({ endpoint: url, accessKey: { id, secret } });
  await client.buckets.create({ body: { name: BUCKET } });
  const bucket = await client.buckets.get(BUCKET);
  await client.buckets.update(BUCKET, { body: { versioning: 'enabled' }, ifMatch: bucket });

  async function open(path: string, look: Look = {}): Promise<Opened> {
    const context = await newContext(browser, look);
    await signIn(context, url, server.target);
    const page = await context.newPage();
    const errors = watchErrors(page);
    let fetched = 0;
    page.on('response', (response) => {
      const isBytes = response.url().includes('X-Amz-Signature') && response.status() < 300;
      if (isBytes) fetched += Number(response.headers()['content-length'] ?? 0);
    });
    await page.goto(`${url}/-/console/b/${BUCKET}/${path}`);
    return {
      page,
      errors: () => errors.filter((error) => !BLOCKED.test(error)),
      fetched: () => fetched,
    };
  }
  return {
    client,
    target: server.target,
    put: (key, body, attributes = {}) => client.upload(BUCKET, key, new Blob([body]), attributes),
    textOf: async (key) => (await client.download(BUCKET, key)).text(),
    open,
    newPage: () => browser.newPage(),
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}

/** Bucket and key that the address names. */
export const addressOf = (page: Page): string =>
  decodeURIComponent(new URL(page.url()).pathname.split('/b/')[1] ?? '');

/** The value of an expression in the page. */
export const valueIn = (page: Page, expression: string): Promise<unknown> =>
  page.evaluate(expression);

/** What axe finds wrong with the page, by rule and place. */
export async function complaints(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(
    'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => ' +
      // biome-ignore lint/suspicious/noTemplateCurlyInString: evaluated by the browser
      'nodes.map(({ html }) => `${id}: ${html}`)))',
  );
}
