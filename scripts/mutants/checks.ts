// The copy of the tree that faults are put into, and the checks of `npm test` that are run in it,
// each with a limit of time.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { runCommand } from '../run-command.ts';
import { openWarmTests, type WarmTests } from './warm-tests.ts';

/** Seconds for a static check; alone on two cores each takes about ten. */
const STATIC_LIMIT_SECONDS = 300;
/** A place that the check for promises names. */
const POSITION = /^src\/[^\s:]+:\d+/gm;
/** Sources of the Worker, which tests in workerd run alone. */
export const IS_CLOUDFLARES = /^src\/worker\.ts$|^src\/adapters\/cloudflare\//;
/** Sources that are checked with Node's types. */
const IS_NODES = /^src\/(?:adapters\/|node\.ts$)/;

export type Checks = {
  readonly copy: string;
  /**
   * The files of these tests in which one fails, up to `bail` of them (0: all); `time` alone where
   * the limit was reached, `unknown` where nothing says which it was.
   */
  failuresOf(
    project: string,
    files: readonly string[],
    options: { readonly limitSeconds: number; readonly bail: number },
  ): Promise<readonly string[]>;
  /** What the compiler says of that file as it is now; a late one says nothing. */
  typesOf(file: string): Promise<'refused' | 'passed' | 'late'>;
  /** `file:line` of each promise that nobody waits for; null where the check is late. */
  floatingPromises(): Promise<ReadonlySet<string> | null>;
};

/** Files of the repository, those included that are not committed yet. */
export function listFiles(root: string, ...paths: string[]): readonly string[] {
  const args = ['ls-files', '-co', '--exclude-standard', ...paths];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((file) => file !== '');
}

/** Copies the tree, with its packages by a link; the copy is gone when the process ends. */
export function openChecks(root: string): Checks {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'quayside-mutants-')));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const file of listFiles(root)) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  const run = (command: string, args: readonly string[], limitSeconds: number) => {
    const options = { cwd: copy, output: 'captured', limitMs: limitSeconds * 1000 } as const;
    return runCommand(join(root, 'node_modules', '.bin', command), args, options);
  };

  let warmTests: WarmTests | null = null;
  const namesOf = (failed: readonly string[]) =>
    failed.map((path) => (isAbsolute(path) ? relative(copy, path) : path));

  return {
    copy,
    async failuresOf(project, files, { limitSeconds, bail }) {
      if (files.length === 0) return [];
      // Other projects start servers, or a runtime, that would go on with the sources before.
      if (project === 'node' && bail === 1) {
        warmTests ??= openWarmTests(copy, project);
        return namesOf(await warmTests.run(files, limitSeconds));
      }
      const report = join(copy, 'report.json');
      rmSync(report, { force: true });
      const workers = `--maxWorkers=${Math.min(2, availableParallelism())}`;
      const reporter = ['--reporter=json', `--outputFile=${report}`];
      const args = ['run', '--project', project, `--bail=${bail}`, workers, ...reporter, ...files];
      const { code, isLate } = await run('vitest', args, limitSeconds);
      if (isLate) return ['time'];
      if (code === 0) return [];
      const failed = existsSync(report) ? failedFiles(readFileSync(report, 'utf8')) : [];
      return failed.length === 0 ? ['unknown'] : namesOf(failed);
    },
    async typesOf(file) {
      const args = ['-p', configOf(file), '--checkers', '1'];
      const { code, isLate } = await run('tsc', args, STATIC_LIMIT_SECONDS);
      if (isLate) return 'late';
      return code === 0 ? 'passed' : 'refused';
    },
    async floatingPromises() {
      const script = join('scripts', 'floating-promises.ts');
      const { text, isLate } = await run('node', [script], STATIC_LIMIT_SECONDS);
      return isLate ? null : new Set(text.match(POSITION));
    },
  };
}

function configOf(file: string): string {
  if (IS_CLOUDFLARES.test(file)) return 'tsconfig.workers.json';
  if (file.startsWith('src/client/')) return 'tsconfig.client.json';
  return IS_NODES.test(file) ? 'tsconfig.json' : 'tsconfig.neutral.json';
}

/** What is read of vitest's JSON report. Source: vitest 5, reporters/json. */
type VitestReport = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
};

/**
 * Files with a failed test, or else files that could not be loaded: what is left out after a
 * failure is no failure.
 */
function failedFiles(json: string): readonly string[] {
  const { testResults } = JSON.parse(json) as VitestReport;
  const withTests = testResults.filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'failed'),
  );
  const failed =
    withTests.length > 0 ? withTests : testResults.filter(({ status }) => status === 'failed');
  return failed.map(({ name }) => realpathSync(name));
}
