import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createR2BlobStore } from '../../../src/adapters/cloudflare/bodies/r2-blob-store.ts';
import { compress } from '../../../src/crypto/content-codings.ts';
import { decompressFrame } from '../../../src/crypto/zstd-frames.ts';
import { isSameBytes } from '../../contract/bodies.ts';
import { logBytes, packedBlobsContract } from '../../contract/index/compressed-blobs.contract.ts';

packedBlobsContract({ name: 'R2', make: () => createR2BlobStore(env.BLOBS) });

// workerd's own zstdCompress breaks from 40 KiB of output on (src/crypto/zstd-frames.ts).
it('a variant in zstd may be large', async () => {
  const plain = logBytes(600_000);
  const compressed = await compress(plain, 'zstd', 'brief');
  expect(compressed.length).toBeGreaterThan(50_000);
  expect(
    isSameBytes((await decompressFrame(compressed, plain.length)) ?? new Uint8Array(), plain),
  ).toBe(true);
});
