// How the five kinds of images begin that are made smaller. What begins otherwise
// is no image, whatever its type says, and Cloudflare Images need not be asked, and
// paid, to find that out. On Node sharp looks itself.

const text = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

/**
 * Brands of AVIF files, in their first box. Source: AV1 Image File Format 1.2,
 * section 6; ISO/IEC 14496-12, section 4.3
 */
const AVIF_BRANDS: ReadonlySet<string> = new Set(['avif', 'avis', 'mif1', 'msf1']);

/**
 * Whether these are the bytes of a JPEG, PNG, GIF, WebP or AVIF, by their
 * beginning.
 */
export function beginsAsImage(bytes: Uint8Array): boolean {
  if (text(bytes, 0, 3) === '\xff\xd8\xff' || text(bytes, 0, 8) === '\x89PNG\r\n\x1a\n')
    return true;
  if (/^GIF8[79]a$/.test(text(bytes, 0, 6))) return true;
  if (text(bytes, 0, 4) === 'RIFF') return text(bytes, 8, 12) === 'WEBP';
  return text(bytes, 4, 8) === 'ftyp' && AVIF_BRANDS.has(text(bytes, 8, 12));
}
