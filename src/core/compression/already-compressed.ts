// Which objects are compressed as they come, so that compressing them again would gain nothing.
// Pure.
import type { ObjectHeaders } from '../../domain/nouns.ts';

/**
 * Types whose bytes are compressed as they come: they are not even tried. Of all others a sample
 * decides. Source: the formats' own specifications; SVG, BMP, WAV and fonts that are not WOFF are
 * not compressed.
 */
const COMPRESSED_TYPES =
  /^(?:image\/(?!svg|bmp|x-ms-bmp|x-icon|vnd\.microsoft\.icon|tiff)|video\/|audio\/(?!wav|x-wav|aiff|x-aiff|basic|midi)|font\/woff|application\/(?:zip|gzip|x-gzip|zstd|x-bzip2?|x-xz|x-7z-compressed|vnd\.rar|x-rar-compressed|java-archive|epub\+zip|vnd\.openxmlformats|vnd\.oasis\.opendocument))/;

/** Whether an object of these headers need not be tried. */
export function isAlreadyCompressed({ contentType = '', contentEncoding }: ObjectHeaders): boolean {
  return contentEncoding !== undefined || COMPRESSED_TYPES.test(contentType.trim().toLowerCase());
}
