// Cuts a body into pieces that are stored one after the other, so that a connection
// that breaks costs the last piece at most. Called by receive-bytes.ts.
import type { ByteSource } from '../../../ports/byte-source.ts';

export type CutBody = {
  /** The next piece, which must be pumped to its end; null: the body is over. */
  next(): Promise<ByteSource | null>;
  /** Whether the body ended before its end. */
  isBroken(): boolean;
  /** Stops the reading: a piece could not be stored, or nothing more shall come. */
  stop(error: unknown): void;
};

/**
 * Begins to read at once, a chunk ahead. `isBreak`: errors of the body after which
 * what came so far shall count; others are thrown by `next` or by a piece.
 */
export function cutSource(
  source: ByteSource,
  pieceBytes: number,
  isBreak: (error: unknown) => boolean,
): CutBody {
  let pending: Uint8Array | null = null;
  let taken = Promise.withResolvers<void>();
  let changed = Promise.withResolvers<void>();
  let end: { readonly error: unknown } | null = null;
  let broken = false;
  let stopped: { readonly error: unknown } | null = null;

  const finish = (error: unknown) => {
    broken = error !== null && isBreak(error);
    end = { error: broken ? null : error };
    changed.resolve();
  };
  source
    .pump((chunk) => {
      if (stopped !== null) throw stopped.error;
      if (chunk.length === 0) return;
      pending = chunk;
      taken = Promise.withResolvers();
      changed.resolve();
      return taken.promise;
    })
    .then(() => finish(null), finish);

  async function take(): Promise<Uint8Array | null> {
    for (;;) {
      if (pending !== null) {
        const chunk: Uint8Array = pending;
        pending = null;
        taken.resolve();
        return chunk;
      }
      if (end !== null) {
        if (end.error !== null) throw end.error;
        return null;
      }
      changed = Promise.withResolvers();
      await changed.promise;
    }
  }

  let rest: Uint8Array | null = null;
  return {
    async next() {
      rest ??= await take();
      if (rest === null) return null;
      return {
        lengthBytes: null,
        async pump(onChunk) {
          for (let leftBytes = pieceBytes; leftBytes > 0; ) {
            rest ??= await take();
            if (rest === null) return;
            const chunk: Uint8Array = rest.subarray(0, leftBytes);
            rest = chunk.length < rest.length ? rest.subarray(chunk.length) : null;
            leftBytes -= chunk.length;
            await onChunk(chunk);
          }
        },
      };
    },
    isBroken: () => broken,
    stop(error) {
      stopped = { error };
      end ??= { error };
      changed.resolve();
      taken.reject(error);
      taken.promise.catch(() => {});
    },
  };
}
