import { fileURLToPath } from 'node:url';
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { makeConsoleFolder } from './scripts/console-folder.ts';

/**
 * No test that expects nothing, since it could not fail. So long `expect.poll` waits: on a busy
 * machine what takes milliseconds may take seconds, and what is right is not waited for.
 */
const EXPECT = { requireAssertions: true, poll: { timeout: 10_000 } };

/** Tests of the console that begin with a browser; units of it run with all others. */
const BROWSER_TESTS = ['test/console/**/*.test.ts'];
/** Browser tests that `npm test` runs, some seconds long; `npm run console-test` runs all. */
const QUICK_BROWSER_TESTS = ['policy', 'attributes', 'budget'].map(
  (name) => `test/console/${name}.test.ts`,
);
const BROWSER_TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  whole: BROWSER_TESTS,
  none: [],
};
/** What no server's platform can change: sizes of files, markup, the time of a page. */
const BROWSER_TESTS_WITHOUT_PLATFORM = [
  'budget',
  'accessibility',
  'lighthouse',
  'links/accessibility',
  'links/lighthouse',
  'links/share-pages',
].map((name) => `test/console/${name}.test.ts`);
const BROWSER_UNITS = ['test/console/**/*-unit.test.ts'];

/** Files that take longest, most of which start servers; the length of a file does not say so. */
const LONGEST = [
  'node/process/node-platform',
  'node/process/links-after-kill',
  'core/packs/repack',
  'index/shards/move-model',
  'node/threads/process-state',
  'node/fast-path/differential',
  'node/server/long-runs',
  'node/process/timers',
  'client/faults',
  'client/transfers',
  'node/process/wrangler-dev',
  'package/package',
].map((name) => `/test/${name}.test.ts`);

/** Begins with the longest files, so that none of them is the last one of its group. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((path) => moduleId.endsWith(path));
    const { long = [], short = [] } = Object.groupBy(await super.sort(files), (file) =>
      isLong(file) ? 'long' : 'short',
    );
    return [...long, ...short];
  }
}

// The projects: `node` runs units, contracts and architecture checks in Node; `workerd` runs
// test/workerd inside the real runtime with local R2, KV, Durable Objects and Cache; the wire suite
// runs once against each home, which its global set-up starts, or against QUAYSIDE_WIRE_URL alone.
// `npm test` (scripts/test.ts) runs `node` beside `workerd` and the few browser tests, then the wire
// suite. `workerd` has one runtime, since a second one would compile the Worker again, and so it
// leaves a core to `node`. All browser tests run by themselves, last; QUAYSIDE_CONSOLE says how much
// of them: `whole`, also on the Worker by `console-workers`, or `none`. One vitest for all runs the
// groups one after the other.
// With QUAYSIDE_WIRE_TLS=on the Node home speaks HTTPS, and shows a certificate of its own making.
const TRUST: Record<string, string> =
  process.env.QUAYSIDE_WIRE_TLS === 'on' ? { NODE_TLS_REJECT_UNAUTHORIZED: '0' } : {};
Object.assign(process.env, TRUST);

// Servers and threads that tests start strip no types and compile no source again: a serving thread
// needs 0.45 s of CPU to start in place of 1.1 (measured 2026-11).
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/quayside', import.meta.url),
);

const sourceAt = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Users import the client by its name; its sources stand in for what a build makes. */
const CLIENT = {
  'quayside/client': sourceAt('src/client/index.ts'),
  'quayside/upload-element': sourceAt('src/client/upload-element.ts'),
};

const wire = (name: string, globalSetup: string, groupOrder: number) => ({
  resolve: { alias: CLIENT },
  test: {
    name,
    globalSetup,
    include: ['test/wire/**/*.test.ts'],
    env: TRUST,
    // Three threads load the clients once each; the tests mostly wait for the server.
    pool: 'threads' as const,
    isolate: false,
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: EXPECT,
    // The homes are examined one after the other: side by side they would share two cores and blur
    // every race.
    sequence: { groupOrder },
  },
});

const wireProjects =
  process.env.QUAYSIDE_WIRE_URL === undefined
    ? [
        wire('wire-node', 'test/wire/kit/setup-node.ts', 2),
        wire('wire-workers', 'test/wire/kit/setup-workers.ts', 3),
      ]
    : [wire('wire', 'test/wire/kit/setup-other.ts', 2)];

// The Worker of the project `workerd` has a binding to it.
makeConsoleFolder();

const browserTests = process.env.QUAYSIDE_CONSOLE ?? '';

/** Tests in a browser, against a server that each file starts: test/console/kit/server.ts. */
const browser = (
  name: string,
  platform: 'node' | 'workers',
  groupOrder: number,
  include: readonly string[],
) => ({
  resolve: { alias: CLIENT },
  test: {
    name,
    include: [...include],
    exclude: [...BROWSER_UNITS, ...(platform === 'workers' ? BROWSER_TESTS_WITHOUT_PLATFORM : [])],
    env: { QUAYSIDE_CONSOLE_PLATFORM: platform },
    // The dev server takes some seconds to start, and compiles what it is first asked for.
    testTimeout: platform === 'workers' ? 90_000 : 30_000,
    hookTimeout: platform === 'workers' ? 120_000 : 60_000,
    expect: platform === 'workers' ? { ...EXPECT, poll: { timeout: 30_000 } } : EXPECT,
    isolate: false,
    setupFiles: ['test/node/kit/remove-folders.ts'],
    // A browser is several processes already, and two would blur what is measured.
    maxWorkers: 1,
    sequence: { groupOrder },
  },
});

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve: { alias: CLIENT },
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/workerd/**', 'test/wire/**', 'test/console/**/!(*-unit).test.ts'],
          // Some digest or zip megabytes; on a busy machine of two cores that takes seconds.
          testTimeout: 20_000,
          hookTimeout: 60_000,
          expect: EXPECT,
          // The sources are loaded once for all files: no module keeps state that a test could
          // leave behind.
          isolate: false,
          setupFiles: ['test/fuzz-seed.ts', 'test/node/kit/remove-folders.ts'],
          // Left alone, vitest leaves one core free: that is half of a small machine.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Not verbose: the runtime would print each stream that a test breaks on purpose.
        plugins: [cloudflareTest({ verbose: false, wrangler: { configPath: './wrangler.toml' } })],
        // The first call to a Durable Object compiles the Worker, which on a busy machine takes
        // seconds; one runtime for all files compiles it once.
        test: {
          name: 'workerd',
          include: ['test/workerd/**/*.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 20_000,
          expect: EXPECT,
          isolate: false,
          setupFiles: ['test/fuzz-seed.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      ...wireProjects,
      browser(
        'console',
        'node',
        browserTests === 'whole' ? 4 : 1,
        BROWSER_TESTS_OF[browserTests] ?? QUICK_BROWSER_TESTS,
      ),
      ...(browserTests === 'whole'
        ? [browser('console-workers', 'workers', 5, BROWSER_TESTS)]
        : []),
    ],
  },
});
