// Streams of chunks: borrowed buffers, joined bodies, and closing midway.
import { describe, expect, it } from 'vitest';
import {
  type ByteChunks,
  ChunkStream,
  chunksOf,
  joinChunks,
} from '../../src/ports/chunk-stream.ts';
import { readAll } from '../contract/bodies.ts';

/**
 * Chunks of one byte each in one buffer that is used again; `failAt` rejects instead of that byte.
 */
function borrowedChunks(
  bytes: readonly number[],
  failAt = -1,
): ByteChunks & { readonly isClosed: () => boolean } {
  const buffer = new Uint8Array(1);
  let at = 0;
  let isClosed = false;
  return {
    async next() {
      if (at === failAt) throw new Error('expected by the test');
      const byte = bytes[at];
      if (byte === undefined || isClosed) return null;
      at += 1;
      buffer[0] = byte;
      return { bytes: buffer, isBorrowed: true };
    },
    close() {
      isClosed = true;
    },
    isClosed: () => isClosed,
  };
}

/** What chunks give until they end, each chunk copied at once. */
async function drain(chunks: ByteChunks): Promise<number[]> {
  const all: number[] = [];
  for (let chunk = await chunks.next(1); chunk !== null; chunk = await chunks.next(1))
    all.push(...chunk.bytes);
  return all;
}

const plainStream = (...values: readonly number[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const value of values) controller.enqueue(Uint8Array.of(value));
      controller.close();
    },
  });

describe('ChunkStream', () => {
  it('gives a reader chunks to keep, though the buffer behind them is used again', async () => {
    expect([...(await readAll(new ChunkStream(borrowedChunks([1, 2, 3]))))]).toEqual([1, 2, 3]);
  });

  it('closes its chunks when it is cancelled', async () => {
    const chunks = borrowedChunks([1, 2]);
    await new ChunkStream(chunks).cancel();
    expect(chunks.isClosed()).toBe(true);
  });

  it('errors with what its chunks reject with', async () => {
    await expect(readAll(new ChunkStream(borrowedChunks([1, 2], 1)))).rejects.toThrow(
      'expected by the test',
    );
  });
});

describe('chunksOf', () => {
  it('gives the chunks of a ChunkStream as they are', () => {
    const chunks = borrowedChunks([1]);
    expect(chunksOf(new ChunkStream(chunks))).toBe(chunks);
  });

  it('reads any other stream, and cancels it on close', async () => {
    expect(await drain(chunksOf(plainStream(1, 2)))).toEqual([1, 2]);
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      cancel() {
        isCancelled = true;
      },
    });
    chunksOf(stream).close();
    expect(isCancelled).toBe(true);
  });
});

describe('joinChunks', () => {
  it('gives parts of every kind in order, opening each only when it is needed', async () => {
    const opened: string[] = [];
    const part = <Part>(name: string, value: Part) => {
      return () => {
        opened.push(name);
        return value;
      };
    };
    const joined = joinChunks(Uint8Array.of(1, 2), [
      part('bytes', Uint8Array.of(3)),
      part('chunks', Promise.resolve(new ChunkStream(borrowedChunks([4, 5])))),
      part('stream', Promise.resolve(plainStream(6))),
    ]);
    await joined.next(1);
    expect(opened).toEqual([]);
    expect(await drain(joined)).toEqual([3, 4, 5, 6]);
    expect(opened).toEqual(['bytes', 'chunks', 'stream']);
    expect(await joined.next(1)).toBeNull();
  });

  it('opens nothing more once it is closed, and closes what it holds', async () => {
    const chunks = borrowedChunks([1, 2]);
    const joined = joinChunks(new ChunkStream(chunks), [
      () => Promise.reject(new Error('must not be opened')),
    ]);
    await joined.next(1);
    joined.close();
    expect(chunks.isClosed()).toBe(true);
    expect(await joined.next(1)).toBeNull();
  });

  it('opens nothing more when it is closed while the end of a part is waited for', async () => {
    const end = Promise.withResolvers<null>();
    const current: ByteChunks = { next: () => end.promise, close: () => end.resolve(null) };
    let opened = 0;
    const joined = joinChunks(new ChunkStream(current), [
      () => {
        opened += 1;
        return Uint8Array.of(1);
      },
    ]);
    const waiting = joined.next(1);
    joined.close();
    expect(await waiting).toBeNull();
    expect(opened).toBe(0);
  });

  it('closes a part that was being opened when it was closed itself', async () => {
    const late = borrowedChunks([1]);
    const opening = Promise.withResolvers<ReadableStream<Uint8Array>>();
    const asked = Promise.withResolvers<void>();
    const open = () => {
      asked.resolve();
      return opening.promise;
    };
    const joined = joinChunks(new Uint8Array(), [open]);
    await joined.next(1);
    const next = joined.next(1);
    await asked.promise;
    joined.close();
    opening.resolve(new ChunkStream(late));
    expect(await next).toBeNull();
    expect(late.isClosed()).toBe(true);
  });

  it('rejects when a part can not be opened', async () => {
    const joined = joinChunks(Uint8Array.of(1), [
      () => Promise.reject(new Error('expected by the test')),
    ]);
    await joined.next(1);
    await expect(joined.next(1)).rejects.toThrow('expected by the test');
  });
});
