// Bytes from the front, page by page: of a stored object by ranges, of a gzip file
// what comes out of it. Viewers of text read no more than is shown.
import { type ByteSource, concat } from '../bytes.ts';

export type Pages = {
  /** The next page; null: there is no more. */
  next(signal: AbortSignal): Promise<Uint8Array | null>;
  /** Stored bytes that were read so far. */
  readBytes(): number;
  readonly totalBytes: number;
  isAtEnd(): boolean;
};

/** Pages of stored bytes. */
export function rangePages(source: ByteSource, pageBytes: number): Pages {
  let at = 0;
  let isEnded = source.sizeBytes === 0;
  return {
    totalBytes: source.sizeBytes,
    readBytes: () => at,
    isAtEnd: () => isEnded || at >= source.sizeBytes,
    async next(signal) {
      if (isEnded || at >= source.sizeBytes) return null;
      const page = await source.read(at, pageBytes, signal);
      at += page.length;
      // The size of an encoded object is not known before its end.
      if (page.length < Math.min(pageBytes, source.sizeBytes - at)) isEnded = true;
      return page;
    },
  };
}

/** Bytes of a gzip file that one request reads. */
const GZIP_READ_BYTES = 128 * 1024;

/** Pages of what is in a gzip file, which is read from its front as far as needed. */
export function gunzipPages(source: ByteSource, pageBytes: number): Pages {
  const stored = rangePages(source, GZIP_READ_BYTES);
  const controller = new AbortController();
  const compressed = new ReadableStream<BufferSource>(
    {
      async pull(stream) {
        const page = await stored.next(controller.signal);
        if (page === null) stream.close();
        else stream.enqueue(page as Uint8Array<ArrayBuffer>);
      },
    },
    { highWaterMark: 0 },
  );
  const reader = compressed.pipeThrough(new DecompressionStream('gzip')).getReader();
  let isEnded = false;
  let left: Uint8Array = new Uint8Array();
  return {
    totalBytes: source.sizeBytes,
    readBytes: stored.readBytes,
    isAtEnd: () => isEnded && left.length === 0,
    async next() {
      const chunks = [left];
      let length = left.length;
      while (!isEnded && length < pageBytes) {
        const { value, done } = await reader.read();
        isEnded = done;
        if (value === undefined) continue;
        chunks.push(value);
        length += value.length;
      }
      const whole = concat(chunks);
      left = whole.subarray(pageBytes);
      return whole.length === 0 ? null : whole.subarray(0, pageBytes);
    },
  };
}
