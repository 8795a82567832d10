// How many frames a GIF or WebP has, from its container alone: Cloudflare Images
// does not tell before it makes something of them. Nothing is decoded. On Node
// sharp tells.

/**
 * Bytes before a GIF's first block, without its table of colours. Source: GIF89a,
 * sections 17 and 18
 */
const GIF_HEADER_BYTES = 13;
const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;
/**
 * Bytes before the first chunk of a WebP, and of a chunk before its data. Source:
 * RFC 9649 section 2
 */
const WEBP_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/**
 * At least 1, also for what is no image at all. Cost: a look at each block, which
 * has up to 255 bytes in a GIF.
 */
export function countFrames(bytes: Uint8Array): number {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  const counted = start === 'GIF8' ? countGif(bytes) : start === 'RIFF' ? countWebp(bytes) : 1;
  return Math.max(1, counted);
}

function countGif(bytes: Uint8Array): number {
  let frames = 0;
  let at = GIF_HEADER_BYTES + tableBytes(bytes[10]);
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === GIF_EXTENSION) at = endOfSubBlocks(bytes, at + 2);
    else if (kind === GIF_IMAGE) {
      frames += 1;
      // The descriptor, its table of colours, the size of codes, then the picture.
      at = endOfSubBlocks(bytes, at + 10 + tableBytes(bytes[at + 9]) + 1);
    } else return frames;
  }
  return frames;
}

/**
 * Bytes of a table of colours, by the flags that announce it. Source: GIF89a,
 * section 18
 */
function tableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function endOfSubBlocks(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) at += size + 1;
  return at + 1;
}

function countWebp(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let frames = 0;
  for (let at = WEBP_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= bytes.length; ) {
    if (String.fromCharCode(...bytes.subarray(at, at + 4)) === 'ANMF') frames += 1;
    const sizeBytes = view.getUint32(at + 4, true);
    at += CHUNK_HEADER_BYTES + sizeBytes + (sizeBytes % 2);
  }
  return frames;
}
