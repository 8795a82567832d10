// Reads a QR code back, written apart from the encoder: the format by the list of the standard, the
// fixed patterns by their description, blocks proved by their syndromes. Source: ISO/IEC 18004:2015
import type { QrCode } from '../../../../../src/http/links/page/qr/qr-code.ts';

/** Format information of level M by mask, without the mask of annex C undone. Source: annex C */
const FORMATS_M = [
  0b101010000010010, 0b101000100100101, 0b101111001111100, 0b101101101001011, 0b100010111111001,
  0b100000011001110, 0b100111110010111, 0b100101010100000,
];
/** Centres of alignment patterns by version. Source: annex E */
const CENTRES: readonly (readonly number[])[] = [
  [],
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
  [6, 30, 54],
  [6, 32, 58],
  [6, 34, 62],
  [6, 26, 46, 66],
  [6, 26, 48, 70],
  [6, 26, 50, 74],
  [6, 30, 54, 78],
  [6, 30, 56, 82],
  [6, 30, 58, 86],
  [6, 34, 62, 90],
];
/** Blocks of level M by version: bytes of correction, then count and data bytes. Source: table 9 */
const BLOCKS_M: Readonly<Record<number, readonly [number, ...(readonly [number, number])[]]>> = {
  1: [10, [1, 16]],
  2: [16, [1, 28]],
  3: [26, [1, 44]],
  4: [18, [2, 32]],
  5: [24, [2, 43]],
  6: [16, [4, 27]],
  7: [18, [4, 31]],
  8: [22, [2, 38], [2, 39]],
  9: [22, [3, 36], [2, 37]],
  10: [26, [4, 43], [1, 44]],
  13: [22, [8, 37], [1, 38]],
  15: [24, [5, 41], [5, 42]],
  20: [26, [3, 41], [13, 42]],
};

export function readQr(code: QrCode): { readonly version: number; readonly text: string } {
  const side = code.length;
  const version = (side - 17) / 4;
  const at = (row: number, column: number) => (code[row]?.[column] === true ? 1 : 0);

  const upper = [...[0, 1, 2, 3, 4, 5, 7, 8].map((column) => at(8, column))];
  const left = [7, 5, 4, 3, 2, 1, 0].map((row) => at(row, 8));
  const format = Number.parseInt([...upper, ...left].join(''), 2);
  const mask = FORMATS_M.indexOf(format);
  const lower = [1, 2, 3, 4, 5, 6, 7].map((up) => at(side - up, 8));
  const right = [8, 7, 6, 5, 4, 3, 2, 1].map((back) => at(8, side - back));
  if (Number.parseInt([...lower, ...right].join(''), 2) !== format || mask < 0)
    throw new Error(`The format is none: ${format.toString(2)}`);

  const bits: number[] = [];
  let isUp = true;
  for (let column = side - 1; column > 0; column -= column === 8 ? 3 : 2) {
    for (let i = 0; i < side; i++) {
      const row = isUp ? side - 1 - i : i;
      for (const x of [column, column - 1])
        if (!isPattern(row, x, version)) bits.push(at(row, x) ^ (isTurned(mask, row, x) ? 1 : 0));
    }
    isUp = !isUp;
  }
  const bytes = Array.from({ length: bits.length >> 3 }, (_, i) =>
    Number.parseInt(bits.slice(i * 8, i * 8 + 8).join(''), 2),
  );
  return { version, text: textOf(dataOf(bytes, version), version) };
}

function isPattern(y: number, x: number, version: number): boolean {
  const side = version * 4 + 17;
  if (x === 6 || y === 6) return true;
  if ((x < 9 && y < 9) || (x < 9 && y >= side - 8) || (x >= side - 8 && y < 9)) return true;
  if (version >= 7 && ((x < 6 && y >= side - 11) || (y < 6 && x >= side - 11))) return true;
  const centres = CENTRES[version] ?? [];
  const last = side - 7;
  return centres.some((cy) =>
    centres.some((cx) => {
      const isCorner =
        (cy === 6 && cx === 6) || (cy === 6 && cx === last) || (cy === last && cx === 6);
      return !isCorner && Math.abs(cy - y) <= 2 && Math.abs(cx - x) <= 2;
    }),
  );
}

/** Source: table 10 */
function isTurned(mask: number, i: number, j: number): boolean {
  const values = [
    (i + j) % 2,
    i % 2,
    j % 3,
    (i + j) % 3,
    (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
    ((i * j) % 2) + ((i * j) % 3),
    (((i * j) % 2) + ((i * j) % 3)) % 2,
    (((i * j) % 3) + ((i + j) % 2)) % 2,
  ];
  return values[mask] === 0;
}

/** Logarithms and powers of the field, by its table. */
const POWERS: number[] = [1];
for (let i = 1; i < 255; i++) {
  const next = (POWERS[i - 1] ?? 0) * 2;
  POWERS.push(next > 255 ? next ^ 285 : next);
}
const times = (a: number, b: number) =>
  a === 0 || b === 0 ? 0 : (POWERS[(POWERS.indexOf(a) + POWERS.indexOf(b)) % 255] ?? 0);

function dataOf(bytes: readonly number[], version: number): number[] {
  const [correction = 0, ...groups] = BLOCKS_M[version] ?? [];
  const sizes = groups.flatMap(([count, size]) => new Array<number>(count).fill(size));
  const blocks: number[][] = sizes.map(() => []);
  let at = 0;
  for (let i = 0; i < Math.max(...sizes); i++)
    for (const [n, size] of sizes.entries()) if (i < size) blocks[n]?.push(bytes[at++] ?? -1);
  const whole = blocks.map((block) => [...block]);
  for (let i = 0; i < correction; i++) for (const block of whole) block.push(bytes[at++] ?? -1);
  for (const block of whole)
    for (let i = 0; i < correction; i++) {
      const sum = block.reduce((value, byte) => times(value, POWERS[i] ?? 0) ^ byte, 0);
      if (sum !== 0) throw new Error('A block has a wrong correction');
    }
  return blocks.flat();
}

function textOf(data: readonly number[], version: number): string {
  const bits = data.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  if (!bits.startsWith('0100')) throw new Error('It is not in byte mode');
  const start = version < 10 ? 12 : 20;
  const length = Number.parseInt(bits.slice(4, start), 2);
  const bytes = Array.from({ length }, (_, i) =>
    Number.parseInt(bits.slice(start + i * 8, start + i * 8 + 8), 2),
  );
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
