// Media types and lists of them, as limits of uploads have them: `image/png`, or
// `image/*` for all of a kind. Pure.

const TYPE_PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

/** Whether a text is a media type, or a kind of them, in lower case. */
export function isTypePattern(text: string): boolean {
  return TYPE_PATTERN.test(text);
}

/** The type of a Content-Type, in lower case and without parameters; '' without one. */
export function mediaTypeOf(contentType: string | null): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** What people call all types of a kind, in English. */
export const TYPE_WORDS = { image: 'images', video: 'films', audio: 'sounds', text: 'texts' };
/** Names of formats that people know by their letters: PNG, JPEG, PDF, ZIP. */
const LETTERS = /^[a-z0-9]{2,4}$/;

/** What people call a type: `image/*` by its kind's word, `image/png` PNG; others as they are. */
export function nameOfType(pattern: string, words: Readonly<Record<string, string>>): string {
  const [kind = '', format = ''] = pattern.split('/', 2);
  if (format === '*') return Object.hasOwn(words, kind) ? (words[kind] ?? pattern) : pattern;
  return LETTERS.test(format) ? format.toUpperCase() : pattern;
}

/** Whether a media type, as a header has it, is one of the list. */
export function isTypeListed(contentType: string | null, patterns: readonly string[]): boolean {
  const type = mediaTypeOf(contentType);
  const kind = `${type.slice(0, type.indexOf('/') + 1)}*`;
  return patterns.some((pattern) => pattern === type || (kind !== '*' && pattern === kind));
}
