// Bodies on their way out of the Node platform: buffers that are used again, and who holds how much
// for how long.
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CHUNK_SIZES, createChunkBuffers } from '../../../src/adapters/node/blobs/chunk-buffers.ts';
import { createFsBlobStore } from '../../../src/adapters/node/blobs/fs-blob-store.ts';
import { sendChunks } from '../../../src/adapters/node/server/send-chunks.ts';
import { createIds } from '../../../src/adapters/shared/ids.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type { BucketId } from '../../../src/domain/nouns.ts';
import { type ByteChunks, ChunkStream } from '../../../src/ports/chunk-stream.ts';
import { identityOf, isSameBytes, patternBytes, sourceOf } from '../../contract/bodies.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const [SMALL_BYTES, MIDDLE_BYTES, LARGE_BYTES] = CHUNK_SIZES;

async function storedBlob(lengthBytes: number) {
  const store = createFsBlobStore(temporaryFolder());
  const id = createIds(systemClock).blobId('photos~01' as BucketId);
  const bytes = patternBytes(lengthBytes);
  await store.write(id, sourceOf(bytes), identityOf());
  const open = async (): Promise<ByteChunks> => {
    const stream = await store.open(id, { offsetBytes: 0, lengthBytes });
    if (!(stream instanceof ChunkStream)) throw new Error('The store gives chunks.');
    return stream.chunks;
  };
  const held = () => ({
    files: store.openFileCounts().inUse,
    bytes: store.bufferCounts().outBytes,
  });
  return { open, bytes, held };
}

const NOTHING = { files: 0, bytes: 0 };

describe('chunk buffers', () => {
  it('have the smallest sufficient size, and are used again', () => {
    const buffers = createChunkBuffers();
    const sizes = [1, SMALL_BYTES, SMALL_BYTES + 1, LARGE_BYTES * 5].map(
      (wanted) => buffers.take(wanted).length,
    );
    expect(sizes).toEqual([SMALL_BYTES, SMALL_BYTES, MIDDLE_BYTES, LARGE_BYTES]);
    const one = buffers.take(LARGE_BYTES);
    buffers.give(one);
    expect(buffers.take(LARGE_BYTES)).toBe(one);
  });

  it('are small while many are in use, and few are idle', () => {
    const buffers = createChunkBuffers();
    const out = Array.from({ length: 100 }, () => buffers.take(LARGE_BYTES));
    expect(out.filter(({ length }) => length === LARGE_BYTES).length).toBe(64);
    expect(out.at(-1)?.length).toBe(SMALL_BYTES);
    for (const buffer of out) buffers.give(buffer);
    const { outBytes, idleBytes } = buffers.counts();
    expect(outBytes).toBe(0);
    expect(idleBytes).toBeLessThan(24 * 2 ** 20);
    expect(buffers.take(LARGE_BYTES).length).toBe(LARGE_BYTES);
  });
});

describe('chunks of a file', () => {
  it('come in one buffer, which goes back to the pool with the next call', async () => {
    const { open, bytes, held } = await storedBlob(3 * SMALL_BYTES);
    const chunks = await open();
    const first = await chunks.next(SMALL_BYTES);
    expect(held()).toEqual({ files: 1, bytes: SMALL_BYTES });
    expect(isSameBytes(first?.bytes ?? new Uint8Array(), bytes.subarray(0, SMALL_BYTES))).toBe(
      true,
    );
    const second = await chunks.next(SMALL_BYTES);
    expect(second?.bytes.buffer).toBe(first?.bytes.buffer);
    expect(held()).toEqual({ files: 1, bytes: SMALL_BYTES });
    await chunks.next(SMALL_BYTES);
    expect(held()).toEqual({ files: 0, bytes: SMALL_BYTES });
    expect(await chunks.next(SMALL_BYTES)).toBeNull();
    expect(held()).toEqual(NOTHING);
  });

  it('leak nothing when they are closed before, between and during reads, and twice', async () => {
    const { open, held } = await storedBlob(3 * SMALL_BYTES);
    const before = await open();
    before.close();
    const between = await open();
    await between.next(SMALL_BYTES);
    between.close();
    between.close();
    expect(held()).toEqual(NOTHING);
    const during = await open();
    // A read this long is never done at once.
    const reading = during.next(LARGE_BYTES);
    during.close();
    expect(await reading).toBeNull();
    expect(await during.next(SMALL_BYTES)).toBeNull();
    expect(held()).toEqual(NOTHING);
  });
});

/** A socket that takes a chunk when the test says so. */
function slowSocket() {
  const received: Uint8Array[] = [];
  let takeOne: (() => void) | null = null;
  const socket = new Writable({
    write(chunk: Uint8Array, _encoding, callback) {
      takeOne = () => {
        takeOne = null;
        received.push(new Uint8Array(chunk));
        callback();
      };
    },
  });
  return {
    socket,
    received: () => Buffer.concat(received),
    /** Waits for a chunk and takes it. */
    async take(): Promise<void> {
      await expect.poll(() => takeOne).not.toBeNull();
      takeOne?.();
    },
  };
}

describe('sendChunks', () => {
  async function start(lengthBytes: number, declaredBytes = lengthBytes) {
    const blob = await storedBlob(lengthBytes);
    const client = slowSocket();
    const chunks = await blob.open();
    const outcome: unknown[] = [];
    sendChunks(client.socket, chunks, {
      lengthBytes: declaredBytes,
      onSent: () => outcome.push('sent'),
      onFailed: (cause) => outcome.push(cause),
    });
    return { ...blob, ...client, outcome };
  }

  it('takes one buffer, however large the body, and frees it when all is sent', async () => {
    const { received, take, bytes, held, outcome } = await start(3 * LARGE_BYTES);
    while (outcome.length === 0) {
      await take();
      expect(held().bytes).toBeLessThanOrEqual(LARGE_BYTES);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(outcome).toEqual(['sent']);
    expect(isSameBytes(received(), bytes)).toBe(true);
    expect(held()).toEqual(NOTHING);
  });

  it('frees everything at once when the client leaves, and calls no callback', async () => {
    const { socket, take, held, outcome } = await start(3 * LARGE_BYTES);
    await take();
    await expect.poll(() => held().bytes).toBe(LARGE_BYTES);
    socket.destroy();
    await expect.poll(held).toEqual(NOTHING);
    expect(outcome).toEqual([]);
  });

  it('frees everything for a client that is gone already', async () => {
    const { open, held } = await storedBlob(1000);
    const { socket } = slowSocket();
    socket.destroy();
    const never = () => expect.unreachable();
    sendChunks(socket, await open(), { lengthBytes: 1000, onSent: never, onFailed: never });
    expect(held()).toEqual(NOTHING);
  });

  it('reports when the body ends before its length', async () => {
    const { take, held, outcome } = await start(1000, 1001);
    await take();
    await expect.poll(() => outcome.length).toBe(1);
    expect(outcome[0]).toBeInstanceOf(Error);
    expect(held()).toEqual(NOTHING);
  });
});
