// Storage by day out of byte-hours: pure, so that it is tested without a page.

type UsageRow = {
  readonly time: string | null;
  readonly bucket: string | null;
  /** Byte-hours. */
  readonly quantity: string;
};

export type BucketGrowth = {
  readonly bucket: string;
  /** Mean bytes of each day, the oldest first. */
  readonly days: readonly number[];
  /** The last day less the first. */
  readonly grownBytes: number;
};

const HOURS_OF_DAY = 24;

/** Buckets by how much they grew or shrank, the most first; those that stayed are left out. */
export function growthOf(rows: readonly UsageRow[]): BucketGrowth[] {
  const times = [...new Set(rows.map(({ time }) => time ?? ''))].sort();
  // The last day runs still: its hours are not all there.
  const whole = times.slice(0, -1);
  const buckets = new Map<string, Map<string, number>>();
  for (const { time, bucket, quantity } of rows) {
    if (bucket === null || time === null) continue;
    const days = buckets.get(bucket) ?? new Map<string, number>();
    days.set(time, (days.get(time) ?? 0) + Number(quantity) / HOURS_OF_DAY);
    buckets.set(bucket, days);
  }
  return [...buckets]
    .map(([bucket, byTime]) => {
      const days = whole.map((time) => byTime.get(time) ?? 0);
      return { bucket, days, grownBytes: (days.at(-1) ?? 0) - (days[0] ?? 0) };
    })
    .filter(({ grownBytes }) => Math.abs(grownBytes) >= 1)
    .sort((a, b) => Math.abs(b.grownBytes) - Math.abs(a.grownBytes));
}
