// Lighthouse on share pages as strangers open them, on a phone with a slow line.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchAtPort } from '../kit/browser.ts';
import { lowCategories } from '../kit/lighthouse-scores.ts';
import { IS_WHOLE } from '../kit/whole.ts';
import { type SampleServer, startSampleServer } from './kit/sample-server.ts';

type Started = Awaited<ReturnType<typeof launchAtPort>>;

let [server, started, folder]: [SampleServer, Started, string] = [] as never;

beforeAll(async () => {
  if (!IS_WHOLE) return;
  folder = await mkdtemp(join(tmpdir(), 'quayside-lighthouse-'));
  [server, started] = await Promise.all([startSampleServer(), launchAtPort(folder)]);
});

afterAll(async () => {
  await started?.context.close();
  await server?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Lighthouse asks for robots.txt from within the page, whose policy lets it ask for nothing. */
const SKIPPED = ['robots-txt'];

it.runIf(IS_WHOLE).each(['file', 'folder', 'folder-page', 'password'])(
  'Lighthouse gives 95 and more of 100 for %s',
  async (name) => {
    expect(await lowCategories(started.port, `${server.url}/${name}`, SKIPPED)).toEqual([]);
  },
  180_000,
);
