// `npm test`: format and lint, then every test, and the types beside them, in time that the tests
// leave. Ends with one line of totals, in which a static check counts as one. Arguments go to
// vitest (`npm test -- test/core` runs those files). A run that hangs is killed and fails.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserPath } from '../test/console/kit/browser.ts';
import { limitMinutes, runCommand } from './run-command.ts';

type Totals = { passed: number; failed: number; skipped: number };

/** What this script reads of vitest's JSON report. Source: vitest 5, reporters/json. */
type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: readonly { status: string; assertionResults: readonly { status: string }[] }[];
};

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
  isPatient = false,
) {
  const startedAtMs = performance.now();
  const limitMs = Math.max(0, endAtMs - startedAtMs);
  const options = { cwd: root, output, limitMs, isPatient };
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

async function runVitest(args: readonly string[]): Promise<Totals> {
  await checkBrowser();
  const folder = await mkdtemp(join(tmpdir(), 'quayside-test-'));
  try {
    const report = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const succeeded = await run('tests', bin('vitest'), ['run', ...reporters, ...args], 'live');
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
  const checks = configs.map((config) =>
    run(`types, ${config}`, bin('tsc'), ['-p', config, '--checkers', '1'], 'captured', true),
  );
  const promises = [join(root, 'scripts', 'floating-promises.ts')];
  checks.push(run('promises', process.execPath, promises, 'captured', true));
  const results = await Promise.all(checks);
  const passed = results.filter((succeeded) => succeeded).length;
  return { passed, failed: results.length - passed, skipped: 0 };
}

const parts: Totals[] = [];
if (await lint()) {
  parts.push({ passed: 1, failed: 0, skipped: 0 });
  parts.push(...(await Promise.all([runTypeChecks(), runVitest(process.argv.slice(2))])));
} else {
  parts.push({ passed: 0, failed: 1, skipped: 0 });
  say('The tests did not run: mend the format first.');
}
const sumOf = (what: keyof Totals) => parts.reduce((sum, part) => sum + part[what], 0);
const skipped = sumOf('skipped') > 0 ? `, ${sumOf('skipped')} skipped` : '';
say(`${sumOf('passed')} passed, ${sumOf('failed')} failed${skipped}`);
process.exitCode = sumOf('failed') > 0 ? 1 : 0;
