// Which objects are compressed as they come, so that compressing them again would
// gain nothing. Called by run-compression.ts. Pure.
import type { ObjectHeaders } from '../../domain/nouns.ts';

/**
 * Forms of types whose bytes are compressed as they come, so that they are not even
 * sampled. Source: the specifications of the formats; SVG, BMP, WAV and fonts that
 * are not WOFF are not compressed.
 */
const COMPRESSED_TYPES: readonly RegExp[] = [
  /^image\/(?!svg|bmp|x-ms-bmp|x-icon|vnd\.microsoft\.icon|tiff)/,
  /^video\//,
  /^audio\/(?!wav|x-wav|aiff|x-aiff|basic|midi)/,
  /^font\/woff/,
  /^application\/(?:zip|gzip|x-gzip|zstd|x-bzip2?|x-xz|x-7z-compressed)/,
  /^application\/(?:vnd\.rar|x-rar-compressed|java-archive|epub\+zip)/,
  /^application\/(?:vnd\.openxmlformats|vnd\.oasis\.opendocument)/,
];

/** Whether the headers of an object say that its bytes are compressed. */
export function isAlreadyCompressed({ contentType = '', contentEncoding }: ObjectHeaders): boolean {
  if (contentEncoding !== undefined) return true;
  const type = contentType.trim().toLowerCase();
  return COMPRESSED_TYPES.some((form) => form.test(type));
}
