// A vitest that stays loaded between runs: it reads its configuration, the tests and all sources
// once, and then only what has changed. warm-tests.ts starts it as a process of its own, in the
// copy, and sends the test files of each run.
import { globSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createVitest, type TestModule } from 'vitest/node';

const [project = ''] = process.argv.slice(2);
/** Test files of this run; vitest's own result has those of former runs too. */
let ended: TestModule[] = [];
const opening = createVitest('test', {
  project: [project],
  watch: false,
  bail: 1,
  reporters: [{ onTestModuleEnd: (module) => void ended.push(module) }],
});
const changedAtMs = new Map<string, number>();

/** Makes vitest read those sources anew that changed since the run before. */
async function forgetChanged(): Promise<void> {
  const vitest = await opening;
  for (const file of globSync('src/**/*.ts')) {
    const path = resolve(file);
    const { mtimeMs } = statSync(path);
    if (changedAtMs.get(path) !== mtimeMs) vitest.invalidateFile(path);
    changedAtMs.set(path, mtimeMs);
  }
}

/** The first of these files that fails, as far as one is known; none where all pass. */
async function failedFiles(files: readonly string[]): Promise<readonly string[]> {
  const vitest = await opening;
  await forgetChanged();
  const paths = files.map((file) => resolve(file));
  const listed = await vitest.globTestSpecifications([...paths]);
  const specifications = listed.filter(({ moduleId }) => paths.includes(moduleId));
  // Files of the console that a browser runs are of other projects.
  if (specifications.length === 0) return [];

  ended = [];
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const withTests = ended.filter(({ children }) => !children.allTests('failed').next().done);
  const failed =
    withTests.length > 0 ? withTests : ended.filter((module) => module.state() === 'failed');
  if (failed.length === 0 && unhandledErrors.length > 0) return ['unknown'];
  return failed.map(({ moduleId }) => moduleId);
}

process.on('message', (files: readonly string[]) => {
  failedFiles(files).then(
    (failed) => process.send?.(failed),
    () => process.exit(1),
  );
});
process.on('disconnect', () => process.exit());
