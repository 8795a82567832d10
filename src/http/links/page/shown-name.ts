// Names of files as strangers can tell them apart: a mark that turns the direction of
// writing would make `exe.gpj` of a program look like a picture. Linear in the length.
import { type Element, h } from './element.ts';

/** Controls, which Unicode has pictures for. */
const CONTROL = /\p{Cc}/gu;
/** Marks without a width, most of them about the direction of writing. */
const UNSEEN = /[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const PICTURE_OF_CONTROL = 0x2400;
/** Longest name that is shown whole, characters: about three lines of a phone. */
const NAME_MAX_LENGTH = 120;
/** What stays at the end of a longer one, with the ending. */
const TAIL_LENGTH = 24;
/** Longest tooltip, characters: the whole of a key of S3, 1,024 bytes, and no more. */
const TOOLTIP_MAX_LENGTH = 1024;

const codeOf = (mark: string): string =>
  `⟨U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

const pictureOf = (control: string): string =>
  control < ' ' ? String.fromCharCode(PICTURE_OF_CONTROL + control.charCodeAt(0)) : codeOf(control);

/** The text with controls and unseen marks made visible, in one line. */
export const visibleText = (text: string): string =>
  text.replace(CONTROL, pictureOf).replace(UNSEEN, codeOf);

/** A name that fits a line of text: its middle is cut where it is long. */
export function shortName(name: string): string {
  const letters = [...name.slice(0, NAME_MAX_LENGTH * 2), ...name.slice(-TAIL_LENGTH * 2)];
  if (name.length <= NAME_MAX_LENGTH) return visibleText(name);
  const head = letters.slice(0, NAME_MAX_LENGTH - TAIL_LENGTH - 1).join('');
  return visibleText(`${head}…${letters.slice(-TAIL_LENGTH).join('')}`);
}

/** A name beside other text: its direction is its own, and the whole is its tooltip. */
export function nameElement(name: string): Element {
  const short = shortName(name);
  const title =
    name.length > NAME_MAX_LENGTH ? visibleText(name.slice(0, TOOLTIP_MAX_LENGTH)) : undefined;
  return h('bdi', { class: 'name', title }, short);
}
