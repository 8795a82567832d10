// Sums over the days of a link's statistics.
import type { ShareDay } from 'quayside/client';

type Sums = {
  readonly opened: number;
  readonly completed: number;
  readonly aborted: number;
  readonly bytes: number;
};

/** The counts of one recipient; null: of those without a name. */
export function sumOf(days: readonly ShareDay[], labelId: string | null): Sums {
  const sums = { opened: 0, completed: 0, aborted: 0, bytes: 0 };
  for (const day of days) {
    if (day.labelId !== labelId) continue;
    sums.opened += day.opened;
    sums.completed += day.completed;
    sums.aborted += day.aborted;
    sums.bytes += Number(day.bytes);
  }
  return sums;
}

/** The most frequent hosts or countries, each with its visits. */
export function topOf(
  days: readonly ShareDay[],
  what: 'referrers' | 'countries',
  most: number,
): readonly (readonly [string, number])[] {
  const times = new Map<string, number>();
  for (const day of days) {
    for (const [name, visits] of Object.entries(day[what]))
      times.set(name, (times.get(name) ?? 0) + visits);
  }
  return [...times].sort(([, a], [, b]) => b - a).slice(0, most);
}
