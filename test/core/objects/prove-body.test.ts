// Proofs of bodies against their entity tags: whole ones and such of parts, whatever chunks they
// are read in.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { proveBody } from '../../../src/core/objects/prove-body.ts';
import { multipartEtag } from '../../../src/crypto/digest-set.ts';
import type { BlobId, ObjectPart } from '../../../src/domain/nouns.ts';
import { createMemoryCore, sampleBytes } from '../memory-core.ts';

const BLOB = 'b~1/blob' as BlobId;
const LARGE = 1024 * 1024 + 1;
const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

/** Proves bytes that a blob has, read in chunks of so many bytes. */
function prove(
  bytes: Uint8Array,
  {
    etag,
    sizes = null,
    chunkBytes = 7,
    sizeBytes = bytes.length,
  }: {
    readonly etag: string;
    /** Lengths of the parts; null: it was put in one piece. */
    readonly sizes?: readonly number[] | null;
    readonly chunkBytes?: number;
    readonly sizeBytes?: number;
  },
) {
  const { settings, ports } = createMemoryCore();
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, at) =>
    bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes),
  );
  const blobStore = {
    read: async () => bytes,
    openRuns: async () => new Blob(chunks as Uint8Array<ArrayBuffer>[]).stream(),
  };
  const parts = sizes?.map((size, at) => ({ partNumber: at + 1, sizeBytes: size, checksum: null }));
  return proveBody(
    { settings, ports: { ...ports, blobStore } },
    {
      etag,
      sizeBytes,
      parts: (parts ?? null) as ObjectPart[] | null,
      // Two segments are a stream, also of few bytes.
      segments: [
        { blobId: BLOB, offsetBytes: 0, lengthBytes: 1 },
        { blobId: BLOB, offsetBytes: 1, lengthBytes: sizeBytes - 1 },
      ],
      inlineBytes: null,
      encryption: null,
    },
  );
}

function etagOfParts(bytes: Uint8Array, sizes: readonly number[]): string {
  const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0));
  return multipartEtag(
    sizes.map((size, i) => md5Of(bytes.subarray(starts[i], (starts[i] ?? 0) + size))),
  );
}

describe('a body', () => {
  it('of one piece is proved by its MD5', async () => {
    const bytes = sampleBytes(LARGE, 3);
    expect(await prove(bytes, { etag: md5Of(bytes), chunkBytes: 65_536 })).toBe('proved');
    bytes[LARGE - 1] = (bytes[LARGE - 1] ?? 0) ^ 1;
    const etag = md5Of(sampleBytes(LARGE, 3));
    expect(await prove(bytes, { etag, chunkBytes: 65_536 })).toMatchObject({
      isOpened: true,
      detail: expect.stringContaining(etag),
    });
  });

  it.each([
    [[30]],
    [[10, 20]],
    [[10, 10, 10]],
    [[1, 28, 1]],
    [[7, 14, 9]],
    [[30, 0]],
    [[0, 30]],
    [[10, 0, 20]],
  ])('of parts of %j bytes is proved by the MD5 of each', async (sizes) => {
    const bytes = sampleBytes(30, 5);
    const etag = etagOfParts(bytes, sizes);
    for (const chunkBytes of [1, 7, 10, 30])
      expect(await prove(bytes, { etag, sizes, chunkBytes })).toBe('proved');
  });

  it('of other parts than the index says is not proved', async () => {
    const bytes = sampleBytes(30, 5);
    const etag = etagOfParts(bytes, [10, 20]);
    expect(await prove(bytes, { etag, sizes: [20, 10] })).toMatchObject({ isOpened: true });
  });

  it.each([
    [29, 'too many bytes'],
    [31, 'too few bytes'],
  ])('of 30 bytes that shall have %i is not proved', async (sizeBytes, detail) => {
    const bytes = sampleBytes(30, 5);
    expect(await prove(bytes, { etag: md5Of(bytes), sizeBytes })).toMatchObject({
      detail: expect.stringContaining(detail),
    });
  });
});
