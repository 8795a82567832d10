// What /-/metrics tells about the Node home itself: whoever has numbers adds a source, and the
// process adds Node's own through prom-client, which knows where to find them (event loop, garbage
// collection, memory, file descriptors).
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { MetricFamily, MetricSample, MetricSource } from '../../../ports/metrics.ts';

export type NodeMetrics = MetricSource & {
  /** Adds numbers that are asked for at each scrape. */
  add(source: () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>): void;
};

/**
 * prom-client's metrics are begun at the first scrape: whoever never asks never pays for its
 * timers.
 */
export function createNodeMetrics(): NodeMetrics {
  const sources: Parameters<NodeMetrics['add']>[0][] = [];
  let registry: Registry | null = null;
  return {
    add(source) {
      sources.push(source);
    },
    async collect() {
      if (registry === null) {
        registry = new Registry();
        collectDefaultMetrics({ register: registry });
      }
      const own = (await Promise.all(sources.map((source) => source()))).flat();
      const metrics = (await registry.getMetricsAsJSON()) as unknown as readonly PromMetric[];
      return [...own, ...metrics.map(toFamily)];
    },
  };
}

/**
 * A metric as prom-client 15 gives it; its own type leaves out the name of a histogram's members.
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
