// What every edge cache must do: give back whole bodies or nothing, and never fail a request.
import { describe, expect } from 'vitest';
import type { BlobId } from '../../src/ports/domain.ts';
import type { EdgeCache } from '../../src/ports/edge-cache.ts';
import { isSameBytes, patternBytes, readAll } from './bodies.ts';
import { type Subject, testsOf } from './subject.ts';

let made = 0;
function freshBlobId(): BlobId {
  made += 1;
  return `contract~${Date.now().toString(36)}/${Math.floor(Math.random() * 36 ** 9).toString(36)}x${made}` as BlobId;
}

async function bytesIn(cache: EdgeCache, id: BlobId): Promise<Uint8Array | null> {
  const found = await cache.match(id);
  if (found === null) return null;
  return found.body instanceof Uint8Array ? found.body : readAll(found.body);
}

/** Runs the contract. */
export function edgeCacheContract(subject: Subject<EdgeCache>): void {
  const test = testsOf(subject);

  describe(`edge cache: ${subject.name}`, () => {
    test('misses what was never put', async (cache) => {
      expect(await cache.match(freshBlobId())).toBeNull();
    });

    test('gives back a body as it was put, as often as asked', async (cache) => {
      const id = freshBlobId();
      const bytes = patternBytes(40_000);
      await cache.put(id, bytes.slice());
      for (let reader = 0; reader < 2; reader++) {
        const found = await bytesIn(cache, id);
        expect(found !== null && isSameBytes(found, bytes)).toBe(true);
      }
    });

    test('keeps a body that was a window on a larger buffer', async (cache) => {
      const id = freshBlobId();
      const window = patternBytes(5000).subarray(1000, 2000);
      await cache.put(id, window);
      const found = await bytesIn(cache, id);
      expect(found !== null && isSameBytes(found, patternBytes(5000).subarray(1000, 2000))).toBe(true);
    });

    test('keeps bodies apart', async (cache) => {
      const [first, second] = [freshBlobId(), freshBlobId()];
      await cache.put(first, patternBytes(100, 1));
      await cache.put(second, patternBytes(100, 2));
      const found = await bytesIn(cache, first);
      expect(found !== null && isSameBytes(found, patternBytes(100, 1))).toBe(true);
    });

    test('leaves a body that is too large alone, without failing', async (cache) => {
      const id = freshBlobId();
      await cache.put(id, new Uint8Array(cache.maxBodyBytes + 1));
      expect(await cache.match(id)).toBeNull();
    });
  });
}
