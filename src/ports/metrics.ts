// Numbers about the running program, as Prometheus takes them. Each component
// counts in plain numbers and makes families of them at a scrape; nothing is
// computed before. Labels never hold a key, an address or anything else that
// strangers choose.

export type MetricSample = {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The suffix of a histogram's sample; '' for all others. */
  readonly suffix: '' | '_bucket' | '_sum' | '_count';
};

/**
 * Samples of one name. `help` says in one sentence what is counted and in which
 * unit.
 */
export type MetricFamily = {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly MetricSample[];
};

/**
 * What a platform knows of itself, beyond what the app counts. Cost: some
 * milliseconds; called once a scrape.
 */
export type MetricSource = {
  collect(): readonly MetricFamily[] | Promise<readonly MetricFamily[]>;
  /** What the same app counts in other threads, each thread's apart; none without it. */
  ofOtherThreads?(): Promise<readonly (readonly MetricFamily[])[]>;
};

/** A family with one sample per set of labels. */
export function metricFamily(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  samples: Iterable<readonly [labels: MetricSample['labels'], value: number]>,
): MetricFamily {
  return {
    name,
    help,
    type,
    samples: Array.from(samples, ([labels, value]) => ({ labels, value, suffix: '' })),
  };
}

/** Counts values by size. */
export type Histogram = {
  /** Cost: 10 ns for a value of the first bounds. */
  observe(value: number): void;
  samples(labels: MetricSample['labels']): MetricSample[];
};

/**
 * `bounds`: upper ends of the buckets, ascending; what is above the last counts
 * under +Inf.
 */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    observe(value) {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },
    samples(labels) {
      let count = 0;
      const samples: MetricSample[] = [];
      for (let at = 0; at <= bounds.length; at++) {
        count += counts[at] ?? 0;
        const le = at < bounds.length ? `${bounds[at]}` : '+Inf';
        samples.push({ labels: { ...labels, le }, value: count, suffix: '_bucket' });
      }
      samples.push(
        { labels, value: sum, suffix: '_sum' },
        { labels, value: count, suffix: '_count' },
      );
      return samples;
    },
  };
}
