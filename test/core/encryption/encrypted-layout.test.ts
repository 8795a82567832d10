// The sizes and ranges of encrypted bodies, against a slow computation of the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encryptedRangeOf,
  encryptedSize,
  type Layers,
  plainSize,
} from '../../../src/core/encryption/encrypted-layout.ts';
import { CHUNK_BYTES, TAG_BYTES } from '../../../src/crypto/encrypted-chunks.ts';
import type { BlobId } from '../../../src/domain/nouns.ts';

const layers = fc.constantFrom<Layers>(1, 2);
/** Sizes near the borders of chunks, where mistakes live. */
const size = fc.oneof(
  fc.integer({ min: 0, max: 5 * CHUNK_BYTES }),
  fc
    .tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: -2, max: 2 }))
    .map(([n, d]) => Math.max(0, n * CHUNK_BYTES + d)),
);

describe('the sizes of an encrypted body', () => {
  it.each([
    [0, 1, 0],
    [1, 1, 17],
    [CHUNK_BYTES, 1, CHUNK_BYTES + 16],
    [CHUNK_BYTES + 1, 1, CHUNK_BYTES + 33],
    [CHUNK_BYTES + 1, 2, CHUNK_BYTES + 65],
    // 5 TiB, the largest object.
    [5 * 2 ** 40, 1, 5 * 2 ** 40 + 5 * 2 ** 24 * 16],
  ] as const)('%i plain bytes in %i layers are %i encrypted ones', (plain, layer, encrypted) => {
    expect(encryptedSize(plain, layer)).toBe(encrypted);
    expect(plainSize(encrypted, layer)).toBe(plain);
  });

  it('come back from the encrypted size to the plain one', () => {
    fc.assert(
      fc.property(size, layers, (plain, layer) => {
        expect(plainSize(encryptedSize(plain, layer), layer)).toBe(plain);
      }),
    );
  });
});

it('a range is covered by its chunks, which lie in the encrypted range without a gap', () => {
  fc.assert(
    fc.property(
      fc.array(size, { minLength: 1, maxLength: 4 }),
      layers,
      fc.nat(),
      fc.nat(),
      (sizes, layer, a, b) => {
        const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
        fc.pre(total > 0);
        const offsetBytes = a % total;
        const lengthBytes = 1 + (b % (total - offsetBytes));
        const segments = sizes.map((bytes, i) => ({
          blobId: `b/${i}` as BlobId,
          offsetBytes: 0,
          lengthBytes: encryptedSize(bytes, layer),
        }));
        const covered = encryptedRangeOf(segments, { offsetBytes, lengthBytes }, layer);
        const chunks = [...{ [Symbol.iterator]: () => covered.chunks }];

        // Where each chunk of the whole object lies, computed the slow way.
        const all = segments.flatMap(({ blobId }, s) =>
          Array.from({ length: Math.ceil((sizes[s] ?? 0) / CHUNK_BYTES) }, (_, index) => {
            const plain = Math.min(CHUNK_BYTES, (sizes[s] ?? 0) - index * CHUNK_BYTES);
            const isLast = (index + 1) * CHUNK_BYTES >= (sizes[s] ?? 0);
            return {
              blobId,
              position: { index, isLast },
              encryptedBytes: plain + TAG_BYTES * layer,
              plain,
            };
          }),
        );
        let plainAt = 0;
        let encryptedAt = 0;
        const expected = all
          .map((chunk) => {
            const located = { ...chunk, plainAt, encryptedAt };
            plainAt += chunk.plain;
            encryptedAt += chunk.encryptedBytes;
            return located;
          })
          .filter(
            (chunk) =>
              chunk.plainAt < offsetBytes + lengthBytes &&
              chunk.plainAt + chunk.plain > offsetBytes,
          );
        expect(chunks).toEqual(
          expected.map(({ blobId, position, encryptedBytes }) => ({
            blobId,
            position,
            encryptedBytes,
          })),
        );
        expect(covered.skipBytes).toBe(offsetBytes - (expected[0]?.plainAt ?? 0));
        const encryptedBytes = expected.reduce((sum, chunk) => sum + chunk.encryptedBytes, 0);
        expect(covered.encrypted).toEqual({
          offsetBytes: expected[0]?.encryptedAt,
          lengthBytes: encryptedBytes,
        });
      },
    ),
  );
});
