// Epochs of a cache that is filled after a read and evicted by writes: they tell
// whether an eviction overtook a fill. memory-pointers.ts and memory-shares.ts take one
// for each load. Where other threads write, the count of changes that was read before a
// value tells the same; adapters/node/index/change-counters.ts has the table.

/**
 * Evictions remembered: a second of them at 5,000 writes a second; a fill takes
 * milliseconds.
 */
const EVICTIONS_REMEMBERED = 4096;

/**
 * Taken before a load, given back with what was read. A fill that an eviction
 * overtook is dropped, and what was read counts as no younger than the epoch.
 */
export type FillEpoch = {
  readonly lastEviction: number;
  readonly atMs: number;
  /** Counts of changes before the load, where other threads write. */
  readonly readings?: FillReadings;
};

/** Null: a change of it is under way. */
export type FillReadings = {
  readonly readPolicy: ChangeReading | null;
  readonly pointer: ChangeReading | null;
};

/**
 * Numbers the evictions. An epoch has the number of the last one before it; where
 * the eviction of a name was forgotten, every older fill counts as overtaken.
 */
export function createFillEpochs() {
  const numbers = new Map<string, number>();
  let last = 0;
  /** Number of the youngest eviction that was forgotten. */
  let forgotten = 0;

  return {
    last: (): number => last,
    note(name: string): void {
      last += 1;
      numbers.delete(name);
      numbers.set(name, last);
      if (numbers.size <= EVICTIONS_REMEMBERED) return;

      const [oldest] = numbers;
      if (oldest === undefined) return;
      numbers.delete(oldest[0]);
      forgotten = oldest[1];
    },
    hasOvertaken: (name: string, { lastEviction }: FillEpoch): boolean =>
      lastEviction < forgotten || (numbers.get(name) ?? 0) > lastEviction,
  };
}

/** Names that may not be filled while writers block them, counted. */
export function createFillBarrier() {
  const writers = new Map<string, number>();

  return {
    block(name: string): void {
      writers.set(name, (writers.get(name) ?? 0) + 1);
    },
    unblock(name: string): void {
      const left = (writers.get(name) ?? 0) - 1;
      if (left > 0) writers.set(name, left);
      else writers.delete(name);
    },
    /** Whether anything is blocked: asked first, so that nobody makes a name in vain. */
    isUp: (): boolean => writers.size > 0,
    isBlocked: (name: string): boolean => writers.has(name),
  };
}

export type FillBarrier = ReturnType<typeof createFillBarrier>;

/** A count of changes of some names, as it was before a value was read. */
export type ChangeReading = { readonly slot: number; readonly changes: number };

/** Reads the counts of changes. */
export type ChangeReader = {
  /** Called before a value is read; null: a change is under way, so nothing may be kept. */
  read(name: string): ChangeReading | null;
  /** Whether nothing of that name has changed since the reading. */
  isCurrent(reading: ChangeReading): boolean;
};
