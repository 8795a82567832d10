// Lighthouse on a phone with a slow line, as it comes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchAtPort, signIn } from './kit/browser.ts';
import { type ConsoleInstance, REGATTA, startDemoInstance } from './kit/console-instance.ts';
import { lowCategories } from './kit/lighthouse-scores.ts';
import { IS_WHOLE } from './kit/whole.ts';

type Started = Awaited<ReturnType<typeof launchAtPort>>;

let [instance, started, folder]: [ConsoleInstance, Started, string] = [] as never;

beforeAll(async () => {
  if (!IS_WHOLE) return;
  folder = await mkdtemp(join(tmpdir(), 'quayside-lighthouse-'));
  [instance, started] = await Promise.all([startDemoInstance(), launchAtPort(folder)]);
});

afterAll(async () => {
  await started?.context.close();
  await instance?.server.stop();
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
    if (isSignedIn) await signIn(started.context, instance.url, instance.keys);
    expect(await lowCategories(started.port, `${instance.url}/-/console${path}`)).toEqual([]);
  },
  180_000,
);
