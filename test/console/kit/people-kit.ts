// A browser and a server on Node for the tests of keys, members, sign-in and the trash: opens pages
// of the console, signed in or not, and closes them after each test.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Client, createClient } from '../../../src/client/index.ts';
import { launchBrowser, newContext, signIn, watchErrors } from './browser.ts';
import { addDevice } from './passkey-device.ts';
import { startServer, type WireServer } from './server.ts';

export type OpenOptions = {
  /** Signed in with the root key. */
  readonly isIn?: boolean;
  /** Under the name `localhost`, which passkeys work with. */
  readonly atLocalhost?: boolean;
};

export type PeopleKit = {
  readonly client: Client;
  readonly server: WireServer;
  open(
    path: string,
    options?: OpenOptions,
  ): Promise<{ page: Page; context: BrowserContext; errors: string[] }>;
};

/** Starts both before the tests of a file; `prepare` fills the server. */
export function usePeopleKit(prepare: (client: Client) => Promise<void> = async () => {}) {
  let [browser, server, client]: [Browser, WireServer, Client] = [] as never;
  const opened: BrowserContext[] = [];

  beforeAll(async () => {
    [browser, server] = await Promise.all([launchBrowser(), startServer()]);
    const { url, accessKey: id, secretKey: secret } = server.target;
    client = createClient({ endpoint: url, accessKey: { id, secret } });
    await prepare(client);
  });
  afterEach(async () => {
    for (const context of opened.splice(0)) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function open(path: string, { isIn = true, atLocalhost = false }: OpenOptions = {}) {
    const { url: address } = server.target;
    const url = atLocalhost ? address.replace('127.0.0.1', 'localhost') : address;
    const context = await newContext(browser);
    opened.push(context);
    if (isIn) await signIn(context, url, server.target);
    const page = await context.newPage();
    const errors = watchErrors(page);
    if (atLocalhost) await addDevice(page, context);
    await page.goto(`${url}/-/console${path}`, { waitUntil: 'networkidle' });
    return { page, context, errors };
  }

  return {
    open,
    get client() {
      return client;
    },
    get server() {
      return server;
    },
  } satisfies PeopleKit;
}

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
export const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });

/** Shows the page to whoever sits there, or hides it as behind another tab. */
export const showPage = (page: Page, isShown: boolean): Promise<unknown> =>
  page.evaluate(`{
    Object.defineProperty(document, 'hidden', { value: ${!isShown}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
