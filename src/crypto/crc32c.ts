// CRC-32C (Castagnoli), sixteen bytes a step, since neither platform has it in
// native code. Called by checksum-algorithms.ts for each chunk of a body. The
// result of a call is the state for the next.
import { type Crc32Combiner, crc32Combiner, crc32Tables } from './crc32-polynomial.ts';

const POLYNOMIAL = 0x82f63b78;
const TABLES = crc32Tables(POLYNOMIAL);

/**
 * Computes the checksum of the bytes so far and `data` after them: pass each result
 * to the next call. Unsigned 32 bits. Cost: 1.4 GB/s where zlib's CRC32 did 4
 * (measured November 2026).
 */
export function crc32c(data: Uint8Array, crcSoFar = 0): number {
  const t = TABLES;
  const length = data.length;
  // A DataView reads words at any offset, in a fixed byte order, as fast as an
  // aligned Int32Array.
  const view = new DataView(data.buffer, data.byteOffset, length);
  let crc = ~crcSoFar;
  let i = 0;
  for (const end = length - 15; i < end; i += 16) {
    const a = view.getInt32(i, true) ^ crc;
    const b = view.getInt32(i + 4, true);
    const c = view.getInt32(i + 8, true);
    const d = view.getInt32(i + 12, true);
    // Slicing by 16: each byte goes to the table of its distance from the end of
    // the step. `as number`: the index has 8 bits above a multiple of 256 below
    // 4,096, so it is never outside, and the loop needs no check of its own.
    crc =
      (t[3840 | (a & 255)] as number) ^
      (t[3584 | ((a >>> 8) & 255)] as number) ^
      (t[3328 | ((a >>> 16) & 255)] as number) ^
      (t[3072 | (a >>> 24)] as number) ^
      (t[2816 | (b & 255)] as number) ^
      (t[2560 | ((b >>> 8) & 255)] as number) ^
      (t[2304 | ((b >>> 16) & 255)] as number) ^
      (t[2048 | (b >>> 24)] as number) ^
      (t[1792 | (c & 255)] as number) ^
      (t[1536 | ((c >>> 8) & 255)] as number) ^
      (t[1280 | ((c >>> 16) & 255)] as number) ^
      (t[1024 | (c >>> 24)] as number) ^
      (t[768 | (d & 255)] as number) ^
      (t[512 | ((d >>> 8) & 255)] as number) ^
      (t[256 | ((d >>> 16) & 255)] as number) ^
      (t[d >>> 24] as number);
  }
  for (; i < length; i++) crc = (crc >>> 8) ^ (t[(crc ^ (data[i] as number)) & 255] as number);
  return ~crc >>> 0;
}

/** Creates a combiner for many parts; see crc32-polynomial.ts. */
export function createCrc32cCombiner(): Crc32Combiner {
  return crc32Combiner(POLYNOMIAL);
}
