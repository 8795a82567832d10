// Metric families as Prometheus reads them. Pure; one renderer for both platforms,
// because prom-client can't be given numbers that were counted elsewhere without
// counting them twice, and brings Node's modules into a Worker. Source:
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
import type { MetricFamily, MetricSample } from '../../ports/metrics.ts';

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The whole page. A family without samples is left out. */
export function renderMetrics(families: readonly MetricFamily[]): string {
  let text = '';
  for (const { name, help, type, samples } of families) {
    if (samples.length === 0) continue;
    text += `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`;
    for (const sample of samples) text += renderSample(name, sample);
  }
  return text;
}

function renderSample(name: string, { labels, value, suffix }: MetricSample): string {
  const parts = Object.entries(labels).map(
    ([label, text]) => `${label}="${escapeText(text).replaceAll('"', '\\"')}"`,
  );
  const labelText = parts.length === 0 ? '' : `{${parts.join()}}`;
  return `${name}${suffix}${labelText} ${formatNumber(value)}\n`;
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return `${value}`;
}
