// Work of all connections that is done together at the end of a tick of the event
// loop. To decide many responses and then send many takes less than to alternate:
// sending evicts the deciding code from the processor's caches, and a client that
// is woken once finds several (measured: ADR 28).

export type EndOfTick<Item> = {
  /**
   * Plans an item for the time when all sockets have been read, or DUE_MAX items
   * are due.
   */
  add(item: Item): void;
  /** Does all items that are due, now. */
  flush(): void;
};

/**
 * Most items due at once: the first of them waits for the others, some 5 µs each.
 * Lists of 8 gain a third of what 64 do (ADR 28).
 */
export const DUE_MAX = 64;

/** `doNow` does an item, in the order in which they came; it must not throw. */
export function createEndOfTick<Item>(doNow: (item: Item) => void): EndOfTick<Item> {
  let due: Item[] = [];
  let isPlanned = false;

  function flush(): void {
    const items = due;
    due = [];
    for (const item of items) doNow(item);
  }

  function endTick(): void {
    isPlanned = false;
    flush();
  }

  return {
    add(item) {
      due.push(item);
      if (due.length === DUE_MAX) return flush();
      if (isPlanned) return;
      isPlanned = true;
      setImmediate(endTick);
    },
    flush,
  };
}
