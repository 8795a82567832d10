// A range of an open file in chunks, each read when it is asked for, into a buffer that serves
// again and again: fresh memory for each chunk costs more than the reading (measured:
// bench/README.md, delivery).
import * as fs from 'node:fs';
import type { StorageError } from '../../../domain/errors.ts';
import type { ByteChunks, Chunk } from '../../../ports/chunk-stream.ts';
import type { ChunkBuffers } from './chunk-buffers.ts';
import type { OpenBlob } from './open-files.ts';
import type { QuickReads } from './quick-reads.ts';

export type FileChunksOptions = {
  readonly buffers: ChunkBuffers;
  readonly quickReads: QuickReads;
  readonly release: () => void;
  /** What a reader is told of a read that failed; null: the file ended early. */
  readonly failureOf: (error: unknown) => StorageError;
};

/**
 * Gives exactly `lengthBytes`, or rejects with `failureOf`'s. `release` is called once, when
 * nothing reads any more.
 */
export function fileChunks(
  file: OpenBlob,
  range: { readonly offsetBytes: number; readonly lengthBytes: number },
  { buffers, quickReads, release, failureOf }: FileChunksOptions,
): ByteChunks {
  let position = range.offsetBytes;
  let left = range.lengthBytes;
  let buffer: Buffer | null = null;
  let isReading = false;
  let isOver = false;

  function giveBack(): void {
    if (buffer !== null) buffers.give(buffer);
    buffer = null;
  }
  /** Nothing will be read any more. A chunk that is out stays good. */
  function finish(): void {
    isOver = true;
    release();
  }

  function chunkOf(into: Buffer, readBytes: number): Chunk {
    position += readBytes;
    left -= readBytes;
    if (left === 0) finish();
    return {
      bytes: readBytes === into.length ? into : into.subarray(0, readBytes),
      isBorrowed: true,
    };
  }

  function read(wantedBytes: number): Promise<Chunk | null> {
    const into = buffers.take(Math.min(left, wantedBytes));
    buffer = into;
    const lengthBytes = Math.min(left, into.length);
    const wanted = { offsetBytes: position, lengthBytes };
    const quickBytes = quickReads.isKnown(file, wanted)
      ? quickReads.read(file, into, 0, wanted)
      : null;
    if (quickBytes !== null && quickBytes > 0) return Promise.resolve(chunkOf(into, quickBytes));
    isReading = true;
    return new Promise((resolve, reject) => {
      fs.read(file.fd, into, 0, lengthBytes, position, (error, readBytes) => {
        isReading = false;
        if (isOver) {
          giveBack();
          release();
          return resolve(null);
        }
        if (error !== null || readBytes === 0) {
          giveBack();
          finish();
          return reject(failureOf(error));
        }
        quickReads.notePresent(file, readBytes, position);
        resolve(chunkOf(into, readBytes));
      });
    });
  }

  return {
    next(wantedBytes) {
      giveBack();
      return isOver ? Promise.resolve(null) : read(wantedBytes);
    },
    close() {
      if (isReading) {
        // The read under way still uses buffer and descriptor; its callback frees them.
        isOver = true;
        return;
      }
      giveBack();
      if (!isOver) finish();
    },
  };
}
