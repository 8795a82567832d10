// Decryption of bodies on their way out. A range of plain bytes is found among its
// chunks, and each chunk is authenticated before a byte of it goes on. Called by
// objects/read-object.ts for encrypted versions. The stored bytes come from the
// same tiers as any others, so no tier ever has a plain byte of them.
import { CHUNK_BYTES, decryptChunk } from '../../crypto/encrypted-chunks.ts';
import { joinBytes } from '../../crypto/join-bytes.ts';
import type { ByteRange } from '../../domain/byte-range.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BlobId, ObjectBody } from '../../domain/nouns.ts';
import {
  awaitFirstChunk,
  type ByteChunks,
  ChunkStream,
  chunksOf,
} from '../../ports/chunk-stream.ts';
import { bodyKeys, type DataKey, INLINE_BODY } from './data-key.ts';
import { type EncryptedChunk, encryptedRangeOf } from './encrypted-layout.ts';

/** The bytes of a body, encrypted or decrypted: whole in memory or as a stream. */
export type BodyBytes = Uint8Array | ReadableStream<Uint8Array>;

/**
 * Decrypts a range that lies inside the body and is not empty. `read` reads a range
 * of the encrypted bytes. The first chunk is authenticated before this resolves. A
 * stream errors rather than give a byte that is not what was encrypted.
 * ObjectDamaged.
 */
export async function decryptBody<Read extends { readonly body: BodyBytes | null }>(
  version: ObjectBody,
  range: ByteRange,
  dataKey: DataKey,
  read: (encrypted: ByteRange) => Read | Promise<Read>,
): Promise<Omit<Read, 'body'> & { readonly body: BodyBytes }> {
  const segments =
    version.inlineBytes === null
      ? version.segments
      : [{ blobId: INLINE_BODY, offsetBytes: 0, lengthBytes: version.inlineBytes.length }];
  const { encrypted, skipBytes, chunks } = encryptedRangeOf(segments, range, dataKey.layers);
  const decryptor = createBodyDecryptor(chunks, dataKey, {
    skipBytes,
    lengthBytes: range.lengthBytes,
  });

  const { body, ...rest } = await read(encrypted);
  if (body === null) throw damaged('has no bytes');
  if (body instanceof Uint8Array) {
    const plain = joinExactly([...decryptor.take(body)], range.lengthBytes);
    return { ...rest, body: plain };
  }
  const plainChunks = decryptChunks(chunksOf(body), decryptor);
  return { ...rest, body: new ChunkStream(await awaitFirstChunk(plainChunks, CHUNK_BYTES)) };
}

type BodyDecryptor = {
  /**
   * Takes the next encrypted bytes; yields the plain bytes of each chunk that they
   * complete.
   */
  take(encrypted: Uint8Array): Generator<Uint8Array>;
  /** Whether all plain bytes were yielded. */
  isDone(): boolean;
};

function createBodyDecryptor(
  chunks: Iterator<EncryptedChunk>,
  dataKey: DataKey,
  { skipBytes, lengthBytes }: { skipBytes: number; lengthBytes: number },
): BodyDecryptor {
  let skip = skipBytes;
  let leftBytes = lengthBytes;
  let keys: { readonly blobId: BlobId; readonly keys: readonly Uint8Array[] } | null = null;
  let current = next();
  let pending: Uint8Array | null = null;
  let pendingBytes = 0;

  function next(): EncryptedChunk | null {
    const { done, value } = chunks.next();
    return done === true ? null : value;
  }

  function decrypt(chunk: EncryptedChunk, encrypted: Uint8Array): Uint8Array {
    const { blobId, position } = chunk;
    if (keys?.blobId !== blobId) keys = { blobId, keys: bodyKeys(dataKey, blobId) };
    const plain = decryptChunk(keys.keys, position, encrypted);
    if (plain === null) throw damaged(`of ${blobId} is damaged at chunk ${position.index}`);

    const inRange = plain.subarray(skip, skip + leftBytes);
    skip = 0;
    leftBytes -= inRange.length;
    current = next();
    return inRange;
  }

  return {
    *take(encrypted) {
      for (let at = 0; at < encrypted.length && current !== null; ) {
        const neededBytes = current.encryptedBytes - pendingBytes;
        const piece = encrypted.subarray(at, at + neededBytes);
        at += piece.length;
        // A chunk that lies whole in the piece needs no copy.
        if (piece.length === current.encryptedBytes) {
          yield decrypt(current, piece);
          continue;
        }

        pending ??= new Uint8Array(current.encryptedBytes);
        pending.set(piece, pendingBytes);
        pendingBytes += piece.length;
        if (pendingBytes < current.encryptedBytes) continue;

        const whole = pending;
        pending = null;
        pendingBytes = 0;
        yield decrypt(current, whole);
      }
    },
    isDone: () => current === null,
  };
}

function decryptChunks(encrypted: ByteChunks, decryptor: BodyDecryptor): ByteChunks {
  let ready: Uint8Array[] = [];
  let isClosed = false;

  function close(): void {
    isClosed = true;
    ready = [];
    encrypted.close();
  }

  /**
   * Decrypts the chunks that the next encrypted bytes complete, at least one. The
   * bytes may be a borrowed buffer: they are decrypted at once.
   */
  async function decryptNext(wantedBytes: number): Promise<Uint8Array[]> {
    for (;;) {
      const chunk = await encrypted.next(Math.max(wantedBytes, CHUNK_BYTES));
      if (isClosed) return [];
      if (chunk === null) throw damaged('ends early');
      const decrypted = [...decryptor.take(chunk.bytes)];
      if (decrypted.length > 0) return decrypted;
    }
  }

  return {
    async next(wantedBytes) {
      try {
        if (ready.length === 0 && !isClosed && !decryptor.isDone())
          ready = await decryptNext(wantedBytes);
      } catch (error) {
        close();
        throw error;
      }

      const bytes = ready.shift();
      if (bytes !== undefined) return { bytes, isBorrowed: false };
      // The blob has no more of the range; this frees what it is read from.
      close();
      return null;
    },
    close,
  };
}

/**
 * Joins the parts of a body that has exactly that length; one part needs no copy.
 */
function joinExactly(parts: readonly Uint8Array[], lengthBytes: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && only.length === lengthBytes) return only;
  if (parts.reduce((sum, part) => sum + part.length, 0) !== lengthBytes)
    throw damaged('ends early');
  return joinBytes(parts, lengthBytes);
}

function damaged(what: string): StorageError {
  return new StorageError('ObjectDamaged', { detail: `The encrypted body ${what}.` });
}
