import { describe, expect, it } from 'vitest';
import { createNodeMetrics } from '../../../src/adapters/node/process/node-metrics.ts';
import { cacheFamilies } from '../../../src/adapters/shared/cache-metrics.ts';
import { createMemoryBodies } from '../../../src/adapters/shared/memory-bodies.ts';
import { createMemoryPointers } from '../../../src/adapters/shared/memory-pointers.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type { BlobId, BucketName } from '../../../src/domain/nouns.ts';
import { renderMetrics } from '../../../src/http/system/metrics-text.ts';
import { metricFamily } from '../../../src/ports/metrics.ts';
import { key } from '../../core/memory-core.ts';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';

describe('metrics of the Node platform', () => {
  it('are those that were added and those of the process, as one page', async () => {
    const metrics = createNodeMetrics();
    metrics.add(() => [metricFamily('gauge', 'at_once', 'Now.', [[{}, 1]])]);
    metrics.add(async () => [metricFamily('gauge', 'later', 'Later.', [[{}, 2]])]);
    for (const _ of [1, 2]) {
      const page = parseMetricsPage(renderMetrics(await metrics.collect()));
      expect([page.value('at_once'), page.value('later')]).toEqual([1, 2]);
      expect(page.value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
      expect(page.families).toContain('nodejs_eventloop_lag_p99_seconds');
    }
  });

  it('say how full the caches are and what they evicted', () => {
    const bodies = createMemoryBodies({ maxBytes: 10_000, maxSliceBytes: 4000 });
    const slice = (id: string) => ({ blobId: id as BlobId, offsetBytes: 0, lengthBytes: 4000 });
    for (const id of ['a', 'b', ...Array<string>(5).fill('c')])
      bodies.keep(slice(id), new Uint8Array(4000));
    const limits = {
      maxEntries: 2,
      maxBytes: 1 << 20,
      negativeFreshSeconds: 2,
      freshSeconds: null,
    };
    const pointers = createMemoryPointers({ clock: systemClock, staleSeconds: 0, ...limits });
    for (const name of ['a', 'b', 'c']) {
      pointers.fill(
        name as BucketName,
        key('k'),
        { readPolicy: null, pointer: null },
        pointers.epoch(),
      );
    }
    const { value } = parseMetricsPage(
      renderMetrics(cacheFamilies([...pointers.stats(), bodies.stats()])),
    );
    expect(value('quayside_cache_entries', { cache: 'bodies' })).toBe(2);
    expect(value('quayside_cache_bytes', { cache: 'bodies' })).toBeGreaterThan(8000);
    expect(value('quayside_cache_max_bytes', { cache: 'bodies' })).toBe(10_000);
    expect(value('quayside_cache_evictions_total', { cache: 'bodies' })).toBe(1);
    expect(value('quayside_cache_evictions_total', { cache: 'missing' })).toBe(5);
    expect(createMemoryBodies({ maxBytes: 0, maxSliceBytes: 10 }).stats().entries).toBe(0);
  });
});
