// What was made of two names, given again. A map takes up to a microsecond longer
// to find a text that was only just made (measured: ADR 29), for V8 first looks for
// an equal one among all that it has; the same text again is found at once.

export type PairMemo<First, Second, Made> = {
  get(first: First, second: Second): Made | undefined;
  set(first: First, second: Second, made: Made): void;
};

/**
 * At most `pairsMax`, 150 B each: with more, all are forgotten and made anew. Cost
 * of `get`: two look-ups, 30 ns.
 */
export function createPairMemo<First, Second, Made>(
  pairsMax: number,
): PairMemo<First, Second, Made> {
  let known = new Map<First, Map<Second, Made>>();
  let count = 0;
  return {
    get: (first, second) => known.get(first)?.get(second),
    set(first, second, made) {
      if (count === pairsMax) {
        known = new Map();
        count = 0;
      }
      const ofFirst = known.get(first) ?? new Map<Second, Made>();
      known.set(first, ofFirst.set(second, made));
      count += 1;
    },
  };
}
