// How full the memory tiers are, for /-/metrics of both platforms.
import { type MetricFamily, metricFamily } from '../../ports/metrics.ts';

/** One cache at this moment. */
export type CacheStats = {
  /** A label, so one of a fixed set. */
  readonly cache: string;
  readonly entries: number;
  /**
   * Bytes by the cache's own count, and how many it may hold; null where it counts
   * entries.
   */
  readonly bytes: number | null;
  readonly maxBytes: number | null;
  /** Entries that left to make room, since the start. */
  readonly evictions: number;
};

export function cacheFamilies(all: readonly CacheStats[]): MetricFamily[] {
  const samples = (of: (stats: CacheStats) => number | null) =>
    all.flatMap((stats) => {
      const value = of(stats);
      return value === null ? [] : [[{ cache: stats.cache }, value] as const];
    });
  return [
    metricFamily(
      'gauge',
      'quayside_cache_entries',
      'Entries of a cache in memory.',
      samples(({ entries }) => entries),
    ),
    metricFamily(
      'gauge',
      'quayside_cache_bytes',
      'Bytes of a cache in memory, estimated.',
      samples(({ bytes }) => bytes),
    ),
    metricFamily(
      'gauge',
      'quayside_cache_max_bytes',
      'Bytes that it may hold.',
      samples(({ maxBytes }) => maxBytes),
    ),
    metricFamily(
      'counter',
      'quayside_cache_evictions_total',
      'Entries that left to make room.',
      samples(({ evictions }) => evictions),
    ),
  ];
}
