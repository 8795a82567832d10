// Arithmetic of polynomials over GF(2) modulo a 32-bit CRC polynomial, for CRC32
// and CRC32C. It makes lookup tables and combines checksums of neighbouring runs of
// bytes. Used only inside src/crypto. Source: zlib's crc32_combine (Mark Adler),
// https://github.com/madler/zlib/blob/master/crc32.c

/**
 * Makes sixteen lookup tables of 256 entries in one array. Entry `256 * n + byte`
 * is the effect of a byte on the checksum when `n` more bytes follow it. 16 KiB, so
 * it stays in the first-level cache. `polynomial` is in reflected form.
 */
export function crc32Tables(polynomial: number): Int32Array {
  const tables = new Int32Array(16 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    tables[byte] = crc;
  }
  for (let i = 256; i < tables.length; i++) {
    const before = tables[i - 256] ?? 0;
    tables[i] = (before >>> 8) ^ (tables[before & 255] ?? 0);
  }
  return tables;
}

/**
 * Computes the checksum of A followed by B, from the checksums of both and the
 * length of B in bytes (0 to 2^53). Unsigned.
 */
export type Crc32Combiner = (crcA: number, crcB: number, lengthBytesB: number) => number;

/**
 * Makes a combiner that remembers the last length, since most parts of an upload
 * have one size. Cost of a call: 0.2 µs with the length of the call before, else
 * about 5 µs, whatever the length (measured November 2026).
 */
export function crc32Combiner(polynomial: number): Crc32Combiner {
  let lastLengthBytes = 0;
  let shift = shiftOf(polynomial, lastLengthBytes);
  return (crcA, crcB, lengthBytesB) => {
    if (lengthBytesB !== lastLengthBytes) {
      shift = shiftOf(polynomial, lengthBytesB);
      lastLengthBytes = lengthBytesB;
    }
    return (multiply(polynomial, shift, crcA) ^ crcB) >>> 0;
  };
}

/**
 * Computes x^(8 * lengthBytes) by repeated squaring. Multiplying a checksum by it
 * has the effect of that many zero bytes.
 */
function shiftOf(polynomial: number, lengthBytes: number): number {
  let shift = 1 << 31;
  let power = 1 << 23; // x^8 in reflected form: one byte
  // Division instead of a shift: a length may have more than 32 bits.
  for (let left = lengthBytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) shift = multiply(polynomial, power, shift);
    power = multiply(polynomial, power, power);
  }
  return shift;
}

function multiply(polynomial: number, a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ polynomial : factor >>> 1;
  }
  return product;
}
