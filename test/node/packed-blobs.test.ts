import { zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createMemoryBlobStore } from '../../src/adapters/memory/memory-blob-store.ts';
import { createFsBlobStore } from '../../src/adapters/node/fs-blob-store.ts';
import { packSource } from '../../src/core/packing/pack-source.ts';
import { isSameBytes, sourceOf } from '../contract/bodies.ts';
import { logBytes, packedBlobsContract } from '../contract/packed-blobs.contract.ts';
import { temporaryFolder } from './temporary-folder.ts';

packedBlobsContract({ name: 'memory', make: createMemoryBlobStore });
packedBlobsContract({ name: 'files', make: () => createFsBlobStore(temporaryFolder()) });

it('a packed blob is what any zstd opens', async () => {
  const plain = logBytes(700_000);
  const pieces: Uint8Array[] = [];
  await packSource(sourceOf(plain), { frameBytes: 64 * 1024, level: 3 }, () => {}).pump((piece) => {
    pieces.push(piece);
  });
  expect(pieces).toHaveLength(12);
  expect(isSameBytes(zstdDecompressSync(Buffer.concat(pieces)), plain)).toBe(true);
});
