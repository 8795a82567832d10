import { describe, expect, it } from 'vitest';
import { createWorkersEdgeCache } from '../../src/adapters/cloudflare/workers-edge-cache.ts';
import { createMemoryBodies } from '../../src/adapters/shared/memory-bodies.ts';
import type { BlobId, Segment } from '../../src/ports/domain.ts';
import type { Background, Log } from '../../src/ports/system.ts';
import { isSameBytes, patternBytes } from '../contract/bodies.ts';
import { edgeCacheContract } from '../contract/edge-cache.contract.ts';
import { countingCaches } from './counting.ts';

const log: Log = { info() {}, error() {} };
const memory = (maxSliceBytes: number) => createMemoryBodies({ maxBytes: 4_000_000, maxSliceBytes });

const running: Promise<unknown>[] = [];
const background: Background = { run: (_label, work) => void running.push(work()) };
const settle = () => Promise.all(running.splice(0));

edgeCacheContract({ name: 'Cache API only', make: () => createWorkersEdgeCache(memory(0), background, log), settle });
edgeCacheContract({
  name: 'memory before Cache API',
  make: () => createWorkersEdgeCache(memory(524_288), background, log),
  settle,
});

describe('Workers edge cache', () => {
  const bytes = patternBytes(100_000);
  const slice: Segment = { blobId: 'edge-test~1/a' as BlobId, offsetBytes: 0, lengthBytes: bytes.length };
  const load = async () => bytes;
  const neverLoad = () => Promise.reject(new Error('must not be loaded'));

  async function putElsewhere(): Promise<void> {
    await createWorkersEdgeCache(memory(0), background, log).read(slice, load);
    await settle();
  }

  it('finds in another isolate what this one put, says so, and keeps it in memory from then on', async () => {
    await putElsewhere();
    const elsewhere = createWorkersEdgeCache(memory(524_288), background, log);
    const first = await elsewhere.read(slice, neverLoad);
    expect(first.tier).toBe('edge');
    expect(isSameBytes(first.bytes, bytes)).toBe(true);
    expect(elsewhere.peek(slice)).not.toBeNull();
  });

  it('asks the Cache API once for a slice that the place has, and not at all for a hot one', async () => {
    await putElsewhere();
    const cache = createWorkersEdgeCache(memory(524_288), background, log);
    const calls = await countingCaches(async () => {
      await cache.read(slice, neverLoad);
      cache.peek(slice);
      await settle();
    });
    expect(calls).toEqual({ match: 1, put: 0 });
  });

  it('loads, and reports, when the Cache API fails', async () => {
    const reported: string[] = [];
    const cache = createWorkersEdgeCache(memory(0), background, { info() {}, error: (event) => reported.push(event) });
    const failing = { open: () => Promise.reject(new Error('expected by the test')) };
    await countingCaches(async () => {
      expect((await cache.read(slice, load)).tier).toBe('bucket');
      await settle();
    }, failing);
    expect(reported).toEqual(['edge-cache-read-failed', 'edge-cache-write-failed']);
  });
});
