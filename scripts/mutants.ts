// `npm run mutants -- --seed 1 --count 60`: puts faults into a copy of the program, one at a time, and tells which of them no
// check notices. For whoever changes the core; CONTRIBUTING.md says how to read it. Nothing is changed in place.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { applied, findMutations, lineOf, type Mutation, OPERATORS, type Operator } from './mutants/mutations.ts';
import { readImports, testsOf } from './mutants/related-tests.ts';
import { runCommand } from './run-command.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (line: string) => process.stdout.write(`${line}\n`);
/** Test files that are run first: what is near notices most. */
const NEAREST = 6;
/** Seconds for the checks of one kind, and for the tests that are not near. A fault that makes a loop endless takes all of them. */
const LIMIT_SECONDS = 120;
const FAR_LIMIT_SECONDS = 400;
/** Where neither types nor logic can be wrong: data, and the parts that tests of this project don't run. */
const LEFT_OUT = /\.d\.ts$|^src\/worker\.ts$|^src\/adapters\/cloudflare\//;
const CLOUDFLARE = /^src\/worker\.ts$|^src\/adapters\/cloudflare\//;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    only: { type: 'string', default: OPERATORS.join() },
    in: { type: 'string', default: 'src/' },
    minutes: { type: 'string', default: '60' },
    cloudflare: { type: 'boolean', default: false },
  },
});

type Mutant = { readonly file: string; readonly text: string; readonly mutation: Mutation };
type Check = 'tests' | 'types' | 'promises' | 'time';
type Result = { readonly mutant: Mutant; readonly caughtBy: Check | null; readonly by: string | null };

/** Whole numbers from 0 below `max`, the same for the same seed. Source: mulberry32, Tommy Ettinger, public domain. */
function createRandom(seed: number): (max: number) => number {
  let state = seed >>> 0;
  return (max) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * max);
  };
}

/** So many faults, no two the same; each kind as often as every other, as far as there are some. */
function sample(mutants: readonly Mutant[], seed: number, count: number): readonly Mutant[] {
  const random = createRandom(seed);
  const byOperator = Map.groupBy(mutants, ({ mutation }) => mutation.operator);
  const chosen: Mutant[] = [];
  for (let operators = [...byOperator.keys()]; chosen.length < count && operators.length > 0; ) {
    const operator = operators[random(operators.length)] ?? 'await';
    const rest = byOperator.get(operator) ?? [];
    chosen.push(...rest.splice(random(rest.length), 1));
    if (rest.length === 0) operators = operators.filter((each) => each !== operator);
  }
  return chosen;
}

const listFiles = (...paths: string[]) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...paths], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '');

/** A copy of the tree with its packages; gone when the script ends. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'quayside-mutants-'));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const file of listFiles()) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  // The linter leaves alone what the repository does.
  execFileSync('git', ['init', '-q'], { cwd: copy });
  return copy;
}

const copy = copyTree();
const run = (command: string, args: readonly string[], limitSeconds: number) =>
  runCommand(join(root, 'node_modules', '.bin', command), args, {
    cwd: copy,
    output: 'kept',
    limitMs: limitSeconds * 1000,
  });

/** The first of these tests that fails; null: none does. */
async function runTests(project: string, files: readonly string[], limitSeconds: number): Promise<string | null> {
  if (files.length === 0) return null;
  const workers = `--maxWorkers=${Math.min(2, availableParallelism())}`;
  const report = join(copy, 'report.json');
  const reporter = ['--reporter=json', `--outputFile=${report}`];
  rmSync(report, { force: true });
  const { code, isLate } = await run(
    'vitest',
    ['run', '--project', project, '--bail', '1', ...reporter, workers, ...files],
    limitSeconds,
  );
  if (isLate) return 'time';
  if (code === 0) return null;
  return existsSync(report) ? firstFailure(JSON.parse(readFileSync(report, 'utf8'))) : 'unknown';
}

/** What is read of vitest's JSON report. Source: vitest 5, reporters/json. */
type VitestReport = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
};

/** The file of a test that failed, or one that could not be loaded; what was left out after it is no failure. */
function firstFailure({ testResults }: VitestReport): string {
  const failed =
    testResults.find(({ assertionResults }) => assertionResults.some(({ status }) => status === 'failed')) ??
    testResults.find(({ status }) => status === 'failed');
  return failed === undefined ? 'unknown' : relative(realpathSync(copy), realpathSync(failed.name));
}

async function isRefusedBy(check: 'types' | 'promises', file: string): Promise<boolean> {
  const types = CLOUDFLARE.test(file)
    ? ['tsconfig.workers.json']
    : /^src\/(?:adapters|node\.ts)/.test(file)
      ? ['tsconfig.json']
      : ['tsconfig.neutral.json'];
  const [command, args] =
    check === 'types'
      ? (['tsc', ['-p', ...types, '--checkers', '1']] as const)
      : (['node', [join('scripts', 'floating-promises.ts')]] as const);
  return (await run(command, args, LIMIT_SECONDS)).code !== 0;
}

const graph = readImports(root, listFiles('src/**.ts', 'test/**.ts'));

/** Checks that cost least first. */
async function tryOut(mutant: Mutant): Promise<Result> {
  const { file, text, mutation } = mutant;
  const caught = (caughtBy: Check, by: string | null = null): Result => ({ mutant, caughtBy, by });
  writeFileSync(join(copy, file), applied(text, mutation));
  try {
    if (mutation.operator === 'await' && (await isRefusedBy('promises', file))) return caught('promises');
    const isCloudflares = CLOUDFLARE.test(file);
    const tests = testsOf(graph, file).filter((test) => test.startsWith('test/workerd/') === isCloudflares);
    const project = isCloudflares ? 'workerd' : 'node';
    const limits = [LIMIT_SECONDS, FAR_LIMIT_SECONDS] as const;
    for (const [round, files] of [tests.slice(0, NEAREST), tests.slice(NEAREST)].entries()) {
      if (round === 1 && (await isRefusedBy('types', file))) return caught('types');
      const failed = await runTests(project, files, limits[round] ?? LIMIT_SECONDS);
      if (failed !== null) return caught(failed === 'time' ? 'time' : 'tests', failed);
    }
    return { mutant, caughtBy: null, by: null };
  } finally {
    writeFileSync(join(copy, file), text);
  }
}

function lineFor({ mutant: { file, text, mutation }, caughtBy, by }: Result): string {
  const { operator, start, end, replacement } = mutation;
  const flat = (code: string) => code.replace(/\s+/g, ' ').slice(0, 100);
  const state = caughtBy === null ? 'SURVIVED' : `caught by ${caughtBy}${by === null ? '' : ` (${by})`}`;
  const change = `${flat(text.slice(start, end))}  =>  ${flat(replacement)}`;
  return `${file}:${lineOf(text, start)}  ${operator}: ${change}\n    ${state}`;
}

const share = (results: readonly Result[]) => {
  const caught = results.filter(({ caughtBy }) => caughtBy !== null).length;
  const percent = results.length === 0 ? 0 : Math.round((caught / results.length) * 1000) / 10;
  return `${caught} of ${results.length} caught, ${percent} %`;
};

const wanted = new Set(values.only.split(',') as Operator[]);
const mutants = listFiles(`${values.in}**.ts`)
  .filter((file) => file.startsWith('src/') && (values.cloudflare || !LEFT_OUT.test(file)))
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return findMutations(text).map((mutation): Mutant => ({ file, text, mutation }));
  })
  .filter(({ mutation }) => wanted.has(mutation.operator));
const chosen = sample(mutants, Number(values.seed), Number(values.count));
say(`${chosen.length} of ${mutants.length} faults, seed ${values.seed}, in ${copy}`);

const endAtMs = performance.now() + Number(values.minutes) * 60_000;
const results: Result[] = [];
for (const mutant of chosen) {
  if (performance.now() > endAtMs) {
    say(`Its ${values.minutes} minutes are over: ${chosen.length - results.length} faults were not tried.`);
    break;
  }
  const result = await tryOut(mutant);
  results.push(result);
  say(`${results.length}. ${lineFor(result)}`);
}

// A test that fails without any fault catches none.
const noticing = new Set(results.flatMap(({ caughtBy, by }) => (caughtBy === 'tests' && by !== null ? [by] : [])));
for (const project of ['node', 'workerd']) {
  const files = [...noticing].filter((file) => file.startsWith('test/workerd/') === (project === 'workerd'));
  const failed = await runTests(
    project,
    files.filter((file) => file.endsWith('.ts')),
    FAR_LIMIT_SECONDS,
  );
  if (failed !== null) say(`${failed} fails without any fault: what it caught does not count.`);
}
const survivors = results.filter(({ caughtBy }) => caughtBy === null);
if (survivors.length > 0) say(`\nSurvived:\n${survivors.map(lineFor).join('\n')}`);
for (const operator of OPERATORS.filter((each) => wanted.has(each))) {
  say(`${operator}: ${share(results.filter(({ mutant }) => mutant.mutation.operator === operator))}`);
}
say(`all: ${share(results)}`);
