// The four rules by which a mask is chosen, each on patterns whose sum can be counted by hand.
import { expect, it } from 'vitest';
import { penaltyOf } from '../../../../../src/http/links/page/qr/penalty.ts';

const codeOf = (rows: readonly string[]) =>
  rows.map((row) => Array.from(row, (module) => module === '#'));

it.each<[string, number, readonly string[]]>([
  ['nothing', 0, ['#.#.', '.#.#', '#.#.', '.#.#']],
  // Half is dark; one square of each colour.
  ['two squares', 6, ['##..', '##..', '.#.#', '#.#.']],
  // All dark: ten lines of five at 3, sixteen squares at 3, and ten steps from a half.
  ['one colour', 10 * 3 + 16 * 3 + 100, Array.from({ length: 5 }, () => '#####')],
  // Six in each of twelve lines cost 4; twenty-five squares; all light is as far from a half.
  ['a longer run', 12 * 4 + 25 * 3 + 100, Array.from({ length: 6 }, () => '......')],
  // 9 of 16 are dark, 6.25 % beyond a half: one step. And one square.
  ['five per cent', 10 + 3, ['##.#', '##.#', '..#.', '#.#.']],
])('the penalty of a code is that of %s', (_, penalty, rows) => {
  expect(penaltyOf(codeOf(rows))).toBe(penalty);
});

/** Alternating modules of so many lines, in which the middle one is replaced. */
function around(line: string): string[] {
  const rows = Array.from({ length: line.length }, (_, row) =>
    Array.from({ length: line.length }, (_, at) => ((row + at) % 2 === 0 ? '#' : '.')).join(''),
  );
  rows[Math.floor(line.length / 2)] = line;
  return rows;
}

it.each([
  ['.#.#.#.#.#.', 0],
  ['....#.###.#', 40],
  ['#.###.#....', 40],
  ['#...#.###.#', 0],
  ['....#.###.#....', 80],
  ['#.###.#.###.#....', 40],
])('the penalty counts what looks like a finder with light beside it: %s', (line, cost) => {
  // All other rules are about runs, squares and balance, and so as they are for other lines.
  const turned = codeOf(around(line));
  const broken = codeOf(around(line)).map((row) => row.map((isDark) => !isDark));
  expect(penaltyOf(turned) - penaltyOf(broken)).toBe(cost);
});
