// Plain bytes on their way into a packed blob: each frame as it fills, then the seek table. Every
// frame is opened again and compared before it is given on, for the bytes that it stands for will
// be deleted.
import { encodeSeekTable } from '../../crypto/seek-table.ts';
import { compressFrame, decompressFrame } from '../../crypto/zstd-frames.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ByteSource } from '../../ports/byte-source.ts';

/**
 * The packed bytes of what `source` delivers, which must be more than none; how many is known at
 * the end only. Holds one frame. `onPlain` hears of the plain bytes, and what it throws ends the
 * pump. InternalError: a frame does not open as it should.
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

      async function give(): Promise<void> {
        const plain = frame.subarray(0, filled);
        const packed = await compressFrame(plain, level);
        const opened = await decompressFrame(packed, filled);
        if (opened === null || !isSame(opened, plain)) {
          throw new StorageError('InternalError', {
            detail: 'A frame does not open as it was packed.',
          });
        }
        compressedBytes.push(packed.length);
        filled = 0;
        await onChunk(packed);
      }

      await source.pump(async (chunk) => {
        onPlain(chunk);
        plainBytes += chunk.length;
        for (let at = 0; at < chunk.length; ) {
          const piece = chunk.subarray(at, at + frameBytes - filled);
          frame.set(piece, filled);
          filled += piece.length;
          at += piece.length;
          if (filled === frameBytes) await give();
        }
      });
      if (filled > 0) await give();
      await onChunk(encodeSeekTable(compressedBytes, { frameBytes, plainBytes }));
    },
  };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
