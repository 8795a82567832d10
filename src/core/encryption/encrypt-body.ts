// Bytes on their way in become sealed ones: as they stream to a blob, or whole for a body that
// stands in its row.
import { CHUNK_BYTES, startChunk, TAG_BYTES } from '../../crypto/encrypted-chunks.ts';
import { joinBytes } from '../../crypto/join-bytes.ts';
import type { BlobId } from '../../domain/nouns.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import { bodyKeys, type DataKey, INLINE_BODY } from './data-key.ts';
import { encryptedSize } from './encrypted-layout.ts';

/**
 * The sealed bytes of what `source` delivers, of known length when that is. Holds back one chunk.
 */
export function encryptSource(source: ByteSource, dataKey: DataKey, blobId: BlobId): ByteSource {
  const { lengthBytes } = source;
  return {
    lengthBytes: lengthBytes === null ? null : encryptedSize(lengthBytes, dataKey.layers),
    async pump(onChunk) {
      const sealer = createSealer(bodyKeys(dataKey, blobId));
      await source.pump(async (plain) => {
        for (const sealed of sealer.take(plain)) await onChunk(sealed);
      });
      for (const sealed of sealer.end()) await onChunk(sealed);
    },
  };
}

/** A small body sealed whole. No bytes stay no bytes. */
export function encryptInline(plain: Uint8Array, dataKey: DataKey): Uint8Array {
  const sealer = createSealer(bodyKeys(dataKey, INLINE_BODY));
  return joinBytes(
    [...sealer.take(plain), ...sealer.end()],
    encryptedSize(plain.length, dataKey.layers),
  );
}

type Sealer = {
  /** Takes the next plain bytes; gives the sealed chunks that are surely not the last. */
  take(plain: Uint8Array): Generator<Uint8Array>;
  /** The last chunk, if there were any bytes. */
  end(): Generator<Uint8Array>;
};

/**
 * A chunk's nonce says whether it is the last one, so none is sealed before more bytes came or none
 * will.
 */
function createSealer(keys: readonly Uint8Array[]): Sealer {
  let index = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  /** In one piece: each piece is a write of its own for whoever stores it. */
  function seal(isLast: boolean): Uint8Array {
    const chunk = startChunk(keys, { index, isLast });
    const sealed = new Uint8Array(heldBytes + TAG_BYTES * keys.length);
    let at = 0;
    for (const piece of held) {
      sealed.set(chunk.update(piece), at);
      at += piece.length;
    }
    sealed.set(chunk.finish(), at);
    index += 1;
    held = [];
    heldBytes = 0;
    return sealed;
  }

  return {
    *take(plain) {
      for (let at = 0; at < plain.length; ) {
        if (heldBytes === CHUNK_BYTES) yield seal(false);
        const piece = plain.subarray(at, at + CHUNK_BYTES - heldBytes);
        at += piece.length;
        heldBytes += piece.length;
        held.push(piece);
      }
    },
    *end() {
      if (heldBytes > 0) yield seal(true);
    },
  };
}
