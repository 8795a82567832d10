// Encryption of bodies on their way in: as they stream to a blob, or whole for a
// body that stands in its index row. Called by objects/write-body.ts behind the
// digests, which are of plain bytes.
import { CHUNK_BYTES, startChunkEncryption, TAG_BYTES } from '../../crypto/encrypted-chunks.ts';
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
    async pump(onChunk) {
      const encryptor = createBodyEncryptor(bodyKeys(dataKey, blobId));
      await source.pump(async (plain) => {
        for (const encrypted of encryptor.take(plain)) await onChunk(encrypted);
      });
      for (const encrypted of encryptor.end()) await onChunk(encrypted);
    },
  };
}

/** Encrypts a small body whole. No bytes stay no bytes. */
export function encryptInline(plain: Uint8Array, dataKey: DataKey): Uint8Array {
  const encryptor = createBodyEncryptor(bodyKeys(dataKey, INLINE_BODY));
  return joinBytes(
    [...encryptor.take(plain), ...encryptor.end()],
    encryptedSize(plain.length, dataKey.layers),
  );
}

type BodyEncryptor = {
  /**
   * Takes the next plain bytes; yields the encrypted chunks that are surely not the
   * last.
   */
  take(plain: Uint8Array): Generator<Uint8Array>;
  /** Yields the last chunk, if there were any bytes. */
  end(): Generator<Uint8Array>;
};

/**
 * Creates the encryptor of one body. A chunk's nonce says whether it is the last
 * one, so none is encrypted before it is known whether more bytes come.
 */
function createBodyEncryptor(keys: readonly Uint8Array[]): BodyEncryptor {
  let index = 0;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;

  /** Encrypts in one piece, since the store makes a write of each piece. */
  function encryptPending(isLast: boolean): Uint8Array {
    const chunk = startChunkEncryption(keys, { index, isLast });
    const encrypted = new Uint8Array(pendingBytes + TAG_BYTES * keys.length);
    let at = 0;
    for (const piece of pending) {
      encrypted.set(chunk.update(piece), at);
      at += piece.length;
    }
    encrypted.set(chunk.finish(), at);

    index += 1;
    pending = [];
    pendingBytes = 0;
    return encrypted;
  }

  return {
    *take(plain) {
      for (let at = 0; at < plain.length; ) {
        if (pendingBytes === CHUNK_BYTES) yield encryptPending(false);
        const piece = plain.subarray(at, at + CHUNK_BYTES - pendingBytes);
        at += piece.length;
        pendingBytes += piece.length;
        pending.push(piece);
      }
    },
    *end() {
      if (pendingBytes > 0) yield encryptPending(true);
    },
  };
}
