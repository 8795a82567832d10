// An archive in chunks, one entry after the other, made as fast as the reader takes
// it. Small entries are opened some ahead, because the way to the bytes is long and
// their own way short; large ones only in their turn, and their chunks go out as
// they come. A body that has other bytes than were announced breaks it: an archive
// is right or it is none.
import { crc32 } from '../../crypto/crc32.ts';
import { StorageError } from '../../domain/errors.ts';
import { type ByteChunks, type Chunk, ChunkStream, chunksOf } from '../../ports/chunk-stream.ts';
import {
  dataDescriptor,
  directoryHeader,
  endOfDirectory,
  fileHeader,
  type WrittenEntry,
  type ZipEntry,
} from './zip-records.ts';

type Body = Uint8Array | ReadableStream<Uint8Array> | null;

/**
 * Small pieces go out together, up to about this many bytes: a write for each
 * header would cost more than the header.
 */
const BATCH_BYTES = 64 * 1024;
/** What is asked of a body at a time, bytes. */
const CHUNK_BYTES = 512 * 1024;
/**
 * Entries of at most so many bytes are opened ahead, so many of them. Together one
 * ZIP holds 4 MiB of bodies at most.
 */
const AHEAD_MAX_BYTES = 1024 * 1024;
const AHEAD_ENTRIES = 4;

/**
 * `onPull` is called whenever the reader wants more, `onEnd` once, however it ends.
 */
export type ZipHooks = { readonly onPull: () => void; readonly onEnd: () => void };

/** `open` gives the body of the entry of that number, each at most once. */
export function createZipStream(
  entries: readonly ZipEntry[],
  open: (number: number) => Promise<Body>,
  hooks: ZipHooks,
): ReadableStream<Uint8Array> {
  return new ChunkStream(zipChunks(entries, open, hooks));
}

function zipChunks(
  entries: readonly ZipEntry[],
  open: (number: number) => Promise<Body>,
  { onPull, onEnd }: ZipHooks,
): ByteChunks {
  const bodies = createBodies(entries, open);
  const pieces = writeArchive(entries, bodies.next);
  const batch = createBatch();
  /**
   * A large piece that came behind a batch; it stays good until the next piece is
   * asked for.
   */
  let waiting: Chunk | null = null;
  let isEnded = false;

  function end(): void {
    if (!isEnded) onEnd();
    isEnded = true;
  }

  async function next(): Promise<Chunk | null> {
    const large = waiting;
    waiting = null;
    if (large !== null) return large;
    while (!isEnded) {
      const { done, value } = await pieces.next();
      if (isEnded) break;
      if (done === true) {
        end();
        return batch.take();
      }
      if (value.bytes.length < BATCH_BYTES) {
        batch.add(value.bytes);
        if (batch.isFull()) return batch.take();
      } else {
        const before = batch.take();
        if (before === null) return value;
        waiting = value;
        return before;
      }
    }
    return null;
  }

  return {
    async next() {
      onPull();
      try {
        return await next();
      } catch (error) {
        end();
        bodies.close();
        throw error;
      }
    },
    close() {
      end();
      bodies.close();
    },
  };
}

/** Collects copies of small pieces. */
function createBatch() {
  let bytes = new Uint8Array(2 * BATCH_BYTES);
  let used = 0;
  return {
    add(piece: Uint8Array): void {
      bytes.set(piece, used);
      used += piece.length;
    },
    isFull: () => used >= BATCH_BYTES,
    take(): Chunk | null {
      if (used === 0) return null;
      const chunk = { bytes: bytes.subarray(0, used), isBorrowed: false };
      bytes = new Uint8Array(2 * BATCH_BYTES);
      used = 0;
      return chunk;
    },
  };
}

/**
 * The archive in pieces; `next` gives the chunks of the entries' bodies in order.
 */
async function* writeArchive(
  entries: readonly ZipEntry[],
  next: (number: number) => AsyncGenerator<Chunk>,
): AsyncGenerator<Chunk, void> {
  const own = (bytes: Uint8Array): Chunk => ({ bytes, isBorrowed: false });
  const written: WrittenEntry[] = [];
  let offsetBytes = 0;
  for (const [number, entry] of entries.entries()) {
    const header = fileHeader(entry);
    yield own(header);
    let sizeBytes = 0;
    let crc = 0;
    for await (const chunk of next(number)) {
      sizeBytes += chunk.bytes.length;
      if (sizeBytes > entry.sizeBytes) break;
      crc = crc32(chunk.bytes, crc);
      yield chunk;
    }
    if (sizeBytes !== entry.sizeBytes || (entry.crc32 !== null && crc !== entry.crc32)) {
      throw new StorageError('InternalError', {
        detail: 'A body in a ZIP is not what its object says.',
      });
    }
    const descriptor = dataDescriptor(entry, crc);
    if (descriptor.length > 0) yield own(descriptor);
    written.push({ entry, crc32: crc, offsetBytes });
    offsetBytes += header.length + sizeBytes + descriptor.length;
  }
  let lengthBytes = 0;
  for (const one of written) {
    const header = directoryHeader(one);
    lengthBytes += header.length;
    yield own(header);
  }
  yield own(endOfDirectory({ entries: entries.length, offsetBytes, lengthBytes }));
}

/**
 * Opens bodies, small ones ahead, and lets go of all of them when the reader
 * leaves.
 */
function createBodies(entries: readonly ZipEntry[], open: (number: number) => Promise<Body>) {
  const ahead = new Map<number, Promise<Body>>();
  let current: ByteChunks | null = null;
  let isClosed = false;

  function start(number: number): Promise<Body> {
    const known = ahead.get(number);
    if (known !== undefined) return known;
    const opening = entries[number]?.sizeBytes === 0 ? Promise.resolve(null) : open(number);
    // Whoever waits for it hears of its failure; until then nobody may, without a
    // fault.
    opening.catch(() => undefined);
    ahead.set(number, opening);
    return opening;
  }

  function startAhead(number: number): void {
    for (let at = number + 1; at <= number + AHEAD_ENTRIES; at++) {
      const entry = entries[at];
      if (entry === undefined || entry.sizeBytes > AHEAD_MAX_BYTES) return;
      // Whoever comes to this entry waits for it.
      void start(at);
    }
  }

  return {
    async *next(number: number): AsyncGenerator<Chunk> {
      const opening = start(number);
      startAhead(number);
      const body = await opening;
      ahead.delete(number);
      if (isClosed || body === null) return;
      if (body instanceof Uint8Array) return void (yield { bytes: body, isBorrowed: false });
      current = chunksOf(body);
      for (
        let chunk = await current.next(CHUNK_BYTES);
        chunk !== null;
        chunk = await current.next(CHUNK_BYTES)
      ) {
        yield chunk;
      }
      current = null;
    },
    /** Whatever is still being opened is let go of when it is there. */
    close(): void {
      if (isClosed) return;
      isClosed = true;
      current?.close();
      for (const opening of ahead.values()) opening.then(letGo, () => undefined);
      ahead.clear();
    },
  };
}

function letGo(body: Body): void {
  if (body instanceof ReadableStream) chunksOf(body).close();
}
