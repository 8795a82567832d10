// CRC-64/NVME in steps of eight bytes on two 32-bit halves: no platform has it, and
// BigInt is fifteen times slower. The result of a call is the state for the next.
// Source: NVM Express NVM Command Set Specification 1.0b, section 5.2.1.3.4

/** Two signed halves, high first. */
export type Crc64 = readonly [high: number, low: number];

export const CRC64_OF_NOTHING: Crc64 = [0, 0];

/** 0xad93d23594c93659, reflected. */
const POLYNOMIAL_HIGH = 0x9a6c9329 | 0;
const POLYNOMIAL_LOW = 0xac4bc9b5 | 0;
/** Bytes of a step; each has a table of its own. */
const STEP = 8;

type Tables = readonly [high: Int32Array, low: Int32Array];

function makeTables(): Tables {
  const high = new Int32Array(256 * STEP);
  const low = new Int32Array(256 * STEP);
  for (let at = 0; at < high.length; at++) {
    let h = at < 256 ? 0 : (high[at - 256] as number);
    let l = at < 256 ? at : (low[at - 256] as number);
    for (let bit = 0; bit < 8; bit++) {
      const carry = l & 1;
      l = (l >>> 1) | (h << 31);
      h >>>= 1;
      if (carry === 1) {
        h ^= POLYNOMIAL_HIGH;
        l ^= POLYNOMIAL_LOW;
      }
    }
    high[at] = h;
    low[at] = l;
  }
  return [high, low];
}

/**
 * Makes a function that adds bytes to a checksum. Cost: 32 KiB of tables, made
 * once.
 */
export function createCrc64(): (data: Uint8Array, before?: Crc64) => Crc64 {
  const [high, low] = makeTables();
  return (data, [highBefore, lowBefore] = CRC64_OF_NOTHING) => {
    let h = ~highBefore;
    let l = ~lowBefore;
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    let at = 0;
    for (const end = data.length - STEP + 1; at < end; at += STEP) {
      const first = view.getInt32(at, true) ^ l;
      const second = view.getInt32(at + 4, true) ^ h;
      h = 0;
      l = 0;
      for (let byte = 0; byte < 4; byte++) {
        const [a, b] = [(first >>> (8 * byte)) & 255, (second >>> (8 * byte)) & 255];
        const [i, k] = [((7 - byte) << 8) | a, ((3 - byte) << 8) | b];
        h ^= (high[i] as number) ^ (high[k] as number);
        l ^= (low[i] as number) ^ (low[k] as number);
      }
    }
    for (; at < data.length; at++) {
      const index = (l ^ (data[at] as number)) & 255;
      l = ((l >>> 8) | (h << 24)) ^ (low[index] as number);
      h = (h >>> 8) ^ (high[index] as number);
    }
    return [~h, ~l];
  };
}

/** A checksum as S3 writes it: base64, the highest byte first. */
export function crc64Text([high, low]: Crc64): string {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setInt32(0, high);
  bytes.setInt32(4, low);
  return btoa(String.fromCharCode(...new Uint8Array(bytes.buffer)));
}
