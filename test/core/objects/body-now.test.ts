// What a read can have at once: bytes in memory, or a run of one blob that the store lends, but for
// slices that are worth loading.
import { describe, expect, it } from 'vitest';
import { bodyNow } from '../../../src/core/objects/read-object.ts';
import type { BlobId, Segment } from '../../../src/domain/nouns.ts';
import { createMemoryCore, withPorts } from '../memory-core.ts';

const SLICE_BYTES = 100;
const [ONE, OTHER] = ['b~1/one', 'b~1/other'] as BlobId[] as [BlobId, BlobId];
const run = (blobId: BlobId, offsetBytes: number, lengthBytes: number): Segment => ({
  blobId,
  offsetBytes,
  lengthBytes,
});

/**
 * Reads a range of an object of these segments, with a store that lends all. `inMemory`: offsets of
 * slices that memory has; `worthLoading`: offsets of those that it wants.
 */
function readNow(
  segments: readonly Segment[],
  range: readonly [offsetBytes: number, lengthBytes: number],
  slices: { readonly inMemory?: readonly number[]; readonly worthLoading?: readonly number[] } = {},
) {
  const { inMemory = [], worthLoading = [] } = slices;
  const core = createMemoryCore();
  const borrowed: Segment[] = [];
  const { blobStore, edgeCache } = core.ports;
  const reading = withPorts(core, {
    blobStore: {
      ...blobStore,
      atHand(blobId, { offsetBytes, lengthBytes }) {
        borrowed.push(run(blobId, offsetBytes, lengthBytes));
        return () => null;
      },
    },
    edgeCache: {
      ...edgeCache,
      sliceBytes: SLICE_BYTES,
      peek: ({ offsetBytes, lengthBytes }) =>
        inMemory.includes(offsetBytes) ? new Uint8Array(lengthBytes).fill(offsetBytes) : null,
      admits: ({ offsetBytes }) => worthLoading.includes(offsetBytes),
    },
  });
  const [offsetBytes, lengthBytes] = range;
  const sizeBytes = segments.reduce((sum, segment) => sum + segment.lengthBytes, 0);
  const version = { sizeBytes, segments, inlineBytes: null, encryption: null } as const;
  const body = bodyNow(reading, version, { offsetBytes, lengthBytes }, true);
  return { body, borrowed: body?.lend == null ? [] : borrowed };
}

const WHOLE = [run(ONE, 0, 300)];

describe('a body that can be had now', () => {
  it('is in memory where its slice is', () => {
    const { body } = readNow(WHOLE, [110, 5], { inMemory: [100], worthLoading: [100] });
    expect(body).toEqual({ body: new Uint8Array(5).fill(100), tier: 'memory', lend: null });
  });

  it.each<[string, readonly Segment[], readonly [number, number], readonly Segment[]]>([
    ['one slice', WHOLE, [110, 50], [run(ONE, 110, 50)]],
    ['neighbouring slices', WHOLE, [150, 100], [run(ONE, 150, 100)]],
    ['neighbouring segments', [run(ONE, 0, 30), run(ONE, 30, 70)], [10, 60], [run(ONE, 10, 60)]],
    ['segments apart', [run(ONE, 0, 30), run(ONE, 40, 60)], [10, 60], []],
    ['two blobs', [run(ONE, 0, 30), run(OTHER, 30, 70)], [10, 60], []],
    ['more than a slice has', WHOLE, [0, 101], []],
  ])('is borrowed in one piece, or not at all: %s', (_, segments, range, expected) => {
    expect(readNow(segments, range).borrowed).toEqual(expected);
  });

  it.each([
    ['is not borrowed where its slice is worth loading', [100], [], [110, 50], false],
    ['is not borrowed where a further slice is worth loading', [200], [], [150, 100], false],
    ['is borrowed where memory has what is worth loading', [200], [200], [150, 100], true],
  ] as const)('%s', (_, worthLoading, inMemory, range, isLent) => {
    expect(readNow(WHOLE, range, { worthLoading, inMemory }).borrowed.length > 0).toBe(isLent);
  });
});
