// Metrics of the Node platform for /-/metrics: parts of it add sources, and
// prom-client adds Node's own (event loop, garbage collection, memory, file
// descriptors).
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { MetricFamily, MetricSample, MetricSource } from '../../../ports/metrics.ts';

export type NodeMetrics = MetricSource & {
  /** Adds a source that is called at each scrape. */
  add(source: () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>): void;
  /** Adds another thread, whose app is asked at each scrape. Returns what takes it out. */
  addThread(families: () => Promise<readonly MetricFamily[]>): () => void;
};

/**
 * Makes the metrics. prom-client starts at the first scrape: without one, its
 * timers never run. `hasRuntime` false: Node's own numbers are another thread's part.
 */
export function createNodeMetrics(hasRuntime = true): NodeMetrics {
  const sources: Parameters<NodeMetrics['add']>[0][] = [];
  const threads = new Set<Parameters<NodeMetrics['addThread']>[0]>();
  let registry: Registry | null = null;
  return {
    add(source) {
      sources.push(source);
    },
    addThread(families) {
      threads.add(families);
      return () => void threads.delete(families);
    },
    // A thread that dies meanwhile has no numbers any more.
    ofOtherThreads: () =>
      Promise.all(Array.from(threads, (families) => families().catch(() => []))),
    async collect() {
      const own = (await Promise.all(sources.map((source) => source()))).flat();
      if (!hasRuntime) return own;
      if (registry === null) {
        registry = new Registry();
        collectDefaultMetrics({ register: registry });
      }
      const metrics = (await registry.getMetricsAsJSON()) as unknown as readonly PromMetric[];
      return [...own, ...metrics.map(toFamily)];
    },
  };
}

/**
 * A metric of prom-client 15; its own type lacks the name of a histogram's members.
 */
type PromMetric = {
  readonly name: string;
  readonly help: string;
  readonly type: MetricFamily['type'];
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
};

function toFamily({ name, help, type, values }: PromMetric): MetricFamily {
  const samples = values.map(({ value, labels, metricName = name }): MetricSample => {
    const texts = Object.entries(labels).map(([label, text]) => [label, `${text}`]);
    return {
      value,
      labels: Object.fromEntries(texts),
      suffix: metricName.slice(name.length) as MetricSample['suffix'],
    };
  });
  return { name, help, type, samples };
}
