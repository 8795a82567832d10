// Chance for the simulator, all of it from one seed: the same seed gives the same trace and the
// same table everywhere.

/** Numbers from 0 to below 1. */
export type Random = () => number;

/**
 * A small generator (mulberry32): 32 bits of state, good enough to choose objects with, never for
 * secrets.
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Mixes whole numbers into one number from 0 to below 1; for chances that must not depend on the
 * order of events.
 */
export function hashToUnit(...values: readonly number[]): number {
  let state = 0x9e3779b9;
  for (const value of values) {
    state = Math.imul(state ^ value, 0x85ebca6b);
    state ^= state >>> 13;
  }
  return createRandom(state)();
}

/**
 * Draws ranks 0 to `count - 1`, rank r with a weight of 1 / (r + 1) ** exponent. Cost: a binary
 * search.
 */
export function createZipf(count: number, exponent: number, random: Random): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += (rank + 1) ** -exponent;
    sums[rank] = sum;
  }
  return () => {
    const wanted = random() * sum;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/** Sizes of files: lognormal around the median, never more than `maxBytes`. */
export type SizeOptions = {
  readonly medianBytes: number;
  readonly sigma: number;
  readonly maxBytes: number;
};

/**
 * Steps of one doubling of a size. Few different sizes let the simulator share the bytes of equal
 * bodies.
 */
const STEPS_PER_DOUBLING = 8;

/**
 * Smallest file, bytes: room for a number that makes its digest differ from those of all others.
 */
const MIN_BYTES = 16;

/** Draws a size in bytes, rounded to an eighth of a doubling. */
export function drawSize(options: SizeOptions, random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const sizeBytes = Math.min(
    options.maxBytes,
    options.medianBytes * Math.exp(options.sigma * normal),
  );
  const step = Math.round(Math.log2(Math.max(MIN_BYTES, sizeBytes)) * STEPS_PER_DOUBLING);
  return Math.min(options.maxBytes, Math.round(2 ** (step / STEPS_PER_DOUBLING)));
}

/**
 * Milliseconds to the next of events that come `perSecond` times a second on average, independent
 * of each other.
 */
export function drawGapMs(perSecond: number, random: Random): number {
  return (-Math.log(1 - random()) * 1000) / perSecond;
}
