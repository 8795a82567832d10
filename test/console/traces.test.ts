// What a browser keeps of who used it, and what a tab asks for that nobody looks at.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { signIn } from './kit/browser.ts';
import { button, showPage, usePeopleKit } from './kit/people-kit.ts';

const kit = usePeopleKit(async (client) => {
  await client.buckets.create({ body: { name: 'traces' } });
  await client.upload('traces', 'of-the-first/secret.txt', 'x');
});

/** Names and values of both storages, and the records of all databases. */
const keptIn = (page: Page) =>
  page.evaluate<string>(`(async () => {
    const kept = [JSON.stringify(localStorage), JSON.stringify(sessionStorage)];
    for (const { name } of await indexedDB.databases()) {
      const open = indexedDB.open(name);
      await new Promise((resolve) => { open.onsuccess = resolve; });
      for (const store of open.result.objectStoreNames) {
        const all = open.result.transaction(store).objectStore(store).getAll();
        await new Promise((resolve) => { all.onsuccess = resolve; });
        kept.push(JSON.stringify(all.result));
      }
      open.result.close();
    }
    return kept.join('\\n');
  })()`);

/** Leaves what a person leaves: a visited place, a draft, an upload that is not over. */
async function leaveTraces(page: Page): Promise<void> {
  await page.getByText('secret.txt').first().waitFor();
  await expect.poll(() => keptIn(page)).toContain('of-the-first');
  await page.evaluate(`(async () => {
    sessionStorage.setItem('quayside-draft traces of-the-first/a', '{"text":"of the first"}');
    const open = indexedDB.open('quayside-uploads');
    open.onupgradeneeded = () => open.result.createObjectStore('records');
    await new Promise((resolve) => { open.onsuccess = resolve; });
    const writing = open.result.transaction('records', 'readwrite');
    writing.objectStore('records').put({ kind: 'batch', id: '1', prefix: 'of-the-first/' }, 'a');
    await new Promise((resolve) => { writing.oncomplete = resolve; });
    open.result.close();
  })()`);
}

it('109: nothing stays of who signs out, in any tab', async () => {
  const { page, context, errors } = await kit.open('/b/traces/of-the-first/');
  await leaveTraces(page);
  const other = await context.newPage();
  await other.goto(`${kit.server.target.url}/-/console/b/traces/of-the-first/`);
  await other.getByText('secret.txt').first().waitFor();

  await button(page, 'Account').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Access key ID').waitFor();
  expect(await keptIn(page)).not.toContain('of-the-first');
  expect(new URL(page.url()).pathname).toBe('/-/console/');
  await other.getByLabel('Access key ID').waitFor();
  expect(await other.getByText('secret.txt').count()).toBe(0);
  expect(errors).toEqual([]);
});

it('109: nothing is shown of another member whose session ended', async () => {
  const { page, context } = await kit.open('/b/traces/of-the-first/');
  await leaveTraces(page);
  await context.clearCookies();
  const { id, secretAccessKey } = await kit.client.keys.create({ body: { name: 'second' } });
  const { url } = kit.server.target;
  await signIn(context, url, { accessKey: id, secretKey: secretAccessKey });
  await page.goto(`${url}/-/console/buckets`, { waitUntil: 'networkidle' });
  await page.getByRole('link', { name: 'traces' }).first().waitFor();
  expect(await keptIn(page)).not.toContain('of-the-first');
});

it('the page asks for nothing while its tab is hidden, and catches up', async () => {
  const { page } = await kit.open('/jobs');
  await kit.client.jobs.start('traces', { body: { kind: 'copy', prefix: 'none/', to: 'other/' } });
  // The job is told to run for ever.
  await page.route('**/-/api/v1/jobs?*', async (route) => {
    const { items, nextCursor } = await (await route.fetch()).json();
    const running = items.map((job: object) => ({ ...job, state: 'running' }));
    await route.fulfill({ json: { items: running, nextCursor } });
  });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/-/api/')) sent.push(request.url());
  });
  await page.reload({ waitUntil: 'domcontentloaded' });
  await expect.poll(() => sent.filter((url) => url.includes('/jobs')).length).toBeGreaterThan(2);
  await showPage(page, false);
  await page.waitForLoadState('networkidle');
  const before = sent.length;
  // Two rounds of the timer pass, by the clock of the page.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 4500))');
  expect(sent.slice(before)).toEqual([]);
  await showPage(page, true);
  await expect.poll(() => sent.length).toBeGreaterThan(before);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it('a hidden folder does not ask again and again for sizes that are being counted', async () => {
  await kit.client.upload('traces', 'folder/a.txt', 'a');
  const { page } = await kit.open('/jobs');
  let asked = 0;
  // The bucket is told to be counted for ever.
  await page.route('**/-/api/v1/buckets/traces/sizes?*', async (route) => {
    asked++;
    await route.fulfill({ json: { items: null } });
  });
  await page.goto(`${kit.server.target.url}/-/console/b/traces/`);
  await expect.poll(() => asked).toBeGreaterThan(1);
  await showPage(page, false);
  const before = asked;
  // Three rounds of the timer pass, by the clock of the page; one request may be on its way.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 5000))');
  expect(asked - before).toBeLessThanOrEqual(1);
  await showPage(page, true);
  await expect.poll(() => asked).toBeGreaterThan(before + 1);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
