// `npm run mutants -- --seed 1 --count 60`: puts faults into a copy of the program, one at a time,
// and reports which of them no check notices. For whoever changes the core; CONTRIBUTING.md says
// how to read it. Nothing is changed in place.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { IS_CLOUDFLARES, listFiles, openChecks } from './mutants/checks.ts';
import { applied, findMutations, lineOf, OPERATORS, type Operator } from './mutants/mutations.ts';
import { type Project, projectOf, readImports, testsOf } from './mutants/related-tests.ts';
import { type Mutant, sample } from './mutants/sample.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (line: string) => process.stdout.write(`${line}\n`);
/** Test files that are run first: what is near notices most. */
const NEAREST = 10;
/** Seconds for these, and for the others. A fault that makes a loop endless takes all of them. */
const NEAR_LIMIT_SECONDS = 120;
const FAR_LIMIT_SECONDS = 400;
/** Tests of a running server, which no import leads to. */
const WIRE_TESTS = listFiles(root, 'test/wire/**.test.ts');
const IS_DECLARATION = /\.d\.ts$/;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    only: { type: 'string', default: OPERATORS.join() },
    in: { type: 'string', default: 'src/' },
    minutes: { type: 'string', default: '60' },
    cloudflare: { type: 'boolean', default: false },
    wire: { type: 'boolean', default: false },
  },
});

type Check = 'tests' | 'types' | 'promises' | 'time';
type Result = {
  readonly mutant: Mutant;
  readonly caughtBy: Check | null;
  readonly by: string | null;
  /** Whether what noticed it may fail without the fault too. */
  readonly isDoubtful: boolean;
};

// What runs gets the signal too: a run of the tests that it ends says nothing about a fault.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => setImmediate(() => process.exit(1)));

const { copy, failuresOf, isRefusedBy } = openChecks(root);
const graph = readImports(root, listFiles(root, 'src/**.ts', 'test/**.ts'));
/** Sources of the console that unit tests import; of all others only a browser runs tests. */
const consoleUnits = new Set(
  [...graph].flatMap(([file, imports]) => (file.startsWith('test/console/unit/') ? imports : [])),
);

/**
 * The first test file that fails. It has to fail again by itself: what measures times
 * fails now and then on a busy machine.
 */
async function failureOf(
  project: Project,
  files: readonly string[],
  limitSeconds: number,
): Promise<string | undefined> {
  const [failed] = await failuresOf(project, files, { limitSeconds, bail: 1 });
  if (failed === undefined || failed === 'time' || failed === 'unknown') return failed;

  const again = await failuresOf(project, [failed], { limitSeconds, bail: 1 });
  if (again.length > 0) return failed;
  const others = files.filter((file) => file !== failed);
  return failureOf(project, others, limitSeconds);
}

type Round = {
  readonly project: Project;
  readonly files: readonly string[];
  readonly limitSeconds: number;
};

/** The tests that may notice a fault in a file, in the order in which they are run. */
function roundsFor(file: string): readonly Round[] {
  const project = IS_CLOUDFLARES.test(file) ? 'workerd' : 'node';
  const tests = testsOf(graph, file).filter((test) => projectOf(test) === project);
  const near = {
    project,
    files: tests.slice(0, NEAREST),
    limitSeconds: NEAR_LIMIT_SECONDS,
  } as const;
  const far = { project, files: tests.slice(NEAREST), limitSeconds: FAR_LIMIT_SECONDS } as const;
  const wire = {
    project: 'wire-node',
    files: values.wire && project === 'node' ? WIRE_TESTS : [],
    limitSeconds: FAR_LIMIT_SECONDS,
  } as const;
  return [near, far, wire];
}

/** Checks that cost least first. */
async function tryOut(mutant: Mutant): Promise<Result> {
  const { file, text, mutation } = mutant;
  const caught = (caughtBy: Check, by: string | null = null, isDoubtful = false): Result => {
    return { mutant, caughtBy, by, isDoubtful };
  };
  writeFileSync(join(copy, file), applied(text, mutation));
  try {
    if (mutation.operator === 'await' && (await isRefusedBy('promises', file)))
      return caught('promises');
    for (const [round, { project, files, limitSeconds }] of roundsFor(file).entries()) {
      if (round === 1 && (await isRefusedBy('types', file))) return caught('types');
      const failed = await failureOf(project, files, limitSeconds);
      if (failed === undefined) continue;
      if (failed !== 'time' && failed !== 'unknown') return caught('tests', failed);
      // A busy machine takes long as well: without the fault half the time must be enough.
      writeFileSync(join(copy, file), text);
      const half = { limitSeconds: limitSeconds / 2, bail: 1 };
      const isDoubtful = (await failuresOf(project, files, half)).length > 0;
      return caught(failed === 'time' ? 'time' : 'tests', failed, isDoubtful);
    }
    return { mutant, caughtBy: null, by: null, isDoubtful: false };
  } finally {
    writeFileSync(join(copy, file), text);
  }
}

function lineFor({ mutant: { file, text, mutation }, caughtBy, by }: Result): string {
  const { operator, start, end, replacement } = mutation;
  const flat = (code: string) => code.replace(/\s+/g, ' ').slice(0, 100);
  const state =
    caughtBy === null ? 'SURVIVED' : `caught by ${caughtBy}${by === null ? '' : ` (${by})`}`;
  const change = `${flat(text.slice(start, end))}  =>  ${flat(replacement)}`;
  return `${file}:${lineOf(text, start)}  ${operator}: ${change}\n    ${state}`;
}

const share = (results: readonly Result[]) => {
  const caught = results.filter(({ caughtBy }) => caughtBy !== null).length;
  const percent = results.length === 0 ? 0 : Math.round((caught / results.length) * 1000) / 10;
  return `${caught} of ${results.length} caught, ${percent} %`;
};

const operators = new Set(values.only.split(',') as Operator[]);
const mutants = listFiles(root, ...values.in.split(',').map((path) => `${path}**.ts`))
  .filter((file) => file.startsWith('src/') && !IS_DECLARATION.test(file))
  .filter((file) => values.cloudflare || !IS_CLOUDFLARES.test(file))
  .filter((file) => !file.startsWith('src/console/') || consoleUnits.has(file))
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return findMutations(text).map((mutation): Mutant => ({ file, text, mutation }));
  })
  .filter(({ mutation }) => operators.has(mutation.operator));
const chosen = sample(mutants, Number(values.seed), Number(values.count));
say(`${chosen.length} of ${mutants.length} faults, seed ${values.seed}, in ${copy}`);

const endAtMs = performance.now() + Number(values.minutes) * 60_000;
const tried: Result[] = [];
for (const mutant of chosen) {
  if (performance.now() > endAtMs) {
    const untried = chosen.length - tried.length;
    say(`Its ${values.minutes} minutes are over: ${untried} faults were not tried.`);
    break;
  }
  const result = await tryOut(mutant);
  tried.push(result);
  say(`${tried.length}. ${lineFor(result)}`);
}

// A test that fails without any fault catches none.
const noticing = new Set(
  tried.flatMap(({ caughtBy, by }) => (caughtBy === 'tests' && by !== null ? [by] : [])),
);
const broken = new Set<string>();
for (const project of ['node', 'workerd', 'wire-node'] as const) {
  const files = [...noticing].filter((file) => file !== 'unknown' && projectOf(file) === project);
  const options = { limitSeconds: FAR_LIMIT_SECONDS, bail: 0 };
  for (const failed of await failuresOf(project, files, options)) {
    // Nothing is known of any test where the run had no end.
    for (const file of failed === 'time' || failed === 'unknown' ? files : [failed])
      broken.add(file);
  }
}
const isProven = ({ by, isDoubtful }: Result) => !isDoubtful && (by === null || !broken.has(by));
const unproven = tried.filter((result) => !isProven(result));
const results = tried.filter(isProven);
if (unproven.length > 0) {
  const lines = unproven.map(lineFor).join('\n');
  say(
    `\nNot counted, as what noticed it fails, or takes as long, without any fault too:\n${lines}`,
  );
}
const survivors = results.filter(({ caughtBy }) => caughtBy === null);
if (survivors.length > 0) say(`\nSurvived:\n${survivors.map(lineFor).join('\n')}`);
for (const operator of OPERATORS.filter((each) => operators.has(each))) {
  say(
    `${operator}: ${share(results.filter(({ mutant }) => mutant.mutation.operator === operator))}`,
  );
}
say(`all: ${share(results)}`);
