// What is uploaded, cut into pieces: each is a part of the upload, or the whole.
import { QuaysideError } from '../errors.ts';

/**
 * What can be uploaded. Only a stream is read once; all others can be gone back to.
 */
export type UploadSource =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | string
  | ReadableStream<Uint8Array>;

/** Bytes that a request can carry. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes in memory, or a part of a file that the platform reads while it sends it. */
export type Piece = Bytes | Blob;

export const sizeOf = (piece: Piece): number => (piece instanceof Blob ? piece.size : piece.length);

export type Pieces = {
  /** Null: nobody knows before the stream ends. */
  readonly sizeBytes: number | null;
  /**
   * Yields the bytes in order; `sizeOf` says how large the piece of that number
   * (from 1) is.
   */
  cut(sizeOf: (number: number) => number): AsyncGenerator<Piece, void, undefined>;
};

/**
 * Cuts a source into pieces; `stopped` ends a stream. Memory: of a stream one piece and
 * a chunk, of a blob nothing.
 */
export function piecesOf(source: UploadSource, stopped: AbortSignal): Pieces {
  if (source instanceof ReadableStream) {
    return { sizeBytes: null, cut: cutStream(source, stopped) };
  }
  const whole = source instanceof Blob ? source : bytesOf(source);
  const sizeBytes = sizeOf(whole);

  async function* cut(sizeOf: (number: number) => number) {
    let offset = 0;
    for (let number = 1; offset < sizeBytes || number === 1; number++) {
      const end = Math.min(sizeBytes, offset + sizeOf(number));
      yield whole instanceof Blob ? whole.slice(offset, end) : whole.subarray(offset, end);
      offset = end;
    }
  }
  return { sizeBytes, cut };
}

const NOTHING: Bytes = new Uint8Array(0);

function bytesOf(source: Exclude<UploadSource, Blob | ReadableStream>): Bytes;
function bytesOf(source: unknown): Bytes;
function bytesOf(source: unknown): Bytes {
  if (typeof source === 'string') return new TextEncoder().encode(source) as Bytes;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  const { buffer, byteOffset, byteLength } = source as ArrayBufferView<ArrayBuffer>;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A file that was changed or removed since it was chosen cannot be read. */
export async function bytesOfPiece(piece: Piece): Promise<Bytes> {
  if (!(piece instanceof Blob)) return piece;
  try {
    return new Uint8Array(await piece.arrayBuffer());
  } catch (cause) {
    throw new QuaysideError('SourceUnreadable', 'The file cannot be read.', { cause });
  }
}

function cutStream(stream: ReadableStream<Uint8Array>, stopped: AbortSignal): Pieces['cut'] {
  return async function* cut(sizeOf) {
    const reader = stream.getReader();
    const stop = () => void reader.cancel(stopped.reason).catch(() => {});
    stopped.addEventListener('abort', stop, { once: true });
    let rest: Uint8Array = NOTHING;
    try {
      for (let number = 1; ; number++) {
        const piece = new Uint8Array(sizeOf(number));
        let filled = 0;
        while (filled < piece.length) {
          if (rest.length === 0) {
            const { done, value } = await reader.read();
            if (done) {
              if (filled > 0 || number === 1) yield piece.subarray(0, filled);
              return;
            }
            rest = value;
          }
          const taken = rest.subarray(0, piece.length - filled);
          piece.set(taken, filled);
          filled += taken.length;
          rest = rest.subarray(taken.length);
        }
        yield piece;
      }
    } finally {
      stopped.removeEventListener('abort', stop);
      await reader.cancel().catch(() => {});
    }
  };
}
