// Authenticated encryption in chunks: any range of a body can be decrypted by
// itself, and no flipped, cut or swapped byte goes unnoticed. Plain bytes are cut
// at multiples of CHUNK_BYTES. Each chunk becomes its AES-256-GCM cipher text and
// tag, once for each key: a second key is a second layer around the first. The
// nonce is the chunk's position, so a key must never encrypt two bodies. Called by
// core/encryption. Source: STREAM, https://eprint.iacr.org/2015/189.pdf
import { createCipheriv, createDecipheriv } from 'node:crypto';

/**
 * Plain bytes of a chunk; the last one may have fewer, an empty body has no chunk.
 * A range costs up to two chunks too many, which at 64 KiB is 80 µs of work. The
 * tags are 0.02 % of the bytes.
 */
export const CHUNK_BYTES = 64 * 1024;
/** Bytes that one key adds to a chunk: the tag of AES-256-GCM. */
export const TAG_BYTES = 16;

type Cipher = {
  update(plain: Uint8Array): Uint8Array;
  final(): Uint8Array;
  getAuthTag(): Uint8Array;
};

/** Encrypts one chunk that comes in pieces. */
export type ChunkEncryptor = {
  /** Encrypts the next piece to as many cipher bytes. */
  update(piece: Uint8Array): Uint8Array;
  /** Ends the chunk with its tags, each encrypted by the layers around it. */
  finish(): Uint8Array;
};

/** The position of a chunk in its body. */
export type ChunkPosition = { readonly index: number; readonly isLast: boolean };

/**
 * Makes the nonce of 12 bytes: whether the chunk is the last, and its number,
 * big-endian.
 */
function nonceOf({ index, isLast }: ChunkPosition): Uint8Array {
  const nonce = new Uint8Array(12);
  nonce[0] = isLast ? 1 : 0;
  new DataView(nonce.buffer).setBigUint64(4, BigInt(index));
  return nonce;
}

/**
 * Starts the encryption of a chunk. `keys` go from the innermost layer to the
 * outermost.
 */
export function startChunkEncryption(
  keys: readonly Uint8Array[],
  position: ChunkPosition,
): ChunkEncryptor {
  const nonce = nonceOf(position);
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
 * Decrypts a whole chunk; null unless it was encrypted with these keys at this
 * position. Cost: 40 µs for a full chunk with one key, 50 to encrypt it; its MD5
 * takes 95 (bench/encryption.ts).
 */
export function decryptChunk(
  keys: readonly Uint8Array[],
  position: ChunkPosition,
  encrypted: Uint8Array,
): Uint8Array | null {
  const nonce = nonceOf(position);
  let bytes = encrypted;
  for (const key of keys.toReversed()) {
    const tagAt = bytes.length - TAG_BYTES;
    if (tagAt < 0) return null;
    const decipher = createDecipheriv('aes-256-gcm', key, nonce);
    decipher.setAuthTag(bytes.subarray(tagAt));
    const decrypted = decipher.update(bytes.subarray(0, tagAt));
    try {
      decipher.final();
    } catch {
      return null;
    }
    bytes = decrypted;
  }
  return bytes;
}
