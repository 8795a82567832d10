// Encryption of bodies on their way in: as they stream to a blob, or whole for a
// body that stands in its index row. Called by objects/write-body.ts behind the
// digests, which are of plain bytes.
import { CHUNK_BYTES, startChunkEncryption, TAG_BYTES } from '../../crypto/encrypted-chunks.ts';
import { freeBytes } from '../../crypto/free-bytes.ts';
import { joinBytes } from '../../crypto/join-bytes.ts';
import type { BlobId } from '../../domain/nouns.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import { bodyKeys, type DataKey, INLINE_BODY } from './data-key.ts';
import { encryptedSize } from './encrypted-layout.ts';

/**
 * Encrypts what `source` delivers; the length is known when the source's is. Keeps
 * one chunk in memory.
 */
export function encryptSource(source: ByteSource, dataKey: DataKey, blobId: BlobId): ByteSource {
  const { lengthBytes } = source;
  return {
    lengthBytes: lengthBytes === null ? null : encryptedSize(lengthBytes, dataKey.layers),
    async pump(onChunk, isBorrowed = false) {
      const keys = bodyKeys(dataKey, blobId);
      const memory = isBorrowed ? new Uint8Array(CHUNK_BYTES + TAG_BYTES * keys.length) : null;
      const encryptor = createBodyEncryptor(keys, CHUNK_BYTES, memory);
      await source.pump(async (plain) => {
        for (const encrypted of encryptor.take(plain)) await onChunk(encrypted);
      }, true);
      for (const encrypted of encryptor.end()) await onChunk(encrypted);
    },
  };
}

/** Encrypts a small body whole. No bytes stay no bytes. */
export function encryptInline(plain: Uint8Array, dataKey: DataKey): Uint8Array {
  const keys = bodyKeys(dataKey, INLINE_BODY);
  const encryptor = createBodyEncryptor(keys, Math.min(plain.length, CHUNK_BYTES));
  return joinBytes(
    [...encryptor.take(plain), ...encryptor.end()],
    encryptedSize(plain.length, dataKey.layers),
  );
}

type BodyEncryptor = {
  /**
   * Takes the next plain bytes, and keeps none of their memory; yields the encrypted
   * chunks that are surely not the last.
   */
  take(plain: Uint8Array): Generator<Uint8Array>;
  /** Yields the last chunk, if there were any bytes. */
  end(): Generator<Uint8Array>;
};

/**
 * Creates the encryptor of one body. A chunk's nonce says whether it is the last
 * one, so none is encrypted before it is known whether more bytes come.
 * `pendingMaxBytes`: of the longest chunk. `memory`: room for an encrypted chunk,
 * used for each of them; null: each gets its own.
 */
function createBodyEncryptor(
  keys: readonly Uint8Array[],
  pendingMaxBytes: number,
  memory: Uint8Array | null = null,
): BodyEncryptor {
  let index = 0;
  const pending = new Uint8Array(pendingMaxBytes);
  let pendingBytes = 0;

  /** Encrypts in one piece, since the store makes a write of each piece. */
  function encryptPending(isLast: boolean): Uint8Array {
    const chunk = startChunkEncryption(keys, { index, isLast });
    const encryptedBytes = pendingBytes + TAG_BYTES * keys.length;
    const encrypted = memory?.subarray(0, encryptedBytes) ?? new Uint8Array(encryptedBytes);
    const cipherBytes = chunk.update(pending.subarray(0, pendingBytes));
    encrypted.set(cipherBytes);
    freeBytes(cipherBytes);
    encrypted.set(chunk.finish(), pendingBytes);

    index += 1;
    pendingBytes = 0;
    return encrypted;
  }

  return {
    *take(plain) {
      for (let at = 0; at < plain.length; ) {
        if (pendingBytes === CHUNK_BYTES) yield encryptPending(false);
        const piece = plain.subarray(at, at + CHUNK_BYTES - pendingBytes);
        pending.set(piece, pendingBytes);
        at += piece.length;
        pendingBytes += piece.length;
      }
    },
    *end() {
      if (pendingBytes > 0) yield encryptPending(true);
    },
  };
}
