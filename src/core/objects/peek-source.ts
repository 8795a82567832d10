import { joinBytes } from '../../crypto/join-bytes.ts';
import type { ByteSource } from '../../ports/byte-source.ts';

type Sink = (chunk: Uint8Array) => void | Promise<void>;

/**
 * Looks into a body whose length nobody said: its bytes when there are at most `maxBytes`, else a
 * source that delivers everything from the start. That one must be pumped, or the body stays where
 * it is.
 */
export function peekSource(source: ByteSource, maxBytes: number): Promise<Uint8Array | ByteSource> {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let live: Sink | null = null;
  let giveSink: (sink: Sink) => void = () => {};
  const given = new Promise<Sink>((give) => {
    giveSink = give;
  });
  return new Promise((resolve, reject) => {
    const finished = source.pump(async (chunk) => {
      if (live !== null) return live(chunk);
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes <= maxBytes) return;
      resolve({
        lengthBytes: null,
        pump(onChunk) {
          giveSink(onChunk);
          return finished;
        },
      });
      const sink = await given;
      for (const early of held.splice(0)) await sink(early);
      live = sink;
    });
    finished.then(() => resolve(joinBytes(held, heldBytes)), reject);
  });
}
