import { describe, expect, it } from 'vitest';
import { createWorkersEdgeCache } from '../../src/adapters/cloudflare/workers-edge-cache.ts';
import { createMemoryEdgeCache } from '../../src/adapters/shared/memory-edge-cache.ts';
import type { BlobId } from '../../src/ports/domain.ts';
import type { Log } from '../../src/ports/system.ts';
import { isSameBytes, patternBytes } from '../contract/bodies.ts';
import { edgeCacheContract } from '../contract/edge-cache.contract.ts';
import { countingCaches } from './counting.ts';

const log: Log = { info() {}, error() {} };
const memory = (maxBodyBytes: number) => createMemoryEdgeCache({ maxBytes: 4_000_000, maxBodyBytes });

edgeCacheContract({ name: 'Cache API only', make: () => createWorkersEdgeCache(memory(0), log) });
edgeCacheContract({ name: 'memory before Cache API', make: () => createWorkersEdgeCache(memory(524_288), log) });

describe('Workers edge cache', () => {
  const bytes = patternBytes(100_000);
  const id = 'edge-test~1/a' as BlobId;

  it('finds in another isolate what this one put, says so, and keeps it in memory from then on', async () => {
    await createWorkersEdgeCache(memory(524_288), log).put(id, bytes);
    const elsewhere = createWorkersEdgeCache(memory(524_288), log);
    const first = await elsewhere.match(id);
    expect(first?.tier).toBe('edge');
    expect(first?.body instanceof Uint8Array && isSameBytes(first.body, bytes)).toBe(true);
    const second = elsewhere.match(id);
    expect(second).toMatchObject({ tier: 'memory' });
  });

  it('asks the Cache API once for a cold body and not at all for a hot one', async () => {
    await createWorkersEdgeCache(memory(0), log).put(id, bytes);
    const cache = createWorkersEdgeCache(memory(524_288), log);
    const calls = await countingCaches(async () => {
      await cache.match(id);
      await cache.match(id);
    });
    expect(calls).toEqual({ match: 1, put: 0 });
  });

  it('misses, and reports, when the Cache API fails', async () => {
    const reported: string[] = [];
    const cache = createWorkersEdgeCache(memory(0), { info() {}, error: (event) => reported.push(event) });
    const failing = { open: () => Promise.reject(new Error('expected by the test')) };
    await countingCaches(async () => {
      expect(await cache.match(id)).toBeNull();
      await cache.put(id, bytes);
    }, failing);
    expect(reported).toEqual(['edge-cache-read-failed', 'edge-cache-write-failed']);
  });
});
