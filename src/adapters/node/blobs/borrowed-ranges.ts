// Ranges of open files that are borrowed at once: read into a buffer that serves
// again, or left in a mapping for callers that can send them from there.
// blob-reads.ts hands them out.
import { Buffer } from 'node:buffer';
import { readSync } from 'node:fs';
import type { BlobRange, BorrowedBuffer, RangeSender } from '../../../ports/blob-store.ts';
import { type ChunkBuffers, HEADROOM_BYTES } from './chunk-buffers.ts';
import type { MappedFiles } from './mapped-files.ts';
import type { OpenBlob } from './open-files.ts';
import type { QuickReads } from './quick-reads.ts';

/**
 * Borrows a range that quick-reads.ts knows, of a file that is open; null: not now.
 * `maySend` as in the port's BorrowBytes.
 */
export type BorrowRange = (
  file: OpenBlob,
  range: BlobRange,
  maySend: boolean,
) => BorrowedBuffer | null;

const NOTHING = Buffer.alloc(0);
const ignoreRelease = () => {};

export function createBorrowRange(
  buffers: ChunkBuffers,
  quickReads: QuickReads,
  mapped: MappedFiles | null,
): BorrowRange {
  /**
   * Bytes that a slow client has not taken yet: they wait in a buffer that serves
   * again, or where many wait already in memory of their own.
   */
  function readBehind(
    { fd }: OpenBlob,
    { offsetBytes, lengthBytes }: BlobRange,
    skipBytes: number,
  ): ReturnType<RangeSender['readBehind']> {
    const leftBytes = lengthBytes - skipBytes;
    let buffer = buffers.take(leftBytes);
    let release = () => buffers.give(buffer);
    if (buffer.length < leftBytes) {
      release();
      buffer = Buffer.allocUnsafeSlow(leftBytes);
      release = ignoreRelease;
    }
    try {
      if (readSync(fd, buffer, 0, leftBytes, offsetBytes + skipBytes) === leftBytes)
        return { bytes: buffer.subarray(0, leftBytes), release };
    } catch {
      // Null says so.
    }
    release();
    return null;
  }

  function readIntoBuffer(file: OpenBlob, range: BlobRange): BorrowedBuffer | null {
    const { lengthBytes } = range;
    const buffer = buffers.take(HEADROOM_BYTES + lengthBytes);
    if (
      buffer.length < HEADROOM_BYTES + lengthBytes ||
      quickReads.read(file, buffer, HEADROOM_BYTES, range) !== lengthBytes
    ) {
      buffers.give(buffer);
      return null;
    }
    const release = () => buffers.give(buffer);
    return {
      buffer,
      at: HEADROOM_BYTES,
      lengthBytes,
      tookMs: quickReads.lastTookMs,
      release,
      sender: null,
    };
  }

  function leaveInMapping(
    file: OpenBlob,
    range: BlobRange,
    { head, send }: MappedFiles,
  ): BorrowedBuffer | null {
    const startMs = quickReads.beginSend();
    if (startMs === null) return null;
    const { offsetBytes, lengthBytes } = range;
    const sender: RangeSender = {
      head,
      send(socketFd, headBytes) {
        const takenBytes = send(socketFd, headBytes, file, offsetBytes, lengthBytes);
        quickReads.endSend(startMs, lengthBytes);
        return takenBytes;
      },
      readBehind: (skipBytes) => readBehind(file, range, skipBytes),
    };
    return { buffer: NOTHING, at: 0, lengthBytes, tookMs: 0, release: ignoreRelease, sender };
  }

  return (file, range, maySend) => {
    if (!maySend || mapped === null) return readIntoBuffer(file, range);
    const isSent = mapped.isMapped(file, range.lengthBytes);
    return (isSent ? leaveInMapping(file, range, mapped) : null) ?? readIntoBuffer(file, range);
  };
}
