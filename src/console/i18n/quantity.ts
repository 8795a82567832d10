// Quantities and labels of a bill in words that people use: `113 requests` for 0.000113 million.
import { language } from '../app/preferences.ts';
import { count } from './format.ts';

type Words = {
  readonly requests: (count: number, text: string) => string;
  /** A size that was stored for a month. */
  readonly forMonth: (size: string) => string;
};

/** How many one unit of a rate card is, where it counts. */
const COUNTED: Readonly<Record<string, number>> = {
  thousand: 1000,
  'ten thousand': 10_000,
  million: 1_000_000,
};
const SIZE = /^([TGMk])B(-month)?$/;
const SIZES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
const STEP = 1000;

/** Three digits, and none after the point from a hundred on. */
function digits(value: number): string {
  if (Math.abs(value) >= 100) return count(Math.round(value));
  const tag = language.value === 'zh' ? 'zh-CN' : 'en';
  return new Intl.NumberFormat(tag, { maximumSignificantDigits: 3 }).format(value);
}

/** The size in the unit that it is usually said in; steps are those of the bill's own unit. */
function sizeText(value: number, unit: string): string {
  let at = SIZES.indexOf(unit);
  let size = value;
  for (; at > 0 && Math.abs(size) < 1; at--) size *= STEP;
  for (; at < SIZES.length - 1 && Math.abs(size) >= STEP; at++) size /= STEP;
  return `${digits(at === 0 ? Math.round(size) : size)} ${SIZES[at]}`;
}

/** What a line of the bill counts, by the unit of its rate card. */
export function quantity(units: string, unit: string, words: Words): string {
  const number = Number(units);
  const each = COUNTED[unit];
  if (each !== undefined) {
    const whole = Math.round(number * each);
    return words.requests(whole, count(whole));
  }
  const [, letter, perMonth] = SIZE.exec(unit) ?? [];
  if (letter === undefined) return `${digits(number)} ${unit}`;
  const size = sizeText(number, `${letter}B`);
  return perMonth === undefined ? size : words.forMonth(size);
}

/**
 * A label of the bill in the reader's language: known words alone are changed, for what an operator
 * wrote into a rate card of their own stays as it is.
 */
export function billLabel(label: string, words: Readonly<Record<string, string>>): string {
  return knownLabel(label, words) ?? label;
}

function knownLabel(label: string, words: Readonly<Record<string, string>>): string | null {
  if (Object.hasOwn(words, label)) return words[label] ?? null;
  // `Storage, Standard, saved by compression`: what it is, of which class, why.
  const cut = label.lastIndexOf(', ');
  if (cut === -1) return null;
  const [first, last] = [label.slice(0, cut), label.slice(cut + 2)];
  const begin = knownLabel(first, words);
  return begin === null || !Object.hasOwn(words, last) ? null : `${begin}，${words[last]}`;
}
