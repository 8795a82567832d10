// A QR code as rows of dark and light modules: patterns that are always there, the
// bytes in their zigzag, and the mask that is easiest to read. Pure. Source: ISO/IEC
// 18004:2015, 6.3, 7.7 to 7.10
import { codewordsOf, versionFor } from './codewords.ts';
import { penaltyOf } from './penalty.ts';

/** Rows from the top; true is dark. */
export type QrCode = readonly (readonly boolean[])[];

/** A code that is drawn: what is fixed is set apart from data. */
type Drawing = {
  readonly side: number;
  readonly dark: boolean[][];
  readonly isFixed: boolean[][];
};

/** Which modules a mask isFlipped over. Source: table 10 */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];
/** The bits of level M before the mask's. Source: table 12 */
const LEVEL_M = 0b00;

/** The code of a text in level M; null: it is longer than 666 bytes. */
export function qrCode(text: string): QrCode | null {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  if (version === null) return null;

  const plain = drawPatterns(version);
  drawCodewords(plain, codewordsOf(bytes, version));
  const masked = MASKS.map((_, mask) => withMask(plain, mask));
  const penalties = masked.map(penaltyOf);
  return masked[penalties.indexOf(Math.min(...penalties))] ?? null;
}

function drawPatterns(version: number): Drawing {
  const side = version * 4 + 17;
  const rows = () => Array.from({ length: side }, () => new Array<boolean>(side).fill(false));
  const drawing: Drawing = { side, dark: rows(), isFixed: rows() };

  for (let i = 0; i < side; i++) {
    fix(drawing, 6, i, i % 2 === 0);
    fix(drawing, i, 6, i % 2 === 0);
  }
  for (const [row, column] of [
    [3, 3],
    [3, side - 4],
    [side - 4, 3],
  ] as const)
    drawSquares(drawing, row, column, 4);
  const last = side - 7;
  const centres = alignmentCentres(version);
  for (const row of centres) {
    for (const column of centres) {
      const isFinder = (row === 6 || row === last) && (column === 6 || column === last);
      if (!isFinder || (row === last && column === last)) drawSquares(drawing, row, column, 2);
    }
  }
  drawFormat(drawing, 0);
  if (version >= 7) drawVersion(drawing, version);
  return drawing;
}

/** Sets a module that no mask isFlipped over; outside of the code nothing. */
function fix({ side, dark, isFixed }: Drawing, row: number, column: number, isDark: boolean): void {
  const [darkRow, fixedRow] = [dark[row], isFixed[row]];
  if (darkRow === undefined || fixedRow === undefined || column < 0 || column >= side) return;
  darkRow[column] = isDark;
  fixedRow[column] = true;
}

/** Squares in squares: a finder with its light edge (4), or an alignment pattern (2). */
function drawSquares(drawing: Drawing, row: number, column: number, reach: number): void {
  for (let down = -reach; down <= reach; down++) {
    for (let right = -reach; right <= reach; right++) {
      const ring = Math.max(Math.abs(down), Math.abs(right));
      const isLight = ring === 4 || (reach === 4 ? ring === 2 : ring === 1);
      fix(drawing, row + down, column + right, !isLight);
    }
  }
}

/** Where alignment patterns have their centres, in rows and in columns. Source: annex E */
function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = version * 4 + 10;
  const step = Math.ceil((last - 6) / (count - 1) / 2) * 2;
  const centres = [6];
  for (let i = count - 2; i >= 0; i--) centres.push(last - i * step);
  return centres;
}

/** A value with the remainder of its division, in bits. Source: annexes C and D */
function withRemainder(value: number, generator: number, bits: number): number {
  let remainder = value;
  for (let i = 0; i < bits; i++)
    remainder = (remainder << 1) ^ ((remainder >>> (bits - 1)) * generator);
  return (value << bits) | remainder;
}

/** The 15 bits that name level and mask. Source: annex C */
export const formatBits = (mask: number): number =>
  withRemainder((LEVEL_M << 3) | mask, 0x537, 10) ^ 0x5412;

/** The 18 bits that name the version, from 7. Source: annex D */
export const versionBits = (version: number): number => withRemainder(version, 0x1f25, 12);

function drawFormat(drawing: Drawing, mask: number): void {
  const { side } = drawing;
  const bits = formatBits(mask);
  const bit = (i: number) => ((bits >>> i) & 1) === 1;
  for (let i = 0; i < 15; i++) {
    // Beside the upper left finder, past the timing; then beside the other two.
    const near = i < 6 ? i : i < 8 ? i + 1 : 14 - i;
    if (i < 8) fix(drawing, near, 8, bit(i));
    else fix(drawing, 8, i === 8 ? 7 : near, bit(i));
    if (i < 8) fix(drawing, 8, side - 1 - i, bit(i));
    else fix(drawing, side - 15 + i, 8, bit(i));
  }
  fix(drawing, side - 8, 8, true);
}

function drawVersion(drawing: Drawing, version: number): void {
  const bits = versionBits(version);
  for (let i = 0; i < 18; i++) {
    const isDark = ((bits >>> i) & 1) === 1;
    const [far, near] = [drawing.side - 11 + (i % 3), Math.floor(i / 3)];
    fix(drawing, near, far, isDark);
    fix(drawing, far, near, isDark);
  }
}

/** Bits go up and down in columns of two, from the right. Source: 7.7.3 */
function drawCodewords({ side, dark, isFixed }: Drawing, bytes: Uint8Array): void {
  let bit = 0;
  for (let right = side - 1; right >= 1; right -= 2) {
    // The column of the timing is left out.
    if (right === 6) right = 5;
    const isUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < side; step++) {
      const row = isUp ? side - 1 - step : step;
      for (const column of [right, right - 1]) {
        const line = dark[row];
        if (line === undefined || isFixed[row]?.[column] === true) continue;
        line[column] = (((bytes[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1;
        bit++;
      }
    }
  }
}

function withMask({ side, dark, isFixed }: Drawing, mask: number): QrCode {
  const isFlipped = MASKS[mask];
  const rows = dark.map((line, row) =>
    line.map((isDark, column) =>
      isFixed[row]?.[column] === true ? isDark : isDark !== isFlipped?.(row, column),
    ),
  );
  drawFormat({ side, dark: rows, isFixed: isFixed.map((line) => [...line]) }, mask);
  return rows;
}
