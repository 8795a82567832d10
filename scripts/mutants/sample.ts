// Which faults are tried: some of all that there are, the same for the same seed.
import type { Mutation } from './mutations.ts';

/** A fault in a file of that text. */
export type Mutant = { readonly file: string; readonly text: string; readonly mutation: Mutation };

/**
 * Whole numbers from 0 below `max`, the same for the same seed. Source: mulberry32, Tommy Ettinger,
 * public domain.
 */
function createRandom(seed: number): (max: number) => number {
  let state = seed >>> 0;
  return (max) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * max);
  };
}

/**
 * Chooses `count` faults, no two the same; each kind as often as every other, as far as there are
 * some.
 */
export function sample(mutants: readonly Mutant[], seed: number, count: number): readonly Mutant[] {
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
