// The policy of the console's page in a real browser: the console runs under it, and a script that
// somebody stored on this server, which is of the same origin, does not.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser, newContext, signIn, watchErrors } from './kit/browser.ts';
import { type ConsoleInstance, startFreshInstance } from './kit/console-instance.ts';

let [browser, instance]: [Browser, ConsoleInstance] = [] as never;
const EVIL = 'globalThis.isOwned = true; if (typeof postMessage === "function") postMessage(1);';

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startFreshInstance()]);
  await instance.client.buckets.create({ body: { name: 'evil' } });
  await instance.client.upload('evil', 'evil.js', EVIL, { contentType: 'text/javascript' });
  await instance.client.upload('evil', 'evil.css', 'body { opacity: 0 }', {
    contentType: 'text/css',
  });
  await instance.client.request('PUT /buckets/{bucket}/public-access', {
    path: { bucket: 'evil' },
    body: { what: 'read' },
    ifMatch: '*',
  });
});

afterAll(async () => {
  await browser?.close();
  await instance?.server.stop();
});

/** `policyOf`: what becomes of the policy on its way to the browser. */
async function openConsole(path = '/jobs', policyOf?: (policy: string) => string): Promise<Page> {
  const context = await newContext(browser);
  await signIn(context, instance.url, instance.keys);
  const page = await context.newPage();
  if (policyOf !== undefined) {
    await page.route(`${instance.url}/-/console${path}`, async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      headers['content-security-policy'] = policyOf(headers['content-security-policy'] ?? '');
      await route.fulfill({ response, headers });
    });
  }
  await page.goto(`${instance.url}/-/console${path}`);
  await page.locator('h1').waitFor();
  return page;
}

/** Tries in the page; resolves with `ran`, or with who refused it. The texts run in the browser. */
const TRIES = {
  script: `new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = policy.createScriptURL(url);
    script.onload = () => resolve('ran');
    script.onerror = () => resolve('refused');
    document.head.append(script);
  })`,
  module: `import(url).then(() => 'ran', () => 'refused')`,
  worker: `new Promise((resolve) => {
    const worker = new Worker(policy.createScriptURL(url));
    worker.onmessage = () => resolve('ran');
    worker.onerror = () => resolve('refused');
  })`,
  sharedWorker: `new Promise((resolve) => {
    const worker = new SharedWorker(policy.createScriptURL(url));
    worker.onerror = () => resolve('refused');
    setTimeout(() => resolve('ran'), 15_000);
  })`,
  serviceWorker: `navigator.serviceWorker.register(policy.createScriptURL(url))
    .then(() => 'ran', () => 'refused')`,
  style: `new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = url.replace('.js', '.css');
    link.onload = () => resolve('ran');
    link.onerror = () => resolve('refused');
    document.head.append(link);
  })`,
};

const attempt = (page: Page, way: keyof typeof TRIES, url: string) =>
  page.evaluate(`{
    globalThis.policy ??= trustedTypes.createPolicy('markdown', { createScriptURL: (url) => url });
    const { policy } = globalThis;
    const url = ${JSON.stringify(url)};
    ${TRIES[way]};
  }`);

it('126: the policy lets the console run without complaint, and ask nobody else', async () => {
  const page = await openConsole();
  const errors = watchErrors(page);
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(`${instance.url}/`)) foreign.push(request.url());
  });
  await page.reload();
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'evil' }).waitFor();
  const { policy } = await page.evaluate<{ policy: string }>(
    'fetch(location).then(({ headers }) => ({ policy: headers.get("content-security-policy") }))',
  );
  expect(policy).toContain(`script-src ${new URL(instance.url).host}/-/console/assets/;`);
  expect([errors, foreign]).toEqual([[], []]);
  await page.context().close();
});

it('126: the console runs at the whole name of its host too, by its own files alone', async () => {
  const page = await (await newContext(browser)).newPage();
  const response = await page.goto(`http://localhost.:${new URL(instance.url).port}/-/console/`);
  await page.locator('h1').waitFor();
  const { 'content-security-policy': policy } = (await response?.allHeaders()) ?? {};
  expect(policy).toMatch(/script-src localhost\.:\d+\/-\/console\/assets\/;/);
  await page.context().close();
});

it.each(Object.keys(TRIES) as (keyof typeof TRIES)[])(
  '126: the policy refuses what is stored here as a %s',
  async (way) => {
    const page = await openConsole();
    expect(await attempt(page, way, '/evil/evil.js')).toBe('refused');
    // Browsers fold the dots before they compare, the server never does.
    const folded = '/-/console/assets/..%2f..%2f..%2fevil/evil.js';
    expect(await attempt(page, way, folded)).toBe('refused');
    expect(await page.evaluate('globalThis.isOwned')).toBeUndefined();
    await page.context().close();
  },
);

it('126: a policy that named the origin alone would let stored code run', async () => {
  const host = new URL(instance.url).host;
  const weaken = (policy: string) => policy.replaceAll(`${host}/-/console/assets/`, "'self'");
  const page = await openConsole('/jobs', weaken);
  const ways = ['script', 'module', 'worker', 'style'] as const;
  const results = await Promise.all(ways.map((way) => attempt(page, way, '/evil/evil.js')));
  expect(results).toEqual(ways.map(() => 'ran'));
  await page.context().close();
});
