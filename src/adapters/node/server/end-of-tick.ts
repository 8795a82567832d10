// What is decided in a turn of the event loop, to be done at its end, that of all connections
// together. To decide many answers and then to send many takes less than to do both in turns:
// sending moves so many bytes that little of what decides is left in the processor's caches, and a
// client that is woken once finds more than one (measured: ADR 28).

export type EndOfTurn<Item> = {
  /** To be done when all that was readable has been read, or so many are due. */
  add(item: Item): void;
  /** Does all that is due, now. */
  flush(): void;
};

/**
 * So many are due at once, at most: the first of them waits for the others, some 5 µs each. Lists
 * of 8 gain a third of what 64 do (ADR 28).
 */
export const DUE_MAX = 64;

/** `doNow` does one, in the order in which they came; it must not throw. */
export function createEndOfTurn<Item>(doNow: (item: Item) => void): EndOfTurn<Item> {
  let due: Item[] = [];
  let isPlanned = false;

  function flush(): void {
    const items = due;
    due = [];
    for (const item of items) doNow(item);
  }

  function endTurn(): void {
    isPlanned = false;
    flush();
  }

  return {
    add(item) {
      due.push(item);
      if (due.length === DUE_MAX) return flush();
      if (isPlanned) return;
      isPlanned = true;
      setImmediate(endTurn);
    },
    flush,
  };
}
