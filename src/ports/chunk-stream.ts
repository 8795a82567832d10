// Bytes on their way out, pulled chunk by chunk: the mirror of ByteSource. A web
// stream can't say when a chunk has been sent, so whoever fills one needs a fresh
// buffer for each, which on Node costs more than reading the file (measured,
// bench/README.md). Chunks say it: the next call means that the last buffer is
// free. A ChunkStream is both: a web stream for everybody, and its chunks for a
// platform that knows how to send those itself.

/**
 * A chunk in `bytes`. `isBorrowed`: they are good until the next call only;
 * otherwise they stay, and may be shared.
 */
export type Chunk = { readonly bytes: Uint8Array; readonly isBorrowed: boolean };

export type ByteChunks = {
  /**
   * The next chunk, null behind the last one and after `close`. About
   * `wantedBytes`; what stands in memory anyway may be longer. One call at a time.
   * When it rejects, everything is freed.
   */
  next(wantedBytes: number): Promise<Chunk | null>;
  /**
   * Frees everything at once, wherever the reading stands: no bytes of a borrowed
   * chunk may be in use. Idempotent.
   */
  close(): void;
};

/**
 * Bytes of a chunk for a reader of the web stream. Measured 2026-11 on Node, 64 MiB
 * files: less costs more per byte.
 */
const STREAM_CHUNK_BYTES = 512 * 1024;

/**
 * A web stream of chunks; borrowed ones are copied, so a reader may keep what it
 * got. Use the one or the other.
 */
export class ChunkStream extends ReadableStream<Uint8Array> {
  readonly chunks: ByteChunks;

  constructor(chunks: ByteChunks) {
    super(
      {
        async pull(controller) {
          const chunk = await chunks.next(STREAM_CHUNK_BYTES);
          if (chunk === null) controller.close();
          // Not `slice`: of a Node Buffer that is no copy.
          else controller.enqueue(chunk.isBorrowed ? new Uint8Array(chunk.bytes) : chunk.bytes);
        },
        cancel: () => chunks.close(),
      },
      { highWaterMark: 0 },
    );
    this.chunks = chunks;
  }
}

/** The chunks of any web stream. */
export function chunksOf(stream: ReadableStream<Uint8Array>): ByteChunks {
  if (stream instanceof ChunkStream) return stream.chunks;
  const reader = stream.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? null : { bytes: value, isBorrowed: false };
    },
    close: () => void reader.cancel().catch(() => undefined),
  };
}

/**
 * Waits for the first chunk and gives all of them: a failure at the start of a body
 * rejects here, before a response begins.
 */
export async function awaitFirstChunk(
  chunks: ByteChunks,
  wantedBytes: number,
): Promise<ByteChunks> {
  let first = await chunks.next(wantedBytes);
  return {
    async next(wanted) {
      if (first === null) return chunks.next(wanted);
      const come = first;
      first = null;
      return come;
    },
    close() {
      first = null;
      chunks.close();
    },
  };
}

/** Opens a body that is one of several. */
export type OpenPart = () => Uint8Array | Promise<Uint8Array | ReadableStream<Uint8Array>>;

/**
 * The chunks of a body, then those of further ones, each opened when the one before
 * it has ended.
 */
export function joinChunks(
  first: Uint8Array | ReadableStream<Uint8Array>,
  rest: readonly OpenPart[],
): ByteChunks {
  const begin = (part: Uint8Array | ReadableStream<Uint8Array>) =>
    part instanceof Uint8Array ? oneChunk(part) : chunksOf(part);
  let current = begin(first);
  let opened = 0;
  let isClosed = false;
  return {
    async next(wantedBytes) {
      while (!isClosed) {
        const chunk = await current.next(wantedBytes);
        if (chunk !== null) return chunk;
        const open = rest[opened];
        // Closed while the last chunk was waited for: what is opened now would be a
        // read that nobody wants.
        if (open === undefined || isClosed) break;
        opened += 1;
        current = begin(await open());
        if (isClosed) current.close();
      }
      return null;
    },
    close() {
      isClosed = true;
      current.close();
    },
  };
}

function oneChunk(bytes: Uint8Array): ByteChunks {
  let isTaken = false;
  return {
    async next() {
      if (isTaken) return null;
      isTaken = true;
      return { bytes, isBorrowed: false };
    },
    close() {
      isTaken = true;
    },
  };
}
