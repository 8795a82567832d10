import { describe, expect, it } from 'vitest';
import { renderMetrics } from '../../../src/http/system/metrics-text.ts';
import { createHistogram, metricFamily } from '../../../src/ports/metrics.ts';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';

describe('renderMetrics', () => {
  it('writes what Prometheus reads', () => {
    const histogram = createHistogram([0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value);
    const text = renderMetrics([
      metricFamily('counter', 'a_total', 'Counts\nthings \\ more.', [
        [{ name: 'a "b" \\ c\nd', other: 'e' }, 3],
        [{}, 1e21],
      ]),
      metricFamily('gauge', 'nothing', 'Has no samples.', []),
      {
        name: 'b_seconds',
        help: 'Takes.',
        type: 'histogram',
        samples: histogram.samples({ of: 'x' }),
      },
      metricFamily('gauge', 'odd', 'Odd.', [
        [{ is: 'a' }, Number.POSITIVE_INFINITY],
        [{ is: 'b' }, Number.NEGATIVE_INFINITY],
        [{ is: 'c' }, Number.NaN],
      ]),
    ]);
    expect(text).toBe(
      [
        '# HELP a_total Counts\\nthings \\\\ more.',
        '# TYPE a_total counter',
        'a_total{name="a \\"b\\" \\\\ c\\nd",other="e"} 3',
        'a_total 1e+21',
        '# HELP b_seconds Takes.',
        '# TYPE b_seconds histogram',
        'b_seconds_bucket{of="x",le="0.1"} 2',
        'b_seconds_bucket{of="x",le="1"} 3',
        'b_seconds_bucket{of="x",le="+Inf"} 4',
        'b_seconds_sum{of="x"} 7.65',
        'b_seconds_count{of="x"} 4',
        '# HELP odd Odd.',
        '# TYPE odd gauge',
        'odd{is="a"} +Inf',
        'odd{is="b"} -Inf',
        'odd{is="c"} NaN',
        '',
      ].join('\n'),
    );
    const page = parseMetricsPage(text);
    expect(page.value('a_total', { name: 'a "b" \\ c\nd' })).toBe(3);
    expect(page.families).toEqual(['a_total', 'b_seconds', 'odd']);
  });
});
