// What every edge cache must do: give back slices exactly as they were loaded, load no more than
// needed, and pass on what loading fails with without remembering it.
import { describe, expect } from 'vitest';
import type { BlobId, Segment } from '../../src/domain/nouns.ts';
import type { EdgeCache } from '../../src/ports/edge-cache.ts';
import { isSameBytes, patternBytes } from './bodies.ts';
import { type Subject, testsOf } from './subject.ts';

let made = 0;
function freshSlice(lengthBytes: number, offsetBytes = 0): Segment {
  made += 1;
  const random = Math.floor(Math.random() * 36 ** 9).toString(36);
  return {
    blobId: `contract~${Date.now().toString(36)}/${random}x${made}` as BlobId,
    offsetBytes,
    lengthBytes,
  };
}

const neverLoad = () => Promise.reject(new Error('must not be loaded'));

const readWhole = (cache: EdgeCache, slice: Segment, load: () => Promise<Uint8Array>) =>
  cache.read(slice, load, { offsetBytes: 0, lengthBytes: slice.lengthBytes });

/** Runs the contract. `settle` waits for what goes on behind the answers. */
export function edgeCacheContract(
  subject: Subject<EdgeCache> & { readonly settle?: () => Promise<unknown> },
): void {
  const test = testsOf(subject);
  const settle = subject.settle ?? (async () => undefined);

  describe(`edge cache: ${subject.name}`, () => {
    test('loads what it has never seen and says so', async (cache) => {
      const slice = freshSlice(1000);
      expect(cache.peek(slice)).toBeNull();
      const { bytes, tier } = await readWhole(cache, slice, async () => patternBytes(1000));
      expect(tier).toBe('bucket');
      expect(isSameBytes(bytes, patternBytes(1000))).toBe(true);
    });

    test('gives back a slice as it was loaded, without loading again', async (cache) => {
      const slice = freshSlice(40_000);
      const bytes = patternBytes(40_000);
      await readWhole(cache, slice, async () => bytes.slice());
      await settle();
      for (let reader = 0; reader < 2; reader++) {
        const found = cache.peek(slice) ?? (await readWhole(cache, slice, neverLoad)).bytes;
        expect(isSameBytes(found, bytes)).toBe(true);
      }
    });

    test('keeps a slice that was a window on a larger buffer', async (cache) => {
      const slice = freshSlice(1000);
      const window = () => patternBytes(5000).subarray(1000, 2000);
      await readWhole(cache, slice, async () => window());
      await settle();
      const found = cache.peek(slice) ?? (await readWhole(cache, slice, neverLoad)).bytes;
      expect(isSameBytes(found, window())).toBe(true);
    });

    test('keeps blobs apart, and places and lengths within a blob', async (cache) => {
      const first = freshSlice(100);
      const slices = [
        first,
        { ...first, offsetBytes: 100 },
        { ...first, lengthBytes: 50 },
        freshSlice(100),
      ];
      for (const [i, slice] of slices.entries()) {
        await readWhole(cache, slice, async () => patternBytes(slice.lengthBytes, i));
      }
      await settle();
      for (const [i, slice] of slices.entries()) {
        const found = cache.peek(slice) ?? (await readWhole(cache, slice, neverLoad)).bytes;
        expect(isSameBytes(found, patternBytes(slice.lengthBytes, i))).toBe(true);
      }
    });

    test('gives a part that was asked for, alone or with all around it', async (cache) => {
      const slice = freshSlice(40_000, 40_000);
      const bytes = patternBytes(40_000);
      const part = { offsetBytes: 1000, lengthBytes: 50 };
      for (let reader = 0; reader < 3; reader++) {
        const found = await cache.read(slice, async () => bytes.slice(), part);
        const expected = found.isPart ? bytes.subarray(1000, 1050) : bytes;
        expect(isSameBytes(found.bytes, expected)).toBe(true);
        await settle();
      }
    });

    test('passes on a failure and tries again the next time', async (cache) => {
      const slice = freshSlice(10);
      const failure = new Error('expected by the test');
      await expect(readWhole(cache, slice, () => Promise.reject(failure))).rejects.toBe(failure);
      const { bytes } = await readWhole(cache, slice, async () => patternBytes(10));
      expect(isSameBytes(bytes, patternBytes(10))).toBe(true);
    });
  });
}
