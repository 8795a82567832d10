// `npm run mutants -- --seed 1 --count 60`: puts faults into a copy of the program, one at a time,
// and reports which of them no check notices. For whoever changes the core; CONTRIBUTING.md says
// how to read it. Nothing is changed in place.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { IS_CLOUDFLARES, listFiles, openChecks } from './mutants/checks.ts';
import { findMutations, lineOf, OPERATORS, type Operator } from './mutants/mutations.ts';
import { projectOf, readImports } from './mutants/related-tests.ts';
import { type Mutant, sample } from './mutants/sample.ts';
import { openTrial, type Result } from './mutants/try-out.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (line: string) => process.stdout.write(`${line}\n`);
/** Seconds for the tests that noticed something, once more without any fault. */
const PROOF_LIMIT_SECONDS = 400;
/** Tests of a running server, which no import leads to. */
const WIRE_TESTS = listFiles(root, 'test/wire/**.test.ts');
/** Sources that a browser runs; unit tests reach some of them. */
const IS_BROWSERS = /^src\/(?:console|link-pages)\//;
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

// What runs gets the signal too: a run of the tests that it ends says nothing about a fault.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => setImmediate(() => process.exit(1)));

const checks = openChecks(root);
const { copy, failuresOf } = checks;
const graph = readImports(root, listFiles(root, 'src/**.ts', 'test/**.ts'));
/** Sources for browsers that tests of Node import; of all others only a browser runs tests. */
const browserUnits = new Set(
  [...graph].flatMap(([file, imports]) =>
    file.endsWith('.test.ts') && projectOf(file) === 'node' ? imports : [],
  ),
);

const trial = openTrial(checks, graph, values.wire ? WIRE_TESTS : []);

function placeOf({ file, text, mutation }: Mutant): string {
  const { operator, start, end, replacement } = mutation;
  const flat = (code: string) => code.replace(/\s+/g, ' ').slice(0, 100);
  const change = `${flat(text.slice(start, end))}  =>  ${flat(replacement)}`;
  return `${file}:${lineOf(text, start)}  ${operator}: ${change}`;
}

function lineFor({ mutant, caughtBy, by }: Result): string {
  const state =
    caughtBy === null ? 'SURVIVED' : `caught by ${caughtBy}${by === null ? '' : ` (${by})`}`;
  return `${placeOf(mutant)}\n    ${state}`;
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
  .filter((file) => !IS_BROWSERS.test(file) || browserUnits.has(file))
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return findMutations(text).map((mutation): Mutant => ({ file, text, mutation }));
  })
  .filter(({ mutation }) => operators.has(mutation.operator));
const chosen = sample(mutants, Number(values.seed), Number(values.count));
say(`${chosen.length} of ${mutants.length} faults, seed ${values.seed}, in ${copy}`);

const endAtMs = performance.now() + Number(values.minutes) * 60_000;
const isOver = () => performance.now() > endAtMs;
const tried: Result[] = [];
function take(result: Result): void {
  tried.push(result);
  say(`${tried.length}. ${lineFor(result)}`);
}

const refused = await trial.refusedAwaits(chosen);
if (refused === null) say('The check for promises came to no end: tests alone judge the awaits.');
for (const mutant of refused ?? [])
  take({ mutant, caughtBy: 'promises', by: null, isDoubtful: false });

const near = chosen.filter((mutant) => refused?.has(mutant) !== true);
const far: Mutant[] = [];
/** Faults that only near tests have judged, and missed. */
let undecided: readonly Mutant[] = [];
for (const [at, mutant] of near.entries()) {
  if (isOver()) {
    say(`Its ${values.minutes} minutes are over: ${near.length - at} faults were not tried.`);
    break;
  }
  const result = await trial.tryNear(mutant);
  if (result === null) {
    far.push(mutant);
    say(`Near tests pass: ${placeOf(mutant)}`);
  } else take(result);
}
say(`${far.length} faults are left to types and the other tests.`);
for (const [at, mutant] of far.entries()) {
  if (isOver()) {
    say(`Its ${values.minutes} minutes are over. Near tests alone were run for:`);
    undecided = far.slice(at);
    for (const mutant of undecided) say(placeOf(mutant));
    break;
  }
  take(await trial.tryFar(mutant));
}

// A test that fails without any fault catches none.
const noticing = new Set(
  tried.flatMap(({ caughtBy, by }) => (caughtBy === 'tests' && by !== null ? [by] : [])),
);
const broken = new Set<string>();
for (const project of ['node', 'workerd', 'wire-node'] as const) {
  const files = [...noticing].filter((file) => file !== 'unknown' && projectOf(file) === project);
  const options = { limitSeconds: PROOF_LIMIT_SECONDS, bail: 0 };
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
if (undecided.length > 0)
  say(`Not in these shares: ${undecided.length} faults that near tests missed, and no other ran.`);
