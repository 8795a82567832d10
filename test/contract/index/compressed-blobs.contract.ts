// Compressed blobs as every platform must open them: the codec of its runtime, its store below.
// Bound to a platform in a file of that platform, with its plain store.
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { createDecompressingBlobStore } from '../../../src/adapters/shared/decompressing-blob-store.ts';
import { compressSource } from '../../../src/core/compression/compress-source.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BlobId, BucketName, Segment } from '../../../src/domain/nouns.ts';
import { makeBucketId } from '../../../src/domain/owner-bucket.ts';
import type { BlobStore } from '../../../src/ports/blob-store.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { identityOf, isSameBytes, patternBytes, readAll, sourceOf } from '../bodies.ts';
import { type Subject, testsOf } from '../subject.ts';

const MiB = 1024 * 1024;
const identity = identityOf();

let made = 0;
function freshId(): BlobId {
  made += 1;
  const owner = makeBucketId(
    'compressed' as BucketName,
    `${Date.now().toString(36)}${Math.floor(Math.random() * 1e9)}`,
  );
  return `${owner}/01k9000ab${made.toString(32).padStart(18, '0')}` as BlobId;
}

/** Bytes like a log's: they shrink well, and every line tells where it is. */
export function logBytes(lengthBytes: number): Uint8Array<ArrayBuffer> {
  let text = '';
  for (let line = 0; text.length < lengthBytes; line++) {
    const path = `/photos/${line * 7919}.jpg`;
    text += `2026-11-21T08:${line % 60} GET ${path} 200 ${(line * 104729) % 99991}\n`;
  }
  return Uint8Array.from(new TextEncoder().encode(text.slice(0, lengthBytes)));
}

/** The whole of a compressed blob as it was stored. */
async function pack(
  store: BlobStore,
  plain: Uint8Array,
  frameBytes: number,
  level = 1,
): Promise<Segment> {
  const blobId = freshId();
  const source = compressSource(sourceOf(plain), { frameBytes, level }, () => {});
  const { sizeBytes: storedBytes } = await store.write(blobId, source, identity);
  const packing = { frameBytes, plainBytes: plain.length, storedBytes };
  return { blobId, offsetBytes: 0, lengthBytes: plain.length, packing };
}

const cutOf = (segment: Segment, offsetBytes: number, lengthBytes: number): Segment => ({
  ...segment,
  offsetBytes,
  lengthBytes,
});

/** `inner`: the plain store of a platform. */
export function packedBlobsContract(subject: Subject<BlobStore>): void {
  const test = testsOf(subject);

  describe(`compressed blobs: ${subject.name}`, () => {
    test('give any range of any body', async (inner) => {
      const store = createDecompressingBlobStore(inner);
      const bodies = fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 9000 }),
        fc.integer({ min: 1, max: 9000 }).map(logBytes),
      );
      await fc.assert(
        fc.asyncProperty(
          bodies,
          fc.integer({ min: 150, max: 3000 }),
          fc.array(
            fc.tuple(
              fc.double({ min: 0, max: 0.999, noNaN: true }),
              fc.double({ min: 0, max: 1, noNaN: true }),
            ),
            {
              minLength: 1,
              maxLength: 4,
            },
          ),
          async (plain, frameBytes, cuts) => {
            const segment = await pack(inner, plain, frameBytes);
            for (const [from, share] of cuts) {
              const offsetBytes = Math.floor(from * plain.length);
              const lengthBytes = Math.max(1, Math.floor(share * (plain.length - offsetBytes)));
              const range = cutOf(segment, offsetBytes, lengthBytes);
              const expected = plain.subarray(offsetBytes, offsetBytes + lengthBytes);
              expect(isSameBytes(await store.read(segment.blobId, range), expected)).toBe(true);
              expect(
                isSameBytes(await readAll(await store.open(segment.blobId, range)), expected),
              ).toBe(true);
            }
          },
        ),
        { numRuns: fuzzRuns(25) },
      );
    });

    test('stream a body of several groups, from any place on', async (inner) => {
      const store = createDecompressingBlobStore(inner);
      const plain = logBytes(3 * MiB + 5);
      const segment = await pack(inner, plain, 256 * 1024);
      for (const [offsetBytes, end] of [
        [0, plain.length],
        [MiB - 1, 3 * MiB + 2],
        [262_143, 262_145],
      ] as const) {
        const stream = await store.open(
          segment.blobId,
          cutOf(segment, offsetBytes, end - offsetBytes),
        );
        expect(isSameBytes(await readAll(stream), plain.subarray(offsetBytes, end))).toBe(true);
      }
    });

    test('shrink', async (inner) => {
      const plain = logBytes(700_000);
      const { packing } = await pack(inner, plain, 256 * 1024);
      expect(packing?.storedBytes).toBeLessThan(plain.length / 3);
    });

    test('join with plain ones in a row', async (inner) => {
      const store = createDecompressingBlobStore(inner);
      const plain = logBytes(10_000);
      const compressed = await pack(inner, plain, 4096);
      const blobId = freshId();
      await inner.write(blobId, sourceOf(patternBytes(5000)), identity);
      const runs: Segment[] = [
        { blobId, offsetBytes: 0, lengthBytes: 100 },
        { blobId, offsetBytes: 200, lengthBytes: 50 },
        cutOf(compressed, 4000, 5000),
        cutOf(compressed, 0, 10),
        { blobId, offsetBytes: 4999, lengthBytes: 1 },
      ];
      const bytes = patternBytes(5000);
      const expected = [
        bytes.subarray(0, 100),
        bytes.subarray(200, 250),
        plain.subarray(4000, 9000),
        plain.subarray(0, 10),
        bytes.subarray(4999),
      ].flatMap((part) => [...part]);
      expect(
        isSameBytes(await readAll(await store.openRuns(runs)), Uint8Array.from(expected)),
      ).toBe(true);
    });

    test('are errors where they are damaged, never other bytes', async (inner) => {
      const plain = logBytes(20_000);
      const segment = await pack(inner, plain, 4096);
      const storedBytes = segment.packing?.storedBytes ?? 0;
      const stored = await inner.read(segment.blobId, { offsetBytes: 0, lengthBytes: storedBytes });
      const store = createDecompressingBlobStore(inner);
      let refused = 0;
      for (let at = 0; at < storedBytes; at += 97) {
        const flipped = new Uint8Array(stored);
        flipped[at] = (flipped[at] ?? 0) ^ 0x40;
        const blobId = freshId();
        await inner.write(blobId, sourceOf(flipped), identity);
        try {
          expect(isSameBytes(await store.read(blobId, segment), plain)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(StorageError);
          refused += 1;
        }
      }
      // Some bits of a frame's head mean nothing; every other is under its checksum or the table's.
      expect(refused).toBeGreaterThan(storedBytes / 97 - 3);
      const short = { ...segment, lengthBytes: plain.length + 1 };
      await expect(store.open(segment.blobId, short)).rejects.toMatchObject({
        code: 'ObjectDamaged',
      });
    });

    test('end with a reader who leaves', async (inner) => {
      const plain = logBytes(3 * MiB);
      const segment = await pack(inner, plain, 256 * 1024);
      const reader = (
        await createDecompressingBlobStore(inner).open(segment.blobId, segment)
      ).getReader();
      const { value } = await reader.read();
      expect(value?.length).toBe(MiB);
      await reader.cancel();
      expect(await reader.read()).toEqual({ done: true, value: undefined });
    });
  });
}
