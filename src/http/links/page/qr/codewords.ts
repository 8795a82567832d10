// The bytes of a QR code: a text in byte mode, padded, split into blocks, each with
// its error correction at level M (15 % may be lost), interleaved. Pure. Source:
// ISO/IEC 18004:2015, 7.4 to 7.6
import { createCorrection } from './reed-solomon.ts';

/** Bytes of correction of a block, by version from 1; level M. Source: table 9 */
const CORRECTION_BYTES = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
] as const;
/** Blocks, by version from 1; level M. Source: table 9 */
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16] as const;
/** The largest version made here; it has 666 bytes for text, links have 350 at most. */
const VERSION_MAX = 20;
const BYTE_MODE = 0b0100;
/** What fills the rest, by turns. */
const PADDING = [0xec, 0x11] as const;

/** Modules of a version that carry data, correction with them. Source: table 1 */
export function dataModules(version: number): number {
  const side = version * 4 + 17;
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2;
  // Finders with their edges and format, timing, the dark module.
  let fixed = 3 * 64 + 2 * 15 + 1 + 2 * (side - 16);
  // Alignment patterns, less where they lie on the timing and in the finders' corners.
  if (version > 1) fixed += (alignments ** 2 - 3) * 25 - (alignments - 2) * 10;
  if (version >= 7) fixed += 36;
  return side ** 2 - fixed;
}

/** Bits that say how long the text is. Source: table 3 */
const lengthBits = (version: number): number => (version < 10 ? 8 : 16);

const correctionOf = (version: number): number => CORRECTION_BYTES[version - 1] ?? 0;
const blocksOf = (version: number): number => BLOCKS[version - 1] ?? 1;

/** Bytes that are left for the text's bits. */
const capacityOf = (version: number): number =>
  Math.floor(dataModules(version) / 8) - correctionOf(version) * blocksOf(version);

/** The smallest version for so many bytes of text; null: it is too long. */
export function versionFor(textBytes: number): number | null {
  for (let version = 1; version <= VERSION_MAX; version++) {
    const bits = 4 + lengthBits(version) + textBytes * 8;
    if (bits <= capacityOf(version) * 8) return version;
  }
  return null;
}

/** All bytes of the code in the order in which they are drawn. */
export function codewordsOf(text: Uint8Array, version: number): Uint8Array {
  const correct = createCorrection(correctionOf(version));
  const blocks = splitBlocks(padded(text, version), blocksOf(version));
  const corrections = blocks.map(correct);
  return Uint8Array.from([...interleave(blocks), ...interleave(corrections)]);
}

/** Mode, length and text as bits, then padding up to the capacity. */
function padded(text: Uint8Array, version: number): Uint8Array {
  const bytes = new Uint8Array(capacityOf(version));
  let bit = 0;
  const append = (value: number, count: number) => {
    for (let i = count - 1; i >= 0; i--, bit++) {
      const at = bit >>> 3;
      bytes[at] = (bytes[at] ?? 0) | (((value >>> i) & 1) << (7 - (bit & 7)));
    }
  };
  append(BYTE_MODE, 4);
  append(text.length, lengthBits(version));
  for (const byte of text) append(byte, 8);
  // The terminator is four zeros or what is left, then zeros up to a whole byte.
  const end = Math.ceil(Math.min(bit + 4, bytes.length * 8) / 8);
  for (let at = end; at < bytes.length; at++) bytes[at] = PADDING[(at - end) % 2] ?? 0;
  return bytes;
}

/** Blocks of like length; the last ones have a byte more where it does not divide. */
function splitBlocks(bytes: Uint8Array, count: number): Uint8Array[] {
  const short = Math.floor(bytes.length / count);
  const shortCount = count - (bytes.length % count);
  const blocks: Uint8Array[] = [];
  let start = 0;
  for (let i = 0; i < count; i++) {
    const end = start + short + (i < shortCount ? 0 : 1);
    blocks.push(bytes.subarray(start, end));
    start = end;
  }
  return blocks;
}

/** The first byte of each block, then the second of each, and so on. */
function interleave(blocks: readonly Uint8Array[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length));
  const bytes: number[] = [];
  for (let i = 0; i < longest; i++) {
    for (const block of blocks) if (i < block.length) bytes.push(block[i] ?? 0);
  }
  return bytes;
}
