// Bodies and sources for contract tests: bytes that tell where they came from, and clients of every
// manner.
import { joinBytes } from '../../src/crypto/join-bytes.ts';
import { StorageError } from '../../src/domain/errors.ts';
import type { BucketName, ObjectKey } from '../../src/domain/nouns.ts';
import type { BlobIdentity } from '../../src/ports/blob-store.ts';
import type { ByteSource } from '../../src/ports/byte-source.ts';

/**
 * Bytes in which every offset differs from its neighbours (a sum over the position, not a short
 * period).
 */
export function patternBytes(lengthBytes: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lengthBytes);
  let state = seed;
  for (let at = 0; at < lengthBytes; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/**
 * A source of these bytes in chunks, which spoils each chunk that it only borrowed as soon as it
 * may. `isLengthKnown` false: like a chunked upload.
 */
export function sourceOf(
  bytes: Uint8Array,
  options: { readonly chunkBytes?: number; readonly isLengthKnown?: boolean } = {},
): ByteSource {
  const { chunkBytes = 64 * 1024, isLengthKnown = true } = options;
  return {
    lengthBytes: isLengthKnown ? bytes.length : null,
    async pump(onChunk, isBorrowed = false) {
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const chunk = new Uint8Array(bytes.subarray(at, at + chunkBytes));
        const pending = onChunk(chunk);
        if (pending !== undefined) await pending;
        if (isBorrowed) chunk.fill(0xee);
      }
    },
  };
}

/** A client that declares `lengthBytes`, sends `bytes` and then goes away. */
export function brokenSource(bytes: Uint8Array, lengthBytes: number): ByteSource {
  return {
    lengthBytes,
    async pump(onChunk) {
      await onChunk(bytes);
      throw new StorageError('IncompleteBody');
    },
  };
}

/** What a blob knows of its object: little, unless `changes` say otherwise. */
export function identityOf(changes: Partial<BlobIdentity> = {}): BlobIdentity {
  return {
    bucket: 'photos' as BucketName,
    key: 'a' as ObjectKey,
    headers: {},
    userMetadata: {},
    part: null,
    encryption: null,
    ...changes,
  };
}

/** All bytes of a stream. */
export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let lengthBytes = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    lengthBytes += value.length;
  }
  return joinBytes(chunks, lengthBytes);
}

/** Whether two runs of bytes are equal; far quicker than `toEqual` on megabytes. */
export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
