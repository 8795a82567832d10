// How hard a QR code is to read for a camera: the four rules by which the mask is
// chosen. Pure. Source: ISO/IEC 18004:2015, 7.8.3
import type { QrCode } from './qr-code.ts';

/** A finder's dark and light, which must not look so anywhere else. */
const FINDER = '1011101';
const FINDER_EDGE = '0000';

/** The sum of all rules; less is better. */
export function penaltyOf(code: QrCode): number {
  const rows = code.map(textOf);
  const columns = code.map((_, at) => textOf(code.map((row) => row[at] === true)));
  const lines = [...rows, ...columns];
  const runs = lines.reduce((sum, line) => sum + runPenalty(line), 0);
  const finders = lines.reduce((sum, line) => sum + finderPenalty(line), 0);
  return runs + finders + squarePenalty(rows) + balancePenalty(rows);
}

const textOf = (line: readonly boolean[]): string =>
  line.map((isDark) => (isDark ? '1' : '0')).join('');

/** Five of a colour in a row cost 3, each more 1. */
function runPenalty(line: string): number {
  const runs = line.match(/0+|1+/g) ?? [];
  return runs.reduce((sum, { length }) => sum + (length < 5 ? 0 : length - 2), 0);
}

/** What looks like a finder, with light before or behind, costs 40. */
function finderPenalty(line: string): number {
  let sum = 0;
  for (let at = line.indexOf(FINDER); at >= 0; at = line.indexOf(FINDER, at + 1)) {
    const before = line.slice(Math.max(0, at - 4), at);
    const behind = line.slice(at + FINDER.length, at + FINDER.length + 4);
    if (before === FINDER_EDGE) sum += 40;
    if (behind === FINDER_EDGE) sum += 40;
  }
  return sum;
}

/** Each square of two by two of one colour costs 3. */
function squarePenalty(rows: readonly string[]): number {
  let sum = 0;
  for (let row = 1; row < rows.length; row++) {
    const [above = '', line = ''] = [rows[row - 1], rows[row]];
    for (let at = 1; at < line.length; at++) {
      const isOne =
        line[at] === line[at - 1] && line[at] === above[at] && line[at] === above[at - 1];
      if (isOne) sum += 3;
    }
  }
  return sum;
}

/** Each 5 % away from a half that is dark costs 10. */
function balancePenalty(rows: readonly string[]): number {
  const all = rows.join('');
  const dark = all.replaceAll('0', '').length;
  return Math.floor(Math.abs(dark / all.length - 0.5) * 20) * 10;
}
