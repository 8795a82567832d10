// Names of dropped files: what a sender may call a file, and the key that the
// owner's template makes of it. Pure; linear in the length of the names.
import type { DropFields } from './drop-link.ts';
import {
  DROP_DEPTH_MAX,
  DROP_NAME_MAX_BYTES,
  DROP_PATH_MAX_BYTES,
  DROP_TEMPLATE_MAX_LENGTH,
} from './link-limits.ts';

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

/**
 * Characters that no name has: controls, line ends, and marks that make a text look
 * like another (bidirectional overrides and isolates, zero-width ones).
 * Source: https://www.unicode.org/reports/tr36/ section 2.5
 */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u206f\ufeff]/;

/**
 * The path of a file as its sender has it, with `/` between folders; null for one
 * that no key may be made of: empty, too long or deep, with `..`, controls, or text
 * that reads backwards.
 */
export function parseDropPath(text: string): string | null {
  if (text.length > DROP_PATH_MAX_BYTES || !text.isWellFormed() || FORBIDDEN.test(text))
    return null;
  const names = text
    .replaceAll('\\', '/')
    .split('/')
    .map((name) => name.normalize('NFC').trim())
    .filter((name) => name !== '' && name !== '.');
  if (names.length === 0 || names.length > DROP_DEPTH_MAX + 1) return null;
  if (names.some((name) => name === '..' || bytesOf(name) > DROP_NAME_MAX_BYTES)) return null;
  const path = names.join('/');
  return bytesOf(path) <= DROP_PATH_MAX_BYTES ? path : null;
}

/** Whether a text of a field holds nothing that a page or a mail would trip over. */
export function isFieldText(text: string): boolean {
  return text.isWellFormed() && !FORBIDDEN.test(text.replaceAll('\n', ''));
}

const PLACEHOLDERS = ['date', 'time', 'sender', 'mail', 'name', 'file'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];
const PLACEHOLDER = /\{([a-z]{1,16})\}/g;

/**
 * What is wrong with a template; null: nothing. It ends in the file's name, so that
 * no two files are meant to have one key.
 */
export function problemOfTemplate(template: string): string | null {
  if (template.length > DROP_TEMPLATE_MAX_LENGTH) return 'is too long';
  if (!template.endsWith('{name}') && !template.endsWith('{file}'))
    return 'must end in {name} or {file}';
  const rest = template.replace(PLACEHOLDER, (whole, name: string) =>
    PLACEHOLDERS.includes(name as Placeholder) ? '' : whole,
  );
  if (/[{}]/.test(rest))
    return `may have ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')} only`;
  const isPath = parseDropPath(template) === template;
  return isPath ? null : 'must be a path without empty names, .. and control characters';
}

/** What a template is filled with. */
export type TemplateFacts = {
  readonly path: string;
  readonly fields: DropFields;
  readonly senderId: string;
  readonly nowMs: number;
};

/** The name of a file below the prefix. */
export function fillTemplate(template: string, facts: TemplateFacts): string {
  const [date = '', time = ''] = new Date(facts.nowMs).toISOString().split('T');
  const values: Readonly<Record<Placeholder, string>> = {
    date,
    time: time.slice(0, 8).replaceAll(':', ''),
    sender: segmentOf(facts.fields.name) || `sender-${facts.senderId.slice(0, 8)}`,
    mail: segmentOf(facts.fields.mail) || `sender-${facts.senderId.slice(0, 8)}`,
    name: facts.path,
    file: facts.path.slice(facts.path.lastIndexOf('/') + 1),
  };
  return template.replace(
    PLACEHOLDER,
    (whole, name: string) => values[name as Placeholder] ?? whole,
  );
}

/** Longest text of a field in a key, characters: 4 bytes each at most. */
const SEGMENT_MAX_LENGTH = 50;

/** A text of a field as one name of a path; '' where nothing is left of it. */
function segmentOf(text: string): string {
  const signs = [...text.normalize('NFC').replaceAll(/[/\\\n]/g, '-')];
  const cut = signs.slice(0, SEGMENT_MAX_LENGTH).join('').trim();
  return /^\.*$/.test(cut) ? '' : cut;
}

/** Longest ending that stays where a key is cut, bytes of UTF-8; a longer one is no ending. */
const ENDING_MAX_BYTES = 32;

/**
 * The key with a number before its ending: `a (2).txt`; 1 is the key itself. What has
 * no room in `maxBytes` of UTF-8 is cut off before the number, by whole characters.
 */
export function numberedKey(key: string, mark: number | string, maxBytes: number): string {
  if (mark === 1) return key;
  const nameAt = key.lastIndexOf('/') + 1;
  const dotAt = key.lastIndexOf('.');
  const isEnding = dotAt > nameAt && bytesOf(key.slice(dotAt)) <= ENDING_MAX_BYTES;
  const at = isEnding ? dotAt : key.length;
  const end = ` (${mark})${key.slice(at)}`;
  return cutTo(key.slice(0, at), maxBytes - bytesOf(end)) + end;
}

/** The beginning of a text that has so many bytes of UTF-8 at most. */
function cutTo(text: string, maxBytes: number): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  // A byte that goes on with a character is 0b10xxxxxx. Source: RFC 3629 section 3
  let end = maxBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end)).trimEnd();
}
