// Writes docs/internals/weight.md: how many lines each feature has in src and in test. Run it with
// `node scripts/weight.ts`; the numbers change with each commit, so no test compares them.
// test/scripts/weight.test.ts holds the globs to the files.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FEATURES, type Feature } from './weight/features.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** TypeScript files below a folder of the repository, with slashes. */
export function sourcesOf(folder: string): readonly string[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !path.includes('/node_modules/'))
    .sort();
}

/**
 * Whether a path fits a glob. What stands before the first sign of a glob is compared as it is:
 * matchesGlob compiles most globs anew each time, and takes 70 times as long (measured 2026-11).
 */
export function fitsGlob(path: string, glob: string): boolean {
  const [plain = ''] = /^[^*?[\]{}()!]*/.exec(glob) ?? [];
  return path.startsWith(plain) && (plain === glob ? path === glob : matchesGlob(path, glob));
}

/** The feature of a file: the first one of the table with a glob that fits; null for none. */
export function featureOf(path: string): Feature | null {
  const fits = (glob: string) => fitsGlob(path, glob);
  return FEATURES.find(({ globs }) => globs.some(fits)) ?? null;
}

type Weight = { readonly files: number; readonly lines: number };

const linesOf = (path: string) =>
  readFileSync(`${ROOT}${path}`, 'utf8').trimEnd().split('\n').length;

function weigh(paths: readonly string[]): Weight {
  return { files: paths.length, lines: paths.reduce((sum, path) => sum + linesOf(path), 0) };
}

function rowOf(name: string, source: Weight, test: Weight): string {
  const ratio = source.lines === 0 ? '' : (test.lines / source.lines).toFixed(1);
  const cells = [name, source.files, source.lines, test.files, test.lines, ratio];
  return `| ${cells.join(' | ')} |`;
}

function weightPage(): string {
  const [sources, tests] = [sourcesOf('src'), sourcesOf('test')];
  const sourcesByFeature = Map.groupBy(sources, featureOf);
  const testsByFeature = Map.groupBy(tests, featureOf);
  const rows = FEATURES.map((feature) => ({
    feature,
    source: weigh(sourcesByFeature.get(feature) ?? []),
    test: weigh(testsByFeature.get(feature) ?? []),
  })).sort((left, right) => right.source.lines - left.source.lines);
  return `# Code by feature

<!-- Made by scripts/weight.ts; the table of features is scripts/weight/features.ts. -->

Lines of TypeScript, comments and blank lines included. Each file counts for the first feature whose
globs fit it. Tests that use a whole server count for what they ask of it.

| feature | files in src | lines in src | files in test | lines in test | test to src |
|---|---|---|---|---|---|
${rows.map(({ feature, source, test }) => rowOf(feature.name, source, test)).join('\n')}
${rowOf('tests of no feature', weigh([]), weigh(testsByFeature.get(null) ?? []))}
${rowOf('**all**', weigh(sources), weigh(tests))}
`;
}

if (import.meta.main) {
  const page = fileURLToPath(new URL('../docs/internals/weight.md', import.meta.url));
  writeFileSync(page, weightPage());
}
