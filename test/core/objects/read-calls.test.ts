// The calls that a read makes to its platform.
import { describe, expect, it } from 'vitest';
import { callsToRead, callsToStream } from '../../../src/core/objects/read-calls.ts';
import { openBody } from '../../../src/core/objects/read-object.ts';
import type { BlobId, Segment } from '../../../src/domain/nouns.ts';
import type { EdgeCache } from '../../../src/ports/edge-cache.ts';
import { identityOf } from '../../contract/bodies.ts';
import { createMemoryCore } from '../memory-core.ts';

const MiB = 1024 * 1024;
const PART_BYTES = 5 * MiB;
const parts = (count: number): Segment[] =>
  Array.from({ length: count }, (_, at) => ({
    blobId: `b~1/${at}` as BlobId,
    offsetBytes: 0,
    lengthBytes: PART_BYTES,
  }));
const versionOf = (segments: readonly Segment[], sizeBytes: number) =>
  ({ sizeBytes, segments, inlineBytes: null, encryption: null }) as const;

describe('the calls of a read', () => {
  it('are one for each part of a stream, two where it is compressed', () => {
    const layout = { frameBytes: MiB, plainBytes: PART_BYTES, storedBytes: MiB };
    expect(callsToStream(parts(3))).toBe(3);
    expect(callsToStream(parts(3).map((part) => ({ ...part, packing: layout })))).toBe(6);
  });

  it('are none for an inline body, three for a slice, and one a part for a stream', () => {
    const core = createMemoryCore();
    const body = { segments: [] as const, inlineBytes: new Uint8Array(9), encryption: null };
    expect(callsToRead(core, { ...body, sizeBytes: 9 })).toBe(0);
    expect(callsToRead(core, versionOf(parts(1), 100))).toBe(3);
    expect(callsToRead(core, versionOf(parts(1000), 1000 * PART_BYTES))).toBe(1000);
  });
});

describe('an object of more parts than a request may read', () => {
  it('is refused before anything is opened; a range of it is not', async () => {
    const core = createMemoryCore();
    const opened: number[] = [];
    const openRuns = async (runs: readonly Segment[]) => {
      opened.push(runs.length);
      return new ReadableStream<Uint8Array>();
    };
    const ports = { ...core.ports, blobStore: { ...core.ports.blobStore, openRuns } };
    const limited = { ...core, ports, settings: { ...core.settings, subrequestsMax: 10_000 } };
    const version = versionOf(parts(10_000), 10_000 * PART_BYTES);
    const read = async (lengthBytes: number) =>
      openBody(limited, version, { offsetBytes: 0, lengthBytes });
    await expect(read(version.sizeBytes)).rejects.toMatchObject({ code: 'InvalidRequest' });
    expect(opened).toEqual([]);
    await read(9900 * PART_BYTES);
    expect(opened).toEqual([9900]);
  });
});

describe('a read of several slices', () => {
  const sizeBytes = 3 * MiB;
  async function setUp(permits: number) {
    const core = createMemoryCore();
    const blobId = 'b~1/slices' as BlobId;
    const bytes = new Uint8Array(sizeBytes).fill(7);
    const pump = async (onChunk: (chunk: Uint8Array) => unknown) => void (await onChunk(bytes));
    await core.ports.blobStore.write(blobId, { lengthBytes: sizeBytes, pump }, identityOf());
    let free = permits;
    let sliced = 0;
    const edgeCache: EdgeCache = {
      ...core.ports.edgeCache,
      sliceBytes: MiB,
      maxSlicesPerRead: 8,
      peek: () => null,
      admits: () => true,
      beginSlices() {
        if (free === 0) return null;
        free -= 1;
        return () => {
          free += 1;
        };
      },
      async read(_slice, load) {
        sliced += 1;
        return { bytes: await load(), isPart: false, tier: 'bucket' };
      },
    };
    const limited = { ...core, ports: { ...core.ports, edgeCache } };
    const version = versionOf([{ blobId, offsetBytes: 0, lengthBytes: sizeBytes }], sizeBytes);
    const open = async (lengthBytes = sizeBytes) => {
      const { body } = await openBody(limited, version, { offsetBytes: 0, lengthBytes });
      return new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>);
    };
    return { open, free: () => free, sliced: () => sliced };
  }

  it('takes a permit, and gives it back at its end or when its reader leaves', async () => {
    const { open, free, sliced } = await setUp(2);
    const [first, second] = [await open(), await open()];
    expect(free()).toBe(0);
    expect((await first.arrayBuffer()).byteLength).toBe(sizeBytes);
    expect([free(), sliced()]).toEqual([1, 4]);
    await second.body?.cancel();
    expect(free()).toBe(2);
  });

  it('streams from the bucket where too many are under way; one of one slice never', async () => {
    const { open, free, sliced } = await setUp(0);
    expect((await (await open()).arrayBuffer()).byteLength).toBe(sizeBytes);
    expect([free(), sliced()]).toEqual([0, 0]);
    await open(MiB);
    expect(sliced()).toBe(1);
  });
});

describe('a read of several runs', () => {
  it('takes from the bucket what their tier gives no more', async () => {
    const core = createMemoryCore();
    const segments = parts(2);
    const pumpOf = (byte: number) => ({
      lengthBytes: PART_BYTES,
      pump: async (onChunk: (chunk: Uint8Array) => unknown) =>
        void (await onChunk(new Uint8Array(PART_BYTES).fill(byte))),
    });
    for (const [at, { blobId }] of segments.entries())
      await core.ports.blobStore.write(blobId, pumpOf(at), identityOf());
    const asked: Segment[] = [];
    const edgeCache: EdgeCache = {
      ...core.ports.edgeCache,
      sliceBytes: MiB,
      maxSlicesPerRead: 8,
      async openRun(run, part) {
        asked.push(run);
        if (asked.length > 1) return null;
        const body = await core.ports.blobStore.open(run.blobId, part);
        return { body, tier: 'edge' };
      },
    };
    const limited = { ...core, ports: { ...core.ports, edgeCache } };
    const version = versionOf(segments, 2 * PART_BYTES);
    const range = { offsetBytes: 2 * MiB, lengthBytes: 6 * MiB };
    const { body, tier } = await openBody(limited, version, range);
    const sent = new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>);
    const bytes = new Uint8Array(await sent.arrayBuffer());
    const expected = new Uint8Array(6 * MiB).fill(1, 3 * MiB);
    expect([tier, Buffer.compare(bytes, expected)]).toEqual(['edge', 0]);
    expect(asked).toEqual(segments);
  });
});
