// A range of an open file in chunks, each read on demand into a buffer that serves
// again and again: fresh memory for each chunk costs more than the read (measured:
// bench/README.md, delivery). blob-reads.ts makes one for each opened range.
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
  /** The error that a reader gets of a failed read; null: the file ended early. */
  readonly failureOf: (error: unknown) => StorageError;
};

/**
 * Reads exactly `lengthBytes`, or rejects with an error of `failureOf`. `release`
 * is called once, after the last read.
 */
export function fileChunks(
  file: OpenBlob,
  range: { readonly offsetBytes: number; readonly lengthBytes: number },
  { buffers, quickReads, release, failureOf }: FileChunksOptions,
): ByteChunks {
  let { offsetBytes, lengthBytes: leftBytes } = range;
  let buffer: Buffer | null = null;
  let isReading = false;
  let isOver = false;

  function giveBack(): void {
    if (buffer !== null) buffers.give(buffer);
    buffer = null;
  }
  /** Ends reading. A chunk that is out stays good. */
  function finish(): void {
    isOver = true;
    release();
  }

  function chunkOf(into: Buffer, readBytes: number): Chunk {
    offsetBytes += readBytes;
    leftBytes -= readBytes;
    if (leftBytes === 0) finish();
    return {
      bytes: readBytes === into.length ? into : into.subarray(0, readBytes),
      isBorrowed: true,
    };
  }

  function read(wantedBytes: number): Promise<Chunk | null> {
    const into = buffers.take(Math.min(leftBytes, wantedBytes));
    buffer = into;
    const chunkRange = { offsetBytes, lengthBytes: Math.min(leftBytes, into.length) };
    const quickBytes = quickReads.isKnown(file, chunkRange)
      ? quickReads.read(file, into, 0, chunkRange)
      : null;
    if (quickBytes !== null && quickBytes > 0) return Promise.resolve(chunkOf(into, quickBytes));

    isReading = true;
    return new Promise((resolve, reject) => {
      fs.read(file.fd, into, 0, chunkRange.lengthBytes, offsetBytes, (error, readBytes) => {
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
        quickReads.notePresent(file, readBytes, offsetBytes);
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
        // The read under way still uses buffer and descriptor; its callback frees
        // them.
        isOver = true;
        return;
      }
      giveBack();
      if (!isOver) finish();
    },
  };
}
