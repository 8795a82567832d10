// Where visitors of a link came from, over the days of its statistics.
import type { ShareDay } from 'quayside/client';

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
