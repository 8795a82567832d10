// Looks into a body of undeclared length before it is decided where its bytes go.
// Called by write-body.ts.
import { joinBytes } from '../../crypto/join-bytes.ts';
import type { ByteSource } from '../../ports/byte-source.ts';

type Sink = (chunk: Uint8Array) => void | Promise<void>;

/**
 * Reads the start of a body of undeclared length. Returns its bytes when there are
 * at most `maxBytes`, else a source that delivers everything from the start. That
 * source must be pumped, or the body is never read to its end.
 */
export function peekSource(source: ByteSource, maxBytes: number): Promise<Uint8Array | ByteSource> {
  const early: Uint8Array[] = [];
  let earlyBytes = 0;
  let live: Sink | null = null;
  const sinkGiven = Promise.withResolvers<Sink>();

  return new Promise((resolve, reject) => {
    const finished = source.pump(async (chunk) => {
      if (live !== null) return live(chunk);
      early.push(chunk);
      earlyBytes += chunk.length;
      if (earlyBytes <= maxBytes) return;

      resolve({
        lengthBytes: null,
        pump(onChunk) {
          sinkGiven.resolve(onChunk);
          return finished;
        },
      });
      // Backpressure: the source waits here until somebody pumps.
      const sink = await sinkGiven.promise;
      for (const piece of early.splice(0)) await sink(piece);
      live = sink;
    });
    finished.then(() => resolve(joinBytes(early, earlyBytes)), reject);
  });
}
