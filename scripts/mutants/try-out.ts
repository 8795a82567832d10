// Puts one fault at a time into the copy and asks the checks whether they notice it: all dropped
// awaits at once by the check for promises, then the nearest tests, then types and the other tests.
// mutants.ts calls it. What a loaded machine leaves open is neither caught nor survived.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Checks, IS_CLOUDFLARES } from './checks.ts';
import { applied, lineOf, withoutAwaits } from './mutations.ts';
import { type ImportGraph, type Project, projectOf, testsOf } from './related-tests.ts';
import type { Mutant } from './sample.ts';

/** Test files that are run first: what is near notices most. */
const NEAREST = 10;
/** Seconds for these, and for the others. A fault that makes a loop endless takes all of them. */
const NEAR_LIMIT_SECONDS = 120;
const FAR_LIMIT_SECONDS = 400;
/** A second run gets so many times the limit where the machine is too slow for the first. */
const PATIENCE = 3;

export type Check = 'tests' | 'types' | 'promises' | 'time';
export type Result = {
  readonly mutant: Mutant;
  readonly caughtBy: Check | null;
  readonly by: string | null;
  /** Whether what noticed it may fail without the fault too, or a check came to no end. */
  readonly isDoubtful: boolean;
};

type Round = {
  readonly project: Project;
  readonly files: readonly string[];
  readonly limitSeconds: number;
};

export type Trial = {
  /** The dropped awaits among them that the check for promises refuses; null where it is late. */
  refusedAwaits(mutants: readonly Mutant[]): Promise<ReadonlySet<Mutant> | null>;
  /** What the nearest tests notice; null: nothing. */
  tryNear(mutant: Mutant): Promise<Result | null>;
  /** What types and all other tests notice; a survivor has no check that caught it. */
  tryFar(mutant: Mutant): Promise<Result>;
};

type Write = (file: string, text: string) => void;

/** Judges what the tests of a round say of the fault that is in the copy. */
function openJudge({ failuresOf }: Checks, write: Write) {
  /**
   * The first test file that fails. It has to fail again by itself: what measures times
   * fails now and then on a busy machine.
   */
  async function failureOf({ project, files, limitSeconds }: Round): Promise<string | undefined> {
    const [failed] = await failuresOf(project, files, { limitSeconds, bail: 1 });
    if (failed === undefined || failed === 'time' || failed === 'unknown') return failed;

    const again = await failuresOf(project, [failed], { limitSeconds, bail: 1 });
    if (again.length > 0) return failed;
    const others = files.filter((file) => file !== failed);
    return failureOf({ project, files: others, limitSeconds });
  }

  async function noticedBy(mutant: Mutant, round: Round): Promise<Result | null> {
    const { file, text, mutation } = mutant;
    const failed = await failureOf(round);
    if (failed === undefined) return null;
    const caughtBy = failed === 'time' ? 'time' : 'tests';
    const caught: Result = { mutant, caughtBy, by: failed, isDoubtful: false };
    if (failed !== 'time' && failed !== 'unknown') return caught;

    // A busy machine takes long as well: without the fault half the time must be enough.
    write(file, text);
    const half = { limitSeconds: round.limitSeconds / 2, bail: 1 };
    const isSlowAnyway = (await failuresOf(round.project, round.files, half)).length > 0;
    write(file, applied(text, mutation));
    if (!isSlowAnyway) return caught;
    const patient = { ...round, limitSeconds: round.limitSeconds * PATIENCE };
    const later = await failureOf(patient);
    if (later === undefined) return null;
    return { ...caught, by: later, isDoubtful: later === 'time' || later === 'unknown' };
  }

  return noticedBy;
}

/** `wireTests`: those of a running server, which no import leads to. */
export function openTrial(checks: Checks, graph: ImportGraph, wireTests: readonly string[]): Trial {
  const { copy, typesOf, floatingPromises } = checks;
  const write: Write = (file, text) => writeFileSync(join(copy, file), text);
  const noticedBy = openJudge(checks, write);

  /** The tests that may notice a fault in a file, in the order in which they are run. */
  function roundsFor(file: string): { readonly near: Round; readonly far: readonly Round[] } {
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
      files: project === 'node' ? wireTests : [],
      limitSeconds: FAR_LIMIT_SECONDS,
    } as const;
    return { near, far: [far, wire] };
  }

  async function withFault<Value>(mutant: Mutant, run: () => Promise<Value>): Promise<Value> {
    const { file, text, mutation } = mutant;
    write(file, applied(text, mutation));
    try {
      return await run();
    } finally {
      write(file, text);
    }
  }

  return {
    async refusedAwaits(mutants) {
      const awaits = mutants.filter(({ mutation }) => mutation.operator === 'await');
      if (awaits.length === 0) return new Set();
      const byFile = Map.groupBy(awaits, ({ file }) => file);
      for (const [file, [first, ...more]] of byFile)
        if (first !== undefined)
          write(
            file,
            withoutAwaits(
              first.text,
              [first, ...more].map(({ mutation }) => mutation),
            ),
          );
      const positions = await floatingPromises();
      for (const { file, text } of awaits) write(file, text);
      if (positions === null) return null;
      return new Set(
        awaits.filter(({ file, text, mutation }) =>
          positions.has(`${file}:${lineOf(text, mutation.start)}`),
        ),
      );
    },
    tryNear: (mutant) => withFault(mutant, () => noticedBy(mutant, roundsFor(mutant.file).near)),
    tryFar: (mutant) =>
      withFault(mutant, async () => {
        const none: Result = { mutant, caughtBy: null, by: null, isDoubtful: false };
        const types = await typesOf(mutant.file);
        if (types === 'refused') return { ...none, caughtBy: 'types' };
        for (const round of roundsFor(mutant.file).far) {
          const result = await noticedBy(mutant, round);
          if (result !== null) return result;
        }
        return { ...none, isDoubtful: types === 'late' };
      }),
  };
}
