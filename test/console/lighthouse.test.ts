// Lighthouse on a phone with a slow line, as it comes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchAtPort, signIn } from './kit/browser.ts';
import { type ConsoleHome, REGATTA, startDemoHome } from './kit/console-home.ts';
import { lowCategories } from './kit/lighthouse-scores.ts';
import { IS_WHOLE } from './kit/whole.ts';

type Started = Awaited<ReturnType<typeof launchAtPort>>;

let [home, started, folder]: [ConsoleHome, Started, string] = [] as never;

beforeAll(async () => {
  if (!IS_WHOLE) return;
  folder = await mkdtemp(join(tmpdir(), 'quayside-lighthouse-'));
  [home, started] = await Promise.all([startDemoHome(), launchAtPort(folder)]);
});

afterAll(async () => {
  await started?.context.close();
  await home?.server.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

it.runIf(IS_WHOLE).each([
  { name: 'sign-in', path: '/', isSignedIn: false },
  { name: 'home', path: '/', isSignedIn: true },
  { name: 'buckets', path: '/buckets', isSignedIn: true },
  { name: 'folder', path: `/b/assets/${REGATTA}`, isSignedIn: true },
  { name: 'object', path: `/b/assets/${REGATTA}10-harbour-dawn.jpg`, isSignedIn: true },
])(
  '125: Lighthouse gives 95 and more of 100 for $name',
  async ({ path, isSignedIn }) => {
    if (isSignedIn) await signIn(started.context, home.url, home.keys);
    expect(await lowCategories(started.port, `${home.url}/-/console${path}`)).toEqual([]);
  },
  180_000,
);
