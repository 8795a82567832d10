// How long does the console take for 10,000 files in 12 levels, how much memory does its page
// need, and what happens when its tab is closed at half? Real Chromium, the Node platform on the
// same machine. After that the folder is chosen again: the browser of the bench can't read
// stored handles.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { createClient } from '../src/client/index.ts';
import { launchBrowser, newContext, signIn } from '../test/console/kit/browser.ts';
import { startNode } from '../test/wire/kit/server.ts';
import { printTable } from './lib/table.ts';

const FILES = Number(process.argv[2] ?? 10_000);
const LEVELS = 12;
const FILE_BYTES = 2048;
const BUCKET = 'console-upload';
/** No run takes longer, milliseconds. */
const LIMIT_MS = 20 * 60_000;
const LOOK_EVERY_MS = 500;

/** Writes the tree: a file of each level after the other. */
async function makeTree(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'quayside-console-upload-'));
  const folders = [join(root, 'tree')];
  for (let level = 1; level < LEVELS; level++) {
    folders.push(join(folders.at(-1) ?? root, `level-${level}`));
  }
  await mkdir(folders.at(-1) ?? root, { recursive: true });
  for (let at = 0; at < FILES; at++) {
    const body = Buffer.alloc(FILE_BYTES);
    body.writeUInt32LE(at);
    await writeFile(join(folders[at % LEVELS] ?? root, `file-${at}.bin`), body);
  }
  return root;
}

/** The input of a page stands in for the picker, which waits for a person. */
const NO_PICKER = 'delete window.showOpenFilePicker; delete window.showDirectoryPicker;';

const root = await makeTree();
const server = await startNode({ env: { QUAYSIDE_API_REQUESTS_PER_MINUTE: '1200' } });
const browser = await launchBrowser();
try {
  const { url, accessKey: id, secretKey: secret } = server.target;
  const client = createClient({ endpoint: url, accessKey: { id, secret } });
  await client.buckets.create({ body: { name: BUCKET } });
  const context = await newContext(browser);
  await context.addInitScript(NO_PICKER);
  await signIn(context, url, server.target);
  let puts = 0;
  let presigns = 0;
  context.on('request', (request) => {
    if (request.method() === 'PUT') puts++;
    if (request.url().endsWith('/presigned-urls')) presigns++;
  });

  const open = async (): Promise<{ page: Page; session: CDPSession }> => {
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${url}/-/console/b/${BUCKET}/in/`, { waitUntil: 'networkidle' });
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable');
    return { page, session };
  };
  let peakHeapBytes = 0;
  const heapOf = async (session: CDPSession): Promise<void> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const used = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
    peakHeapBytes = Math.max(peakHeapBytes, used);
  };
  const stored = async (): Promise<number> => {
    const { items } = await client.objects.sizes(BUCKET, { query: { prefix: 'in/' } });
    return items?.[0]?.objects ?? 0;
  };
  const until = async (session: CDPSession, count: number): Promise<void> => {
    const startedAtMs = performance.now();
    while ((await stored()) < count) {
      if (performance.now() - startedAtMs > LIMIT_MS) throw new Error('It takes too long');
      await heapOf(session);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  };

  const chooseTree = (page: Page) =>
    page.locator('dialog input[type=file]').last().setInputFiles(join(root, 'tree'));

  const first = await open();
  const startedAtMs = performance.now();
  await first.page.keyboard.press('u');
  await chooseTree(first.page);
  await first.page.getByRole('button', { name: `Upload ${FILES} files` }).click();
  const begunAtMs = performance.now();
  await until(first.session, FILES / 2);
  const halfAtMs = performance.now();
  const putsAtHalf = await stored();
  // The browser would end with its last page.
  await context.newPage();
  await first.page.close();

  const second = await open();
  const againAtMs = performance.now();
  await second.page.getByRole('button', { name: 'Choose them again' }).click();
  await chooseTree(second.page);
  await until(second.session, FILES);
  const endedAtMs = performance.now();
  await second.page.locator('.dock .head').getByText('Uploaded to').waitFor();
  await heapOf(second.session);

  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  printTable([
    ['', 'value'],
    ['files, levels', `${FILES}, ${LEVELS}`],
    ['from the choice of the folder to the first byte, s', seconds(begunAtMs - startedAtMs)],
    ['first half, s', seconds(halfAtMs - begunAtMs)],
    ['arrived when the tab was closed', `${putsAtHalf}`],
    ['second half, after the folder was chosen again, s', seconds(endedAtMs - againAtMs)],
    ['arrived', `${await stored()}`],
    ['PUTs in all', `${puts}`],
    ['requests for URLs', `${presigns}`],
    ['largest JavaScript heap, MB', (peakHeapBytes / 1e6).toFixed(1)],
  ]);
} finally {
  await browser.close();
  await server.stop();
  await rm(root, { recursive: true, force: true });
}
