// The numbers of several threads as those of one process. Pure; observer.ts calls it.
import type { MetricFamily, MetricSample } from '../../ports/metrics.ts';

type Sum = { readonly sample: MetricSample; value: number };

/**
 * Joins families of one name, in the order of their first appearance; samples of a
 * family with the same labels become one, their sum.
 */
export function sumFamilies(ofThreads: readonly (readonly MetricFamily[])[]): MetricFamily[] {
  const sums = new Map<string, { readonly family: MetricFamily; samples: Map<string, Sum> }>();
  for (const family of ofThreads.flat()) {
    const known = sums.get(family.name) ?? { family, samples: new Map<string, Sum>() };
    sums.set(family.name, known);
    for (const sample of family.samples) {
      const name = JSON.stringify([sample.suffix, ...Object.entries(sample.labels).sort()]);
      const sum = known.samples.get(name);
      if (sum === undefined) known.samples.set(name, { sample, value: sample.value });
      else sum.value += sample.value;
    }
  }
  return Array.from(sums.values(), ({ family, samples }) => ({
    ...family,
    samples: Array.from(samples.values(), ({ sample, value }) => ({ ...sample, value })),
  }));
}
