// The body of an object as a stream that outlives its connections: where a line is
// cut it asks for the rest, and only of the same object (Range with If-Range, RFC
// 9110 section 13.1.5).
import { networkFailure, type QuaysideError } from '../errors.ts';
import { asFailure, type RetryPolicy, retrying } from '../retry.ts';

export type ResumingBody = {
  /** The first response, whose body is read first. */
  readonly first: Response;
  /**
   * Bytes that are to come; null: the platform decodes the body, so nobody can
   * tell.
   */
  readonly lengthBytes: number | null;
  /** Asks for what comes after so many bytes; null: it cannot be resumed. */
  readonly reopen: ((offsetBytes: number, signal: AbortSignal) => Promise<Response>) | null;
  readonly policy: RetryPolicy;
  readonly signal?: AbortSignal | undefined;
  onChunk(chunk: Uint8Array): void;
  /** All has come: what rejects here fails the stream. */
  onEnd(): Promise<void>;
};

/** A line that sends nothing for so long counts as cut, milliseconds. */
const STALL_MS = 60_000;

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** Backpressure: nothing is read before somebody wants it. */
export function resumingBody(body: ResumingBody): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { lengthBytes, reopen, policy, onChunk, onEnd } = body;
  const closed = new AbortController();
  const signal =
    body.signal === undefined ? closed.signal : AbortSignal.any([closed.signal, body.signal]);
  let reader: Reader | null = body.first.body?.getReader() ?? null;
  let received = 0;

  /** The next chunk; null at the end. */
  async function read(): Promise<Uint8Array<ArrayBuffer> | null> {
    if (reader === null) {
      const response = await reopen?.(received, signal);
      reader = response?.body?.getReader() ?? null;
    }
    const result = await beforeStall(reader?.read(), signal);
    const value = result?.value;
    const length = lengthBytes ?? Number.POSITIVE_INFINITY;
    if (value === undefined && (lengthBytes === null || received === length)) return null;
    if (value === undefined || received + value.length > length) {
      throw networkFailure('another length');
    }
    // Nothing is no progress: it must not make the attempts begin anew.
    return value.length === 0 ? read() : value;
  }

  const mayRepeat = ({ retryable }: QuaysideError) => retryable && reopen !== null;

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        // Each chunk has attempts of its own: a line that is cut often still gets
        // on.
        const attempt = () =>
          read().catch((error: unknown) => {
            void reader?.cancel().catch(() => {});
            reader = null;
            throw asFailure(error);
          });
        const isOver = lengthBytes !== null && received >= lengthBytes;
        const chunk = isOver ? null : await retrying(attempt, { policy, signal, mayRepeat });
        if (chunk === null) {
          await onEnd();
          controller.close();
          return;
        }
        received += chunk.length;
        onChunk(chunk);
        controller.enqueue(chunk);
      },
      async cancel(reason) {
        closed.abort(reason);
        await reader?.cancel(reason).catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

/** Rejects when it takes too long, or with the signal's reason. */
function beforeStall<Value>(work: Promise<Value> | undefined, signal: AbortSignal) {
  if (work === undefined) return undefined;
  return new Promise<Value>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const timer = setTimeout(() => reject(new TypeError('The line stalled.')), STALL_MS);
    signal.addEventListener('abort', stop, { once: true });
    // A stalled line ends too: whoever hears of it cancels the reader.
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
  });
}
