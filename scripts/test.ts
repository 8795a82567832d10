// `npm test`: format and lint, then every test, and the types beside them, in time that the tests
// leave. workerd runs one test at a time, so its tests run beside those of Node; the wire suite
// comes after both, because their load would blur its races. Ends with one line of totals, in which
// a static check counts as one. Arguments go to vitest (`npm test -- test/core` runs those files).
// A run that hangs is killed and fails.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserPath } from '../test/console/kit/browser.ts';
import { findMemoryFolder } from '../test/memory-folder.ts';
import { type CommandOptions, END_SIGNALS, limitMinutes, runCommand } from './run-command.ts';

type Totals = { passed: number; failed: number; skipped: number };

/** What this script reads of vitest's JSON report. Source: vitest 5, reporters/json. */
type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: readonly { status: string; assertionResults: readonly { status: string }[] }[];
};

// What runs gets the signal too; nothing is begun after it.
let isInterrupted = false;
for (const signal of END_SIGNALS)
  process.once(signal, () => {
    isInterrupted = true;
  });

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string) => join(root, 'node_modules', '.bin', name);
const say = (line: string) => process.stdout.write(`${line}\n`);

/** What is left of the time of the whole run, milliseconds. */
const minutes = limitMinutes(process.env.QUAYSIDE_TEST_MINUTES);
const endAtMs = performance.now() + minutes * 60_000;

/**
 * Runs a command to its end and returns whether it succeeded; its output is printed in one piece,
 * or as it comes.
 */
async function run(
  label: string,
  command: string,
  args: readonly string[],
  output: 'captured' | 'live',
  { isPatient = false, env = process.env }: Pick<CommandOptions, 'isPatient' | 'env'> = {},
) {
  const startedAtMs = performance.now();
  const limitMs = Math.max(0, endAtMs - startedAtMs);
  const options = { cwd: root, output, limitMs, isPatient, env };
  const { code, isLate, text } = await runCommand(command, args, options);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  if (code !== 0 && text !== '') process.stdout.write(text);
  say(`${code === 0 ? 'ok    ' : 'FAILED'} ${label} (${seconds} s)`);
  if (isLate) {
    say(
      `The whole run may take ${minutes} minutes (QUAYSIDE_TEST_MINUTES): ` +
        `what hung in ${label} was killed.`,
    );
  }
  return code === 0;
}

/** Tests of a report; a file that could not even be loaded counts as one failure. */
function totalsOf(report: VitestReport): Totals {
  const unloadable = report.testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloadable.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * Leaves the tests in a browser out, with the reason, where none starts: all else can be examined.
 * `npm run console-test` fails there.
 */
async function checkBrowser(): Promise<void> {
  if (process.env.QUAYSIDE_CONSOLE !== undefined) return;
  const problem = await browserPath().then(
    () => null,
    (error: unknown) => String(error),
  );
  if (problem === null) return;
  say(`The tests of the console are left out. ${problem}`);
  process.env.QUAYSIDE_CONSOLE = 'none';
}

async function runVitest(
  label: string,
  args: readonly string[],
  env = process.env,
): Promise<Totals> {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-test-'));
  try {
    const report = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const all = ['run', ...reporters, ...args];
    const succeeded = await run(label, bin('vitest'), all, 'live', { env });
    const written = await readFile(report, 'utf8').catch(() => null);
    const totals =
      written === null ? { passed: 0, failed: 0, skipped: 0 } : totalsOf(JSON.parse(written));
    // An error outside of any test (an unhandled rejection, a server that did not start) fails the
    // run all the same.
    return succeeded || totals.failed > 0 ? totals : { ...totals, failed: 1 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs suites whose temporary files lie in memory, where that has room: SQLite and workerd wait for
 * the disk in each commit. The files are removed after it.
 */
async function inMemory<Result>(work: (env: NodeJS.ProcessEnv) => Promise<Result>) {
  const memory = findMemoryFolder();
  if (memory === null) return work(process.env);
  const folder = await mkdtemp(join(memory, 'quayside-tests-'));
  try {
    return await work({ ...process.env, TMPDIR: folder });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Runs the tests that the arguments name; all, in two steps, where there are none. */
async function runTests(args: readonly string[]): Promise<readonly Totals[]> {
  await checkBrowser();
  if (args.length > 0) return [await runVitest('tests', args)];

  const [onNode, besideNode] = await inMemory((env) =>
    Promise.all([runVitest('tests on Node', ['--project=node'], env), runBesideNode(env)]),
  );
  const first = [onNode, ...besideNode];
  if (isInterrupted) return first;
  const done = ['node', 'workerd'];
  // A whole run of the browser measures times: it is by itself, after the wire suite.
  if (process.env.QUAYSIDE_CONSOLE !== 'whole') done.push('console');
  const others = done.map((project) => `--project=!${project}`);
  return [...first, await runVitest('tests of running servers', others)];
}

/** Runs what leaves a core to the tests on Node; `env`: of those that need no browser. */
async function runBesideNode(env: NodeJS.ProcessEnv): Promise<readonly Totals[]> {
  const inWorkerd = await runVitest('tests in workerd', ['--project=workerd'], env);
  const browser = process.env.QUAYSIDE_CONSOLE ?? '';
  if (isInterrupted || browser === 'whole' || browser === 'none') return [inWorkerd];
  // Chromium is unpacked into the folder of temporary files, and stays there for the next run.
  return [inWorkerd, await runVitest('tests in a browser', ['--project=console'])];
}

const lint = () =>
  run('format and lint', bin('biome'), ['check', '--error-on-warnings'], 'captured');

/** Checks by types, each on one thread: more of them repeat work. */
async function runTypeChecks(): Promise<Totals> {
  const configs = [
    'tsconfig.neutral.json',
    'tsconfig.client.json',
    'tsconfig.console.json',
    'tsconfig.json',
    'tsconfig.workers.json',
  ];
  const patient = { isPatient: true };
  const checks = configs.map((config) =>
    run(`types, ${config}`, bin('tsc'), ['-p', config, '--checkers', '1'], 'captured', patient),
  );
  const promises = [join(root, 'scripts', 'floating-promises.ts')];
  checks.push(run('promises', process.execPath, promises, 'captured', patient));
  const results = await Promise.all(checks);
  const passed = results.filter((succeeded) => succeeded).length;
  return { passed, failed: results.length - passed, skipped: 0 };
}

const parts: Totals[] = [];
if (await lint()) {
  parts.push({ passed: 1, failed: 0, skipped: 0 });
  const [types, tests] = await Promise.all([runTypeChecks(), runTests(process.argv.slice(2))]);
  parts.push(types, ...tests);
} else {
  parts.push({ passed: 0, failed: 1, skipped: 0 });
  say('The tests did not run: mend the format first.');
}
const sumOf = (what: keyof Totals) => parts.reduce((sum, part) => sum + part[what], 0);
const skipped = sumOf('skipped') > 0 ? `, ${sumOf('skipped')} skipped` : '';
say(`${sumOf('passed')} passed, ${sumOf('failed')} failed${skipped}`);
process.exitCode = sumOf('failed') > 0 ? 1 : 0;
