// Which objects gain by compression: the one list. What is compressed already
// (images, video, archives, WOFF fonts) is not here. Used by delivery.
import type { HeaderRecord } from './object-headers.ts';

/**
 * Source: https://developers.cloudflare.com/speed/optimization/content/compression/
 * and the list of h5bp for nginx
 */
const COMPRESSIBLE: readonly RegExp[] = [
  /^text\/.+$/,
  /^.+\+(?:json|xml|text)$/,
  /^application\/(?:ecmascript|javascript|json|json5|manifest|ndjson|rtf|sql|toml|typescript)$/,
  /^application\/(?:wasm|xml|xml-dtd|yaml)$/,
  /^application\/x-(?:javascript|ndjson|sh|yaml|font-ttf|font-opentype|font-truetype)$/,
  /^application\/vnd\.(?:ms-fontobject|ms-opentype)$/,
  /^font\/(?:collection|eot|otf|sfnt|ttf)$/,
  /^image\/(?:bmp|x-icon|vnd\.microsoft\.icon)$/,
  /^model\/(?:gltf-binary|mtl|obj|stl)$/,
];

/** Below, a packet is a packet; bytes. */
const MIN_BYTES = 1024;

/**
 * Whether a response with these headers may go out compressed. What has a coding of
 * its own, or must not be transformed, is left alone. Source: RFC 9111 section
 * 5.2.2.6 (no-transform)
 */
export function isCompressible(
  headers: Readonly<HeaderRecord>,
  sizeBytes: number,
  maxBytes: number,
): boolean {
  if (sizeBytes < MIN_BYTES || sizeBytes > maxBytes) return false;
  if (headers['content-encoding'] !== undefined) return false;
  if (/\bno-transform\b/i.test(headers['cache-control'] ?? '')) return false;
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  const essence = type.trim().toLowerCase();
  return COMPRESSIBLE.some((pattern) => pattern.test(essence));
}
