// A drop link from its first day to its last, as one run: an owner asks for files in the console,
// somebody sends folders from a phone over a line that breaks five times, goes on elsewhere, and
// the owner releases what came and reads it.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fault, type FaultProxy, startFaultProxy } from '../../client/fault-proxy.ts';
import { temporaryFolder } from '../../node/kit/temporary-folder.ts';
import { launchBrowser, newContext, signInByForm, watchErrors } from '../kit/browser.ts';
import { type ConsoleInstance, startFreshInstance } from '../kit/console-instance.ts';
import { dialog } from '../kit/people-kit.ts';

let [browser, instance, line]: [Browser, ConsoleInstance, FaultProxy] = [] as never;
const BUCKET = 'regatta';
const FILM = 'Our trip/film.mp4';
const PHOTO_BYTES = 300_000;
/** One request of the page brings 16 MiB at most: of the film there are two. */
const FILM_BYTES = 20_000_000;
const MOST_OF_FILM_BYTES = 16 * 1024 * 1024;

const folder = temporaryFolder();
const files: ReadonlyMap<string, Buffer> = new Map([
  ['Our trip/day 1/start.jpg', randomBytes(PHOTO_BYTES)],
  ['Our trip/day 1/crew & boat.txt', Buffer.from('Ada, Björn, 海燕\n')],
  ['Our trip/day 2/空.txt', Buffer.alloc(0)],
  [FILM, randomBytes(FILM_BYTES)],
]);
/** Sizes as pages show them. */
const SHOWN_SIZES: Readonly<Record<number, string>> = {
  0: '0 B',
  20: '20 B',
  [PHOTO_BYTES]: '300 kB',
  [FILM_BYTES]: '20.0 MB',
};
const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startFreshInstance()]);
  line = await startFaultProxy(instance.url, breakingLine());
  await instance.client.buckets.create({ body: { name: BUCKET } });
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
});

afterAll(async () => {
  await browser?.close();
  await line?.end();
  await instance?.server.stop();
});

/** What may be wrong with the line; the test mends it. */
const weather = { isRestLost: true };

/**
 * A line that breaks once each where somebody joins, behind a photo (whose answer is lost), within
 * the film, and behind the rest of it; and before that rest as long as `weather` says so.
 */
function breakingLine(): (request: IncomingMessage) => Fault | null {
  const broken = new Set<string>();
  const once = (name: string, fault: Fault): Fault | null => {
    if (broken.has(name)) return null;
    broken.add(name);
    return fault;
  };
  return ({ method, url = '', headers }) => {
    if (method === 'POST' && url.endsWith('/senders')) return once('joining', 'refused');
    if (method !== 'PATCH') return null;
    const lengthBytes = Number(headers['content-length']);
    if (lengthBytes === PHOTO_BYTES) return once('photo', 'lost-answer');
    if (lengthBytes === MOST_OF_FILM_BYTES) return once('film', 'cut-request');
    if (headers['upload-offset'] === '0') return null;
    return weather.isRestLost ? 'refused' : once('rest', 'lost-answer');
  };
}

/** The owner's console, signed in by its form. */
async function openConsole(): Promise<{ page: Page; errors: string[] }> {
  const page = await (await newContext(browser)).newPage();
  const errors = watchErrors(page);
  await page.goto(`${instance.url}/-/console`);
  await signInByForm(page, instance.keys);
  return { page, errors };
}

/** The owner asks for files; gives the link. */
async function makeLink(owner: Page): Promise<string> {
  await owner.getByRole('link', { name: 'Links' }).first().click();
  await owner.getByRole('button', { name: 'Ask for files' }).click();
  const ask = dialog(owner, 'Ask for files');
  await ask.getByLabel('What for').fill('Photos of Saturday');
  await ask.getByLabel('Into the folder').fill('inbox');
  await ask.getByLabel('Files wait in quarantine').check();
  await ask.getByText('More', { exact: true }).click();
  await ask.getByLabel('Largest file, GB').fill('0.1');
  await ask.getByLabel('Files at most').fill('10');
  await ask.getByRole('button', { name: 'Make the link' }).click();
  const made = dialog(owner, 'The link is ready');
  const url = await made.getByLabel('Link', { exact: true }).inputValue();
  await made.getByRole('link', { name: 'Inbox' }).click();
  await owner.getByText('Nothing has come yet').waitFor();
  return url;
}

/** Sends from a phone until the line is lost in the film; gives the code. */
async function sendFromPhone(path: string): Promise<string> {
  const context = await newContext(browser, { width: 360, height: 740, isTouch: true });
  const page = await context.newPage();
  await page.goto(line.url + path);
  await page.getByRole('heading', { name: 'Photos of Saturday' }).waitFor();
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('A folder').setInputFiles(join(folder, 'Our trip'));
  await page.getByRole('button', { name: 'Send' }).tap();
  await expect.poll(() => page.getByText('Received').count()).toBe(files.size - 1);
  const film = page.getByRole('listitem').filter({ hasText: 'film.mp4' });
  await film.getByText('The connection broke. Trying again.').waitFor();
  await expect.poll(() => line.counts.refused).toBeGreaterThan(1);

  await page.reload();
  await page.getByText(`Choose these files again to go on: ${FILM}`).waitFor();
  await page.getByRole('button', { name: 'Show the receipt' }).tap();
  await page.getByRole('heading', { name: 'Your receipt' }).waitFor();
  await page.getByText('Unfinished: choose the same file again').waitFor();
  const code = await page.locator('code').first().textContent();
  await context.close();
  return code ?? '';
}

/** Goes on with the code on another device; gives the rows of the receipt. */
async function goOnElsewhere(path: string, code: string): Promise<string[][]> {
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.goto(line.url + path);
  await page.getByText('Your receipt, or go on: with your code').click();
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Go on with the code' }).click();
  await page.getByText(`Choose these files again to go on: ${FILM}`).waitFor();
  // All of the folder again: what has come already is not sent a second time.
  await page.getByLabel('A folder').setInputFiles(join(folder, 'Our trip'));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const states = page.locator('.drop-files').getByText('Received');
  await expect.poll(() => states.count(), { timeout: 40_000 }).toBe(files.size);
  await page.goto(line.url + path);
  await page.getByRole('button', { name: 'Show the receipt' }).click();
  await page.getByRole('heading', { name: 'Your receipt' }).waitFor();
  expect(await page.locator('code').first().textContent()).toBe(code);
  const rows = await page.locator('.receipt tbody tr').all();
  const cells = await Promise.all(rows.map((row) => row.getByRole('cell').allTextContents()));
  await context.close();
  return cells;
}

async function bodiesBelow(prefix: string): Promise<Map<string, Buffer>> {
  const bodies = new Map<string, Buffer>();
  for await (const entry of instance.client.objects.list(BUCKET, {
    query: { prefix, delimiter: '' },
  }))
    if (entry.kind === 'object') {
      const body = await instance.client.download(BUCKET, entry.key);
      bodies.set(entry.key.slice(prefix.length), Buffer.from(await body.bytes()));
    }
  return bodies;
}

it('folders come from a phone over a broken line, go on elsewhere, are released', async () => {
  const { page: owner, errors } = await openConsole();
  const { pathname } = new URL(await makeLink(owner));
  const code = await sendFromPhone(pathname);
  weather.isRestLost = false;
  const receipt = await goOnElsewhere(pathname, code);
  expect(receipt.toSorted()).toEqual(
    [...files]
      .map(([name, bytes]) => [
        name,
        SHOWN_SIZES[bytes.length],
        `ReceivedSHA-256 ${sha256Of(bytes)}`,
      ])
      .toSorted(),
  );
  const { refused, ...others } = line.counts;
  // Five breaks; what was lost before the page was looked at again counts as one.
  expect(others).toEqual({ 'lost-answer': 2, 'cut-request': 1, 'cut-answer': 0, 'status-500': 0 });
  expect(refused).toBeGreaterThan(1);

  await owner.getByRole('button', { name: 'Look again' }).click();
  const inbox = owner.getByRole('region', { name: 'Ada' });
  await expect.poll(() => inbox.getByText('Waiting', { exact: true }).count()).toBe(files.size);
  for (const [name, bytes] of files) {
    const row = inbox.getByRole('listitem').filter({ hasText: name });
    await row.getByTitle(`SHA-256 ${sha256Of(bytes)}`).waitFor();
  }
  expect((await bodiesBelow('inbox/')).size).toBe(0);
  await inbox.getByRole('checkbox', { name: `Select ${FILM}` }).check();
  await inbox.getByRole('checkbox', { name: /^Select .*start.jpg$/ }).check();
  await owner.getByRole('button', { name: 'Release', exact: true }).click();
  await expect.poll(() => inbox.getByText('Received', { exact: true }).count()).toBe(2);
  const today = new Date().toISOString().slice(0, 10);
  const released = await bodiesBelow(`inbox/${today}/Ada/`);
  expect([...released.keys()]).toEqual(['Our trip/day 1/start.jpg', FILM]);
  for (const [name, bytes] of released)
    expect(bytes.equals(files.get(name) ?? Buffer.from('?')), name).toBe(true);
  expect(errors).toEqual([]);
}, 180_000);
