// Sealed bytes on their way out: a range of plain bytes is found among the chunks that hold it,
// each of which is proved before a byte of it is given on. read-object.ts calls it for versions
// that are encrypted; the sealed bytes come from the same tiers as any others, so no tier ever
// holds a plain byte of them.
import { CHUNK_BYTES, openChunk } from '../../crypto/encrypted-chunks.ts';
import { joinBytes } from '../../crypto/join-bytes.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BlobId, ObjectBody } from '../../domain/nouns.ts';
import { type ByteChunks, begun, ChunkStream, chunksOf } from '../../ports/chunk-stream.ts';
import { bodyKeys, type DataKey, INLINE_BODY } from './data-key.ts';
import { type EncryptedChunk, encryptedRangeOf } from './encrypted-layout.ts';

type Range = { readonly offsetBytes: number; readonly lengthBytes: number };

/** A body of sealed bytes, whole in memory or as a stream. */
export type EncryptedBytes = Uint8Array | ReadableStream<Uint8Array>;

/**
 * Opens a range that lies inside the body and is not empty. `read` gives a range of the sealed
 * bytes. What can be proved at once, which is the first chunk, is proved before this resolves; a
 * stream errors rather than give a byte that is not what was sealed. ObjectDamaged.
 */
export async function decryptBody<Read extends { readonly body: EncryptedBytes | null }>(
  version: ObjectBody,
  range: Range,
  dataKey: DataKey,
  read: (sealed: Range) => Read | Promise<Read>,
): Promise<Omit<Read, 'body'> & { readonly body: EncryptedBytes }> {
  const segments =
    version.inlineBytes === null
      ? version.segments
      : [{ blobId: INLINE_BODY, offsetBytes: 0, lengthBytes: version.inlineBytes.length }];
  const { sealed, skipBytes, chunks } = encryptedRangeOf(segments, range, dataKey.layers);
  const opener = createOpener(chunks, dataKey, { skipBytes, lengthBytes: range.lengthBytes });
  const { body, ...rest } = await read(sealed);
  if (body instanceof Uint8Array)
    return { ...rest, body: joined([...opener.open(body)], range.lengthBytes) };
  if (body === null) throw damaged('has no bytes');
  return {
    ...rest,
    body: new ChunkStream(await begun(openChunks(chunksOf(body), opener), CHUNK_BYTES)),
  };
}

type Opener = {
  /** Takes the next sealed bytes; gives the plain bytes of each chunk that they complete. */
  open(sealed: Uint8Array): Generator<Uint8Array>;
  /** Whether all plain bytes were given. */
  isDone(): boolean;
};

function createOpener(
  chunks: Iterator<EncryptedChunk>,
  dataKey: DataKey,
  { skipBytes, lengthBytes }: { skipBytes: number; lengthBytes: number },
): Opener {
  let skip = skipBytes;
  let leftBytes = lengthBytes;
  let keys: { readonly blobId: BlobId; readonly keys: readonly Uint8Array[] } | null = null;
  let wanted = next();
  let pending: Uint8Array | null = null;
  let pendingBytes = 0;

  function next(): EncryptedChunk | null {
    const { done, value } = chunks.next();
    return done === true ? null : value;
  }

  function openNext(chunk: EncryptedChunk, sealed: Uint8Array): Uint8Array {
    if (keys?.blobId !== chunk.blobId)
      keys = { blobId: chunk.blobId, keys: bodyKeys(dataKey, chunk.blobId) };
    const plain = openChunk(keys.keys, chunk.place, sealed);
    if (plain === null)
      throw damaged(`of ${chunk.blobId} is damaged at chunk ${chunk.place.index}`);
    const given = plain.subarray(skip, skip + leftBytes);
    skip = 0;
    leftBytes -= given.length;
    wanted = next();
    return given;
  }

  return {
    *open(sealed) {
      for (let at = 0; at < sealed.length && wanted !== null; ) {
        const needed = wanted.sealedBytes - pendingBytes;
        const piece = sealed.subarray(at, at + needed);
        at += piece.length;
        // A chunk that lies whole in what came needs no copy.
        if (piece.length === wanted.sealedBytes) {
          yield openNext(wanted, piece);
          continue;
        }
        pending ??= new Uint8Array(wanted.sealedBytes);
        pending.set(piece, pendingBytes);
        pendingBytes += piece.length;
        if (pendingBytes < wanted.sealedBytes) continue;
        const whole = pending;
        pending = null;
        pendingBytes = 0;
        yield openNext(wanted, whole);
      }
    },
    isDone: () => wanted === null,
  };
}

function openChunks(sealed: ByteChunks, opener: Opener): ByteChunks {
  let ready: Uint8Array[] = [];
  let isClosed = false;

  function close(): void {
    isClosed = true;
    ready = [];
    sealed.close();
  }

  /**
   * The chunks that the next sealed bytes complete, at least one. What was read may be borrowed: it
   * is opened at once.
   */
  async function openNext(wantedBytes: number): Promise<Uint8Array[]> {
    for (;;) {
      const chunk = await sealed.next(Math.max(wantedBytes, CHUNK_BYTES));
      if (isClosed) return [];
      if (chunk === null) throw damaged('ends early');
      const opened = [...opener.open(chunk.bytes)];
      if (opened.length > 0) return opened;
    }
  }

  return {
    async next(wantedBytes) {
      try {
        if (ready.length === 0 && !isClosed && !opener.isDone())
          ready = await openNext(wantedBytes);
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

function joined(parts: readonly Uint8Array[], lengthBytes: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && only.length === lengthBytes) return only;
  if (parts.reduce((sum, part) => sum + part.length, 0) !== lengthBytes)
    throw damaged('ends early');
  return joinBytes(parts, lengthBytes);
}

function damaged(what: string): StorageError {
  return new StorageError('ObjectDamaged', { detail: `The encrypted body ${what}.` });
}
