// Bytes sealed in chunks, so that any range of a body can be opened by itself and no flipped, cut
// or swapped byte goes unseen. A body of plain bytes is cut at multiples of CHUNK_BYTES; each piece
// becomes its AES-256-GCM cipher text with the tag behind it, once for each key (a second key is a
// second layer around the first). The nonce tells which chunk of the body it is and whether it is
// the last one, so a key must never seal two bodies. Called by core/encryption. Source of the
// scheme: STREAM, https://eprint.iacr.org/2015/189.pdf
import { createCipheriv, createDecipheriv } from 'node:crypto';

/**
 * Plain bytes of a chunk; the last one may have fewer, an empty body has none. Every range costs up
 * to two chunks too many; at 64 KiB that is 80 µs of work, and the tags are 0.02 % of the bytes.
 */
export const CHUNK_BYTES = 64 * 1024;
/** What one key adds to a chunk. */
export const TAG_BYTES = 16;

type Cipher = {
  update(plain: Uint8Array): Uint8Array;
  final(): Uint8Array;
  getAuthTag(): Uint8Array;
};

/** Seals one chunk that comes in pieces. */
export type ChunkSealer = {
  /** Cipher bytes of the next piece, as many as it has. */
  update(piece: Uint8Array): Uint8Array;
  /** What follows the last piece: the tags, sealed by the keys around them. */
  finish(): Uint8Array;
};

/** Where in its body a chunk is. */
export type ChunkPlace = { readonly index: number; readonly isLast: boolean };

/** 12 bytes: whether it is the last chunk, and its number, big-endian. */
function nonceOf({ index, isLast }: ChunkPlace): Uint8Array {
  const nonce = new Uint8Array(12);
  nonce[0] = isLast ? 1 : 0;
  new DataView(nonce.buffer).setBigUint64(4, BigInt(index));
  return nonce;
}

/** Starts a chunk. `keys` from the innermost layer to the outermost. */
export function startChunk(keys: readonly Uint8Array[], place: ChunkPlace): ChunkSealer {
  const nonce = nonceOf(place);
  const layers: readonly Cipher[] = keys.map((key) => createCipheriv('aes-256-gcm', key, nonce));
  return {
    update: (piece) => throughAll(layers, piece),
    finish() {
      const tags = new Uint8Array(TAG_BYTES * layers.length);
      layers.forEach((layer, i) => {
        layer.final();
        tags.set(throughAll(layers.slice(i + 1), layer.getAuthTag()), TAG_BYTES * i);
      });
      return tags;
    },
  };
}

function throughAll(layers: readonly Cipher[], piece: Uint8Array): Uint8Array {
  return layers.reduce<Uint8Array>((bytes, layer) => layer.update(bytes), piece);
}

/**
 * The plain bytes of a whole sealed chunk, or null when it is not just what was sealed with these
 * keys at this place. Cost: 40 µs for a full chunk with one key, 50 to seal it; its MD5 takes 95
 * (bench/encryption.ts).
 */
export function openChunk(
  keys: readonly Uint8Array[],
  place: ChunkPlace,
  sealed: Uint8Array,
): Uint8Array | null {
  const nonce = nonceOf(place);
  let bytes = sealed;
  for (const key of keys.toReversed()) {
    const tagAt = bytes.length - TAG_BYTES;
    if (tagAt < 0) return null;
    const decipher = createDecipheriv('aes-256-gcm', key, nonce);
    decipher.setAuthTag(bytes.subarray(tagAt));
    const opened = decipher.update(bytes.subarray(0, tagAt));
    try {
      decipher.final();
    } catch {
      return null;
    }
    bytes = opened;
  }
  return bytes;
}
