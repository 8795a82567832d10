// The one writer of XML: documents are put together from strings, because S3's
// documents are small and flat and a tree would cost more than the text. Used by
// errors.ts and the operations; nothing else writes markup.

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/**
 * Namespace of nearly every S3 document; plainDocument has the others.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
export const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/**
 * Markup, controls (the category holds tab and newline too), lone surrogates and
 * the two non-characters.
 */
const SPECIAL = /[&<>"\p{Cc}\p{Cs}\ufffe\uffff]/u;
const SPECIAL_ALL = /[&<>"\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/**
 * Text ready to stand between tags or in a quoted attribute. A carriage return
 * becomes `&#xD;` because parsers turn a bare one into a newline. Characters that
 * XML 1.0 can't carry become references too (`&#x1;`): strict parsers refuse them,
 * as they refuse S3's own documents, but no key is changed; `encoding-type=url` is
 * the way around. Source: https://www.w3.org/TR/xml/#charsets
 */
export function escapeXml(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIAL_ALL, escapeCharacter) : text;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return '&gt;';
    case '"':
      return '&quot;';
    case '\t':
    case '\n':
      return character;
  }
  const code = character.charCodeAt(0);
  const isC1 = code >= 0x7f && code <= 0x9f;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (isC1) return character;
  return isSurrogate ? '\ufffd' : `&#x${code.toString(16).toUpperCase()};`;
}

/**
 * An element around finished markup; an empty one is still written with both tags.
 */
export function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** An element with text, escaped; '' when there is no value. */
export function textElement(name: string, value: string | number | boolean | null): string {
  return value === null
    ? ''
    : `<${name}>${typeof value === 'string' ? escapeXml(value) : value}</${name}>`;
}

/** A whole S3 document in S3's namespace. `content` is finished markup. */
export function s3Document(root: string, content: string): string {
  return `${DECLARATION}<${root} xmlns="${S3_NAMESPACE}">${content}</${root}>`;
}

/**
 * A whole document without a namespace: S3 gives `Error` and `PostResponse` none.
 */
export function plainDocument(root: string, content: string): string {
  return `${DECLARATION}<${root}>${content}</${root}>`;
}

/** An entity tag as S3 shows it: in quotes. */
export function etagElement(etag: string): string {
  return `<ETag>&quot;${escapeXml(etag)}&quot;</ETag>`;
}

/**
 * A time as S3 writes it in documents, in whole seconds like Last-Modified:
 * `2026-11-20T12:00:00.000Z`.
 */
export function timeElement(name: string, timeMs: number): string {
  return `<${name}>${new Date(timeMs - (timeMs % 1000)).toISOString()}</${name}>`;
}
