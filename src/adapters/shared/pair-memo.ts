// What was made of two names, given again. A map takes up to a microsecond longer
// to find a text that was only just made (measured: ADR 29), for V8 first looks for
// an equal one among all that it has; the same text again is found at once.

export type PairMemo<First, Second, Made> = {
  get(first: First, second: Second): Made | undefined;
  set(first: First, second: Second, made: Made): void;
};

/**
 * At most `pairsMax`, 150 B each. Those that were asked for among the last half of
 * them stay. Cost of `get`: two look-ups, 30 ns.
 */
export function createPairMemo<First, Second, Made>(
  pairsMax: number,
): PairMemo<First, Second, Made> {
  const generationMax = Math.ceil(pairsMax / 2);
  let recent = new Map<First, Map<Second, Made>>();
  let older = new Map<First, Map<Second, Made>>();
  let count = 0;

  function set(first: First, second: Second, made: Made): void {
    if (count === generationMax) {
      older = recent;
      recent = new Map();
      count = 0;
    }
    const ofFirst = recent.get(first) ?? new Map<Second, Made>();
    recent.set(first, ofFirst.set(second, made));
    count += 1;
  }

  return {
    set,
    get(first, second) {
      const made = recent.get(first)?.get(second);
      if (made !== undefined) return made;
      const earlier = older.get(first)?.get(second);
      if (earlier !== undefined) set(first, second, earlier);
      return earlier;
    },
  };
}
