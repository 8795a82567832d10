// Encrypted objects over the whole core: what is stored is encrypted, what comes out is what went
// in, and nothing else does.
import { describe, expect, it } from 'vitest';
import { encryptedSize } from '../../../src/core/encryption/encrypted-layout.ts';
import { CHUNK_BYTES } from '../../../src/crypto/encrypted-chunks.ts';
import type { ObjectVersion } from '../../../src/domain/nouns.ts';
import {
  createMemoryCore,
  INLINE_MAX_BYTES,
  type MemoryCore,
  openTestBucket,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';
import {
  code,
  ENCRYPTIONS,
  expectBytes,
  MINE,
  md5,
  named,
  OTHER,
  put,
  read,
} from './encryption-kit.ts';

const SIZES = [
  0,
  1,
  INLINE_MAX_BYTES,
  INLINE_MAX_BYTES + 1,
  CHUNK_BYTES - 1,
  CHUNK_BYTES,
  CHUNK_BYTES + 1,
  300_000,
];

describe.each(ENCRYPTIONS)('an object encrypted with %s', (_, requested) => {
  it.each(SIZES)('gives %i bytes back, whole and in ranges', async (size) => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const bytes = sampleBytes(size);
    const version = await put(core, bucket, bytes, requested);
    expect(version.sizeBytes).toBe(size);
    expectBytes(await read(core, version), bytes);
    for (const [from, to] of [
      [0, 1],
      [size - 1, size],
      [size >> 1, size],
      [1, size - 1],
      [CHUNK_BYTES - 5, CHUNK_BYTES + 5],
    ]) {
      if (from === undefined || to === undefined || from < 0 || to > size || from >= to) continue;
      const range = { offsetBytes: from, lengthBytes: to - from };
      expectBytes(await read(core, version, range), bytes.subarray(from, to));
    }
  });

  it('is stored encrypted, in a blob and in its row', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const text = 'nobody must read this';
    const small = new TextEncoder().encode(text.slice(0, INLINE_MAX_BYTES));
    const { inlineBytes } = await put(core, bucket, small, requested);
    expect(Buffer.from(inlineBytes ?? []).includes(text.slice(0, 6))).toBe(false);
    const large = new TextEncoder().encode(text.repeat(10_000));
    const version = await put(core, bucket, large, requested);
    const layers = requested.kind === 'named' && requested.isDoubled ? 2 : 1;
    const [blob] = core.blobStore.blobs.values();
    expect(blob?.bytes).toHaveLength(encryptedSize(large.length, layers));
    expect(Buffer.from(blob?.bytes ?? []).includes(text.slice(0, 6))).toBe(false);
    expect(blob?.identity.encryption).toEqual(version.encryption);
    // No key of anybody stands in the facts as it is.
    const facts = JSON.stringify(version.encryption);
    for (const secret of [MINE.md5, Buffer.from(MINE.bytes).toString('base64')])
      expect(facts).not.toContain(secret);
  });

  it('has the same size and other bytes each time', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await put(core, bucket, sampleBytes(1000), requested, 'a');
    await put(core, bucket, sampleBytes(1000), requested, 'b');
    const [a, b] = [...core.blobStore.blobs.values()].map(({ bytes }) => Buffer.from(bytes));
    expect(a?.length).toBe(b?.length);
    expect(a?.subarray(0, 16).equals(b?.subarray(0, 16) ?? Buffer.alloc(0))).toBe(false);
  });

  it('is refused when a bit of it was flipped, wherever, or its end is missing', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const version = await put(core, bucket, sampleBytes(CHUNK_BYTES + 100), requested);
    const [blob] = core.blobStore.blobs.values();
    if (blob === undefined) throw new Error('no blob');
    const last = blob.bytes.length - 1;
    for (const at of [0, 1000, CHUNK_BYTES, CHUNK_BYTES + 15, CHUNK_BYTES + 40, last]) {
      blob.bytes[at] = (blob.bytes[at] ?? 0) ^ 4;
      await expect(read(freshTiers(core), version)).rejects.toEqual(code('ObjectDamaged'));
      blob.bytes[at] = (blob.bytes[at] ?? 0) ^ 4;
    }
    expectBytes(await read(freshTiers(core), version), sampleBytes(CHUNK_BYTES + 100));
    // Cut to whole chunks, with an index that believes it: the first chunk was not encrypted as the
    // last.
    const layers = requested.kind === 'named' && requested.isDoubled ? 2 : 1;
    const [segment] = version.segments;
    if (segment === undefined) throw new Error('no segment');
    const segments = [{ ...segment, lengthBytes: encryptedSize(CHUNK_BYTES, layers) }];
    const cut = { ...version, sizeBytes: CHUNK_BYTES, segments } as ObjectVersion;
    await expect(read(freshTiers(core), cut)).rejects.toEqual(code('ObjectDamaged'));
  });
});

/** A core on the same ports, but with nothing in its memory. */
function freshTiers(core: MemoryCore): MemoryCore {
  return withPorts(core, { edgeCache: createMemoryCore().ports.edgeCache });
}

describe('an entity tag', () => {
  it('is the MD5 only where the server alone has the key', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const bytes = sampleBytes(100);
    expect((await put(core, bucket, bytes, { kind: 'server' })).etag).toBe(md5(bytes));
    for (const requested of [{ kind: 'customer', key: MINE } as const, named('seeded-key')]) {
      const { etag } = await put(core, bucket, bytes, requested);
      expect(etag).toMatch(/^[0-9a-f]{32}$/);
      expect(etag).not.toBe(md5(bytes));
    }
  });
});

describe("a client's key", () => {
  it('is required, must be the right one, and is refused where none is needed', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const whole = { offsetBytes: 0, lengthBytes: 100 };
    const encrypted = await put(core, bucket, sampleBytes(100), { kind: 'customer', key: MINE });
    await expect(read(core, encrypted, whole, null)).rejects.toEqual(code('InvalidRequest'));
    await expect(read(core, encrypted, whole, OTHER)).rejects.toEqual(code('InvalidRequest'));
    const server = await put(core, bucket, sampleBytes(100), { kind: 'server' });
    await expect(read(core, server, whole, MINE)).rejects.toEqual(code('InvalidRequest'));
  });
});
