// An archive as a stream, one entry after the other, made as fast as the reader takes it. Small entries are opened
// some ahead, because the way to the bytes is long and their own way short; large ones only in their turn.
// A body that has other bytes than were announced breaks the stream: an archive is right or it is none.
import { crc32 } from '../../crypto/crc32.ts';
import { StorageError } from '../../ports/errors.ts';
import {
  dataDescriptor,
  directoryHeader,
  endOfDirectory,
  fileHeader,
  type WrittenEntry,
  type ZipEntry,
} from './zip-records.ts';

type Body = Uint8Array | ReadableStream<Uint8Array> | null;

/** Small pieces go out together, up to about this many bytes: a write for each header would cost more than the header. */
const BATCH_BYTES = 64 * 1024;
/** Entries of at most so many bytes are opened ahead, so many of them. Together one ZIP holds 4 MiB of bodies at most. */
const AHEAD_MAX_BYTES = 1024 * 1024;
const AHEAD_ENTRIES = 4;

/** `onPull` is called whenever the reader wants more, `onEnd` once, however it ends. */
export type ZipHooks = { readonly onPull: () => void; readonly onEnd: () => void };

/** `open` gives the body of the entry of that number, each at most once. */
export function createZipStream(
  entries: readonly ZipEntry[],
  open: (number: number) => Promise<Body>,
  { onPull, onEnd }: ZipHooks,
): ReadableStream<Uint8Array> {
  const bodies = createBodies(entries, open);
  const pieces = writeArchive(entries, bodies.next);
  const batch: Uint8Array[] = [];
  let batchBytes = 0;
  let isEnded = false;

  function end(): void {
    if (!isEnded) onEnd();
    isEnded = true;
  }

  function takeBatch(): Uint8Array {
    const whole = new Uint8Array(batchBytes);
    let at = 0;
    for (const piece of batch.splice(0)) {
      whole.set(piece, at);
      at += piece.length;
    }
    batchBytes = 0;
    return whole;
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        onPull();
        try {
          for (;;) {
            const { done, value } = await pieces.next();
            if (isEnded) return;
            if (done === true) {
              if (batchBytes > 0) controller.enqueue(takeBatch());
              end();
              return controller.close();
            }
            const isSmall = value.length < BATCH_BYTES;
            if (isSmall) {
              batch.push(value);
              batchBytes += value.length;
              if (batchBytes < BATCH_BYTES) continue;
            }
            if (batchBytes > 0) controller.enqueue(takeBatch());
            if (!isSmall) controller.enqueue(value);
            return;
          }
        } catch (error) {
          end();
          await bodies.close(error);
          throw error;
        }
      },
      cancel(reason) {
        end();
        return bodies.close(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The archive in pieces; `next` gives the chunks of the entries' bodies in order. */
async function* writeArchive(
  entries: readonly ZipEntry[],
  next: (number: number) => AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const written: WrittenEntry[] = [];
  let offsetBytes = 0;
  for (const [number, entry] of entries.entries()) {
    const header = fileHeader(entry);
    yield header;
    let sizeBytes = 0;
    let crc = 0;
    for await (const chunk of next(number)) {
      sizeBytes += chunk.length;
      if (sizeBytes > entry.sizeBytes) break;
      crc = crc32(chunk, crc);
      yield chunk;
    }
    if (sizeBytes !== entry.sizeBytes || (entry.crc32 !== null && crc !== entry.crc32)) {
      throw new StorageError('InternalError', { detail: 'A body in a ZIP is not what its object says.' });
    }
    const descriptor = dataDescriptor(entry, crc);
    if (descriptor.length > 0) yield descriptor;
    written.push({ entry, crc32: crc, offsetBytes });
    offsetBytes += header.length + sizeBytes + descriptor.length;
  }
  let lengthBytes = 0;
  for (const one of written) {
    const header = directoryHeader(one);
    lengthBytes += header.length;
    yield header;
  }
  yield endOfDirectory({ entries: entries.length, offsetBytes, lengthBytes });
}

/** Opens bodies, small ones ahead, and lets go of all of them when the reader leaves. */
function createBodies(entries: readonly ZipEntry[], open: (number: number) => Promise<Body>) {
  const ahead = new Map<number, Promise<Body>>();
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  let isClosed = false;

  function start(number: number): Promise<Body> {
    const known = ahead.get(number);
    if (known !== undefined) return known;
    const opening = entries[number]?.sizeBytes === 0 ? Promise.resolve(null) : open(number);
    // Whoever waits for it hears of its failure; until then nobody may, without a fault.
    opening.catch(() => undefined);
    ahead.set(number, opening);
    return opening;
  }

  function startAhead(number: number): void {
    for (let at = number + 1; at <= number + AHEAD_ENTRIES; at++) {
      const entry = entries[at];
      if (entry === undefined || entry.sizeBytes > AHEAD_MAX_BYTES) return;
      start(at);
    }
  }

  return {
    async *next(number: number): AsyncGenerator<Uint8Array> {
      const opening = start(number);
      startAhead(number);
      const body = await opening;
      ahead.delete(number);
      if (isClosed) return void (await letGo(body));
      if (body instanceof Uint8Array) yield body;
      if (body === null || body instanceof Uint8Array) return;
      reader = body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        yield value;
      }
      reader = null;
    },
    /** Never rejects. */
    async close(reason: unknown): Promise<void> {
      isClosed = true;
      const opened = [...ahead.values()];
      ahead.clear();
      await reader?.cancel(reason).catch(() => undefined);
      await Promise.all(opened.map((opening) => opening.then(letGo, () => undefined)));
    },
  };
}

async function letGo(body: Body): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel().catch(() => undefined);
}
