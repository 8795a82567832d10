// Names as they can be distinguished: blanks at their ends, controls and marks that turn
// the direction of writing are shown by signs of their own.

import { nameOf } from './selection.ts';

/** What a place is called: its last folder, or its bucket. */
export const placeName = (bucket: string, prefix: string): string =>
  prefix === '' ? bucket : shownName(nameOf(prefix).slice(0, -1));

/** Controls, which Unicode has pictures for. */
const CONTROL = /\p{Cc}/gu;
/** Marks without a width, most of them about the direction of writing. */
const UNSEEN = /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const PICTURE_OF_CONTROL = 0x2400;

const codeOf = (mark: string): string =>
  `⟨U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

const pictureOf = (control: string): string =>
  control < ' ' ? String.fromCharCode(PICTURE_OF_CONTROL + control.charCodeAt(0)) : codeOf(control);

/** The name with what can't be seen made visible. */
export function shownName(name: string): string {
  const inner = name.trim();
  const before = name.length - name.trimStart().length;
  const after = inner === '' ? 0 : name.length - before - inner.length;
  const body = inner.replaceAll('  ', '␣␣').replace(CONTROL, pictureOf).replace(UNSEEN, codeOf);
  return '␣'.repeat(before) + body + '␣'.repeat(after);
}
