// Writes the chunks of a body to a socket or response, with backpressure: the next
// when the system has taken the one before. So a slow client occupies one buffer,
// and buffers serve again. All is freed once the client is gone.
import type { Writable } from 'node:stream';
import type { ByteChunks } from '../../../ports/chunk-stream.ts';
import { CHUNK_SIZES } from '../blobs/chunk-buffers.ts';

const [SMALL_BYTES, FIRST_BYTES, LARGE_BYTES] = CHUNK_SIZES;
/**
 * A client that takes longer for a chunk gets small ones, which occupy less memory.
 * ms.
 */
const SLOW_MS = 200;

export type SendChunksOptions = {
  /** Bytes of all chunks together. */
  readonly lengthBytes: number;
  /** Head that goes out together with the first chunk. */
  readonly head?: Uint8Array;
  /** Called when the system has taken all. It must end `out`, or go on with it. */
  readonly onSent: () => void;
  /**
   * Called when a read failed, or the chunks ended early; not for a client that
   * left.
   */
  readonly onFailed: (cause: unknown) => void;
};

/** Starts to send. `out` must emit `close` whatever becomes of it. */
export function sendChunks(out: Writable, chunks: ByteChunks, options: SendChunksOptions): void {
  const { lengthBytes, head } = options;
  let sentBytes = 0;
  let wantedBytes: number = FIRST_BYTES;
  let isOver = false;

  function finish(): void {
    if (isOver) return;
    isOver = true;
    out.off('close', finish);
    chunks.close();
  }
  function fail(cause: unknown): void {
    if (isOver) return;
    finish();
    options.onFailed(cause);
  }
  function pull(): void {
    chunks.next(wantedBytes).then((chunk) => {
      if (isOver) return;
      if (chunk === null) fail(new Error(`A body ended ${lengthBytes - sentBytes} bytes early.`));
      else send(chunk.bytes);
    }, fail);
  }
  function send(bytes: Uint8Array): void {
    const isFirst = sentBytes === 0 && head !== undefined;
    const sinceMs = performance.now();
    sentBytes += bytes.length;
    if (isFirst) {
      out.cork();
      out.write(head);
    }
    out.write(bytes, (error) => {
      // A failed write is followed by `close`.
      if (isOver || error != null) return;
      wantedBytes = performance.now() - sinceMs > SLOW_MS ? SMALL_BYTES : LARGE_BYTES;
      if (sentBytes < lengthBytes) return pull();
      finish();
      options.onSent();
    });
    if (isFirst) out.uncork();
  }

  if (out.destroyed) chunks.close();
  else {
    out.on('close', finish);
    pull();
  }
}
