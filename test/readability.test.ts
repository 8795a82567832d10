// Checks that a stranger can read what stands here, as far as a program can say: width, length,
// folders, docstrings and words. house-rules.ts has the rules; `node test/house-rules.ts src` lists
// them.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import {
  type Breach,
  dependentDocstrings,
  longFunctions,
  MAX_COLUMNS,
  MAX_FILES,
  retiredWords,
  STORED_COLUMNS,
  STORED_LITERALS,
  typescriptFiles,
  wideLines,
  withoutHeader,
} from './house-rules.ts';
import { readSources, sharedRuns } from './shared-lines.ts';

// Each parses all sources, which on a busy machine takes far longer than it does alone.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const filesIn = (...folders: readonly string[]) =>
  folders
    .flatMap((folder) => typescriptFiles(`${ROOT}${folder}`))
    .map((path) => ({
      path: relative(ROOT, path).replaceAll('\\', '/'),
      text: readFileSync(path, 'utf8'),
    }));

/** Made by programs, of texts that stand elsewhere. */
const GENERATED = new Set(['src/client/api-types.ts', 'src/index/tables/fresh-schema.ts']);
const SOURCES = filesIn('src').filter(({ path }) => !GENERATED.has(path));
const PROGRAMS = [...SOURCES, ...filesIn('bench', 'scripts', 'examples')];
const ALL = [...PROGRAMS, ...filesIn('test')];

type Rule = (path: string, text: string) => readonly Breach[];
const breaches = (rule: Rule, files: typeof ALL) =>
  files
    .flatMap(({ path, text }) => rule(path, text))
    .map(({ path, line, what }) => `${path}:${line} ${what}`);

describe('a source file', () => {
  it('has a header that says what it owns', () => {
    expect(breaches(withoutHeader, SOURCES)).toEqual([]);
  });

  it('has docstrings that can be read alone', () => {
    const texts = filesIn('src/client/api-types.ts');
    // The examples of what hangs stand here.
    const tests = filesIn('test').filter(({ path }) => path !== 'test/readability.test.ts');
    expect(breaches(dependentDocstrings, [...PROGRAMS, ...tests, ...texts])).toEqual([]);
  });

  it('has no function that is longer than a page', () => {
    expect(breaches(longFunctions, SOURCES)).toEqual([]);
  });

  it('uses no word that the field has another one for', () => {
    expect(breaches(retiredWords, SOURCES)).toEqual([]);
  });

  it('has every stored name for which the check makes an exception', () => {
    const all = SOURCES.map(({ text }) => text).join('\n');
    expect(Object.keys(STORED_LITERALS).filter((literal) => !all.includes(literal))).toEqual([]);
    const unused = Object.entries(STORED_COLUMNS).filter(
      ([path, word]) => !SOURCES.find((file) => file.path === path)?.text.includes(word),
    );
    expect(unused).toEqual([]);
  });

  it('takes forty columns of a line in the mean', () => {
    const lines = SOURCES.flatMap(({ text }) => text.split('\n')).filter((line) => line.trim());
    const characters = lines.reduce((sum, line) => sum + line.length, 0);
    expect(characters / lines.length).toBeLessThanOrEqual(40);
  });
});

it('no line is wider than a page, in sources, tests, benches and scripts', () => {
  expect(breaches(wideLines, ALL)).toEqual([]);
});

it('no folder has more files than one can look over', () => {
  const folders = Map.groupBy(ALL, ({ path }) => dirname(path));
  const crowded = [...folders].filter(([, files]) => files.length > MAX_FILES);
  expect(crowded.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([]);
});

describe('places that share six lines or more', () => {
  const runs = sharedRuns(readSources());
  const rows = readFileSync(`${ROOT}docs/internals/duplicates.md`, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|')[1] ?? '')
    .map((cell) => new Set([...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => `src/${path}`)));
  const standsIn = (row: ReadonlySet<string>, { first, second }: (typeof runs)[number]) =>
    row.has(first) && row.has(second);

  it('each have a reason in docs/internals/duplicates.md', () => {
    const unexplained = runs.filter((run) => !rows.some((row) => standsIn(row, run)));
    expect(unexplained).toEqual([]);
  });

  it('give every file of a row a reason to stand there', () => {
    const needless = rows.flatMap((row) =>
      [...row].filter(
        (path) =>
          !runs.some((run) => standsIn(row, run) && (run.first === path || run.second === path)),
      ),
    );
    expect(needless).toEqual([]);
  });

  it('are 65 at most', () => {
    expect(runs.length).toBeLessThanOrEqual(65);
  });

  it('are found in two files and in one, but not in imports and comments', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, i) => `  call(${i});\n`).join('');
    const found = (...texts: readonly string[]) =>
      sharedRuns(texts.map((text, i) => ({ path: `${i}.ts`, text }))).map(({ at }) => at);
    expect(found(lines(6), `\n// words\n${lines(6)}`)).toEqual(['1-6 and 3-8']);
    expect(found(lines(5), lines(5))).toEqual([]);
    expect(found(`${lines(6)}other();\n${lines(6)}`)).toEqual(['1-6 and 8-13']);
    const imports = `import {\n  a,\n  b,\n  c,\n  d,\n  e,\n  f,\n} from './a.ts';\n`;
    expect(found(imports, imports)).toEqual([]);
    const comments = '/**\n * a\n * b\n * c\n * d\n * e\n * f\n */\n';
    expect(found(comments, comments)).toEqual([]);
  });
});

it('the architecture is told on one page', () => {
  const lines = readFileSync(`${ROOT}ARCHITECTURE.md`, 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(150);
  // Rows of tables and targets of links can't be broken.
  const prose = lines.filter((line) => !line.startsWith('|') && !line.includes(']('));
  expect(prose.filter((line) => line.length > MAX_COLUMNS)).toEqual([]);
});

describe('the rules see a breach', () => {
  const long = `function a() {\n${'  b();\n'.repeat(100)}}\n`;

  it.each([
    ['a wide line', wideLines, `const a = ${'1 + '.repeat(30)}1;`],
    ['a long function', longFunctions, long],
    ['a long method', longFunctions, `const a = { b() {\n${'  c();\n'.repeat(100)}} };`],
    ['a docstring that hangs', dependentDocstrings, '/** The same of an object. */'],
    ['a docstring that only points', dependentDocstrings, '/** See `IndexQueries.resolve`. */'],
    ['a docstring on lines', dependentDocstrings, '/**\n * What of it counts.\n */'],
    ['a header that hangs', dependentDocstrings, '// As before.\nconst a = 1;'],
    ['a comment that hangs', dependentDocstrings, 'b();\n  // As above.\n  c();'],
    ['a retired word', retiredWords, '/** Looks at the gate. */'],
    ['a retired name', retiredWords, 'const hotDoor = 1;'],
    ['a word beside a stored label', retiredWords, "a('quayside sealed text 1', sealed);"],
    ['a missing header', withoutHeader, 'const a = 1;'],
    ['a long component', longFunctions, `const A = () => (\n<p>\n${'<b />\n'.repeat(98)}</p>\n);`],
  ] as const)('%s', (_, rule, text) => {
    expect(rule('a.tsx', text)).toHaveLength(1);
  });

  it.each([
    ['a regular expression alone', wideLines, `  /${'a'.repeat(120)}/,`],
    ['an import', wideLines, `import { a } from './${'b'.repeat(100)}.ts';`],
    ['a function of a page', longFunctions, `function a() {\n${'  b();\n'.repeat(98)}}\n`],
    ['a docstring', dependentDocstrings, '/** Offset of the first byte. */'],
    ['a stored label', retiredWords, "const USE = 'quayside sealed text 1';"],
    ['a word inside another', retiredWords, 'const aggregate = tolled;'],
  ] as const)('and let %s pass', (_, rule, text) => {
    expect(rule('a.ts', text)).toEqual([]);
  });

  it('and read folders', () => {
    expect(readdirSync(`${ROOT}src`).length).toBeGreaterThan(5);
    expect(ALL.length).toBeGreaterThan(1000);
    expect(ALL.some(({ path }) => path.endsWith('/app.tsx'))).toBe(true);
  });
});
