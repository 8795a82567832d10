// Choices from a seed: the same number gives the same choices anywhere.
import type { Random } from '../../../bench/simulate/random.ts';

export { createRandom, type Random } from '../../../bench/simulate/random.ts';

/** One of these. */
export const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;
/** True so often: 0 never, 1 always. */
export const chance = (random: Random, probability: number): boolean => random() < probability;
