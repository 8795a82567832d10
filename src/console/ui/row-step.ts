// Walking rows by keys: ↑ ↓ Home End, without leaving the list at either end.

/** Gives the row that a key leads to from row `at` of `count`; null: it is no such key. */
export function rowStep(key: string, at: number, count: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next));
}
