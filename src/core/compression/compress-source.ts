// Compression of plain bytes to a blob: each frame as it fills, then the seek
// table. Every frame is decompressed again and compared before it is written,
// because the plain bytes will be deleted. Called by compress-version.ts.
import { encodeSeekTable } from '../../crypto/seek-table.ts';
import { compressFrame, decompressFrame } from '../../crypto/zstd-frames.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ByteSource } from '../../ports/byte-source.ts';

/**
 * Compresses what `source` delivers, at least one byte; the length is known at the
 * end only. Keeps one frame in memory. `onPlain` receives the plain bytes, and what
 * it throws ends the pump. InternalError: a frame does not decompress to its bytes.
 */
export function compressSource(
  source: ByteSource,
  { frameBytes, level }: { readonly frameBytes: number; readonly level: number },
  onPlain: (plain: Uint8Array) => void,
): ByteSource {
  return {
    lengthBytes: null,
    async pump(onChunk) {
      const frame = new Uint8Array(frameBytes);
      const compressedBytes: number[] = [];
      let filled = 0;
      let plainBytes = 0;

      async function writeFrame(): Promise<void> {
        const plain = frame.subarray(0, filled);
        const compressed = await compressFrame(plain, level);
        const decompressed = await decompressFrame(compressed, filled);
        if (decompressed === null || !isEqual(decompressed, plain)) {
          throw new StorageError('InternalError', {
            detail: 'A frame does not decompress to its bytes.',
          });
        }
        compressedBytes.push(compressed.length);
        filled = 0;
        await onChunk(compressed);
      }

      await source.pump(async (chunk) => {
        onPlain(chunk);
        plainBytes += chunk.length;
        for (let at = 0; at < chunk.length; ) {
          const piece = chunk.subarray(at, at + frameBytes - filled);
          frame.set(piece, filled);
          filled += piece.length;
          at += piece.length;
          if (filled === frameBytes) await writeFrame();
        }
      });
      if (filled > 0) await writeFrame();
      await onChunk(encodeSeekTable(compressedBytes, { frameBytes, plainBytes }));
    },
  };
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
