// Writes one body into one file: chunks are copied into a buffer of the pool, which
// is written when it is full, while the next one fills; the source waits only when
// the disk is a whole buffer behind. No chunk is kept, so their memory serves again.

import { StorageError } from '../../../domain/errors.ts';
import type { BlobIdentity } from '../../../ports/blob-store.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import { encodeFooter } from './blob-footer.ts';
import type { ChunkBuffers } from './chunk-buffers.ts';
import { closeFile, openFile, removeQuietly, syncData, writeAll } from './file-calls.ts';

/** Room on the disk for bodies. */
export type BlobRoom = {
  /** StorageFull where `lengthBytes` do not fit. */
  requireRoom(lengthBytes: number): void;
  /**
   * Counts bytes as on their way to the disk, until they are settled. StorageFull.
   */
  take(lengthBytes: number): void;
  /** Counts bytes as on the disk by now, or as never coming there. */
  settle(lengthBytes: number): void;
};

export type BlobWriterOptions = { readonly room: BlobRoom; readonly buffers: ChunkBuffers };

/**
 * Writes body and footer to a new file and makes its bytes (not yet its name)
 * durable. On any failure the file is gone. IncompleteBody when the source has more
 * or less than it declared; StorageFull, before a byte is read where the length is
 * known; other failures pass as they are.
 */
export async function writeBlobFile(
  path: string,
  source: ByteSource,
  identity: BlobIdentity,
  { room, buffers }: BlobWriterOptions,
): Promise<{ sizeBytes: number }> {
  room.requireRoom(source.lengthBytes ?? 0);
  const fd = await openFile(path, 'wx', 0o600);
  try {
    try {
      return await writeBody(fd, source, identity, { room, buffers });
    } finally {
      await closeFile(fd);
    }
  } catch (error) {
    await removeQuietly(path);
    throw error;
  }
}

async function writeBody(
  fd: number,
  source: ByteSource,
  identity: BlobIdentity,
  { room, buffers }: BlobWriterOptions,
): Promise<{ sizeBytes: number }> {
  let sizeBytes = 0;
  let settledBytes = 0;
  const settle = (lengthBytes: number) => {
    settledBytes += lengthBytes;
    room.settle(lengthBytes);
  };
  const batches = createBatches(fd, buffers, settle);
  let isOver = false;
  try {
    await source.pump((chunk) => {
      // A client that left while a chunk waited: its further pieces come all the same.
      if (isOver) throw new StorageError('IncompleteBody');
      room.take(chunk.length);
      sizeBytes += chunk.length;
      if (source.lengthBytes !== null && sizeBytes > source.lengthBytes)
        throw new StorageError('IncompleteBody');
      const leftBytes = (source.lengthBytes ?? Number.POSITIVE_INFINITY) - sizeBytes;
      return batches.add(chunk, leftBytes);
    }, true);
    if (source.lengthBytes !== null && sizeBytes !== source.lengthBytes)
      throw new StorageError('IncompleteBody');
    await batches.finish(encodeFooter({ identity, bodyBytes: sizeBytes }));
  } finally {
    // The descriptor must not be closed, and its number used again, under a write
    // that is still going on; nor may its buffer serve another.
    isOver = true;
    await batches.close();
    settle(sizeBytes - settledBytes);
  }
  await syncData(fd);
  return { sizeBytes };
}

/**
 * Gathers chunks into writes, with backpressure: `add` copies them and returns a
 * promise only when the caller must wait. A failed write shows at the next `add` or
 * at `finish`. `onWritten` hears of the bytes of each batch but the last.
 */
function createBatches(
  fd: number,
  buffers: ChunkBuffers,
  onWritten: (lengthBytes: number) => void,
) {
  let filling: Buffer | null = null;
  let filledBytes = 0;
  let writing: Promise<void> | null = null;
  let failure: { readonly error: unknown } | null = null;
  let isClosed = false;

  function throwFailure(): void {
    if (failure !== null) throw failure.error;
  }

  function startWriting(batch: Buffer): void {
    filling = null;
    filledBytes = 0;
    const end = (failed: typeof failure) => {
      writing = null;
      failure = failed;
      buffers.give(batch);
    };
    writing = writeAll(fd, [batch]).then(
      () => {
        end(null);
        onWritten(batch.length);
      },
      (error) => end({ error }),
    );
  }

  /** `leftBytes`: what comes behind the chunk, as far as somebody said. */
  function add(chunk: Uint8Array, leftBytes: number): void | Promise<void> {
    throwFailure();
    filling ??= buffers.take(chunk.length + leftBytes);
    const batch = filling;
    const copiedBytes = Math.min(chunk.length, batch.length - filledBytes);
    batch.set(chunk.subarray(0, copiedBytes), filledBytes);
    filledBytes += copiedBytes;
    if (filledBytes < batch.length) return;

    const writeBatch = (): void | Promise<void> => {
      throwFailure();
      // A client that left while the disk was slow: its file is about to be closed.
      if (isClosed) return;
      startWriting(batch);
      if (copiedBytes < chunk.length) return add(chunk.subarray(copiedBytes), leftBytes);
    };
    return writing === null ? writeBatch() : writing.then(writeBatch);
  }

  return {
    add,
    async finish(footer: Uint8Array): Promise<void> {
      await writing;
      throwFailure();
      const rest = filling === null ? [] : [filling.subarray(0, filledBytes)];
      await writeAll(fd, [...rest, footer]);
    },
    /** Waits for the write under way, whatever comes of it; no other begins. */
    async close(): Promise<void> {
      isClosed = true;
      await writing;
      if (filling !== null) buffers.give(filling);
      filling = null;
    },
  };
}
