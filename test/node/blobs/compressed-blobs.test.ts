import { zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createMemoryBlobStore } from '../../../src/adapters/memory/memory-blob-store.ts';
import { createFsBlobStore } from '../../../src/adapters/node/blobs/fs-blob-store.ts';
// biome-ignore format: path and name together are longer than a line.
import { createDecompressingBlobStore }
  from '../../../src/adapters/shared/decompressing-blob-store.ts';
import { compressSource } from '../../../src/core/compression/compress-source.ts';
import type { BlobId } from '../../../src/domain/nouns.ts';
import { identityOf, isSameBytes, sourceOf } from '../../contract/bodies.ts';
import { logBytes, packedBlobsContract } from '../../contract/index/compressed-blobs.contract.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

packedBlobsContract({ name: 'memory', make: createMemoryBlobStore });
packedBlobsContract({ name: 'files', make: () => createFsBlobStore(temporaryFolder()) });

it('a compressed blob can be opened by any zstd', async () => {
  const plain = logBytes(700_000);
  const pieces: Uint8Array[] = [];
  await compressSource(sourceOf(plain), { frameBytes: 64 * 1024, level: 3 }, () => {}).pump(
    (piece) => {
      pieces.push(piece);
    },
  );
  expect(pieces).toHaveLength(12);
  expect(isSameBytes(zstdDecompressSync(Buffer.concat(pieces)), plain)).toBe(true);
});

it('a reader who leaves a compressed file midway frees descriptor and buffers', async () => {
  const files = createFsBlobStore(temporaryFolder());
  const plain = logBytes(4 * 1024 * 1024);
  const blobId = 'compressed~1/01k9000000000000000000000a' as BlobId;
  const source = compressSource(sourceOf(plain), { frameBytes: 64 * 1024, level: 1 }, () => {});
  const { sizeBytes: storedBytes } = await files.write(blobId, source, identityOf());
  const packing = { frameBytes: 64 * 1024, plainBytes: plain.length, storedBytes };
  const store = createDecompressingBlobStore(files);
  const stream = await store.open(blobId, { offsetBytes: 0, lengthBytes: plain.length, packing });
  const reader = stream.getReader();
  await reader.read();
  expect(files.openFileCounts().inUse).toBe(1);
  // While the next group is on its way.
  const next = reader.read();
  await reader.cancel();
  await next;
  expect(files.openFileCounts().inUse).toBe(0);
  expect(files.bufferCounts().outBytes).toBe(0);
  files.close();
});
