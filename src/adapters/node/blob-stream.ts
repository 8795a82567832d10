// A range of an open file as a web stream that reads only when it is pulled. Each chunk is a fresh buffer: the reader
// may keep it, so nothing here may write into it again. (Reused buffers would be twice as fast, but nothing in a web
// stream says when a chunk has been written out.)
import * as fs from 'node:fs';
import { StorageError } from '../../ports/errors.ts';
import { translateError } from './fs-errors.ts';

/**
 * Bytes of one read. Measured 2026-11, 64 MiB files through the whole server, two busy rounds, GB sent per CPU-second:
 * 64 KiB 0.63, 128 KiB 1.0, 256 KiB 1.0 to 1.2, 512 KiB 1.1 to 1.9, 1 MiB 1.7 to 1.9; one reused buffer 2.3 to 2.4.
 */
const CHUNK_BYTES = 512 * 1024;

/** Streams exactly `lengthBytes`, or errors with InternalError. `release` is called once, when nothing reads any more. */
export function streamFile(
  fd: number,
  range: { readonly offsetBytes: number; readonly lengthBytes: number },
  release: () => void,
): ReadableStream<Uint8Array> {
  let position = range.offsetBytes;
  let left = range.lengthBytes;
  let isReading = false;
  let isOver = false;

  function finish(): void {
    isOver = true;
    if (!isReading) release();
  }

  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        new Promise<void>((resolve, reject) => {
          const buffer = Buffer.allocUnsafeSlow(Math.min(left, CHUNK_BYTES));
          isReading = true;
          fs.read(fd, buffer, 0, buffer.length, position, (error, readBytes) => {
            isReading = false;
            if (isOver) {
              release();
              return resolve();
            }
            if (error !== null || readBytes === 0) {
              finish();
              const cause = error ?? new StorageError('InternalError', { detail: 'A blob file is too short.' });
              return reject(translateError(cause, 'A blob could not be read.'));
            }
            position += readBytes;
            left -= readBytes;
            controller.enqueue(readBytes === buffer.length ? buffer : buffer.subarray(0, readBytes));
            if (left === 0) {
              finish();
              controller.close();
            }
            resolve();
          });
        }),
      // A read under way still uses the descriptor; its callback releases it then.
      cancel: finish,
    },
    { highWaterMark: 0 },
  );
}
