// The layout of encrypted bodies: the one place that turns sizes and ranges of
// plain bytes into those of stored bytes. The index keeps the plain size of an
// object; its segments are runs of stored, encrypted bytes. A blob of an encrypted
// object is encrypted as one body, and a segment of it is always the whole blob.
// Pure.
import { CHUNK_BYTES, type ChunkPosition, TAG_BYTES } from '../../crypto/encrypted-chunks.ts';
import type { ByteRange } from '../../domain/byte-range.ts';
import type { BlobId, Segment } from '../../domain/nouns.ts';

/** How many keys encrypt each chunk, one layer around the other. */
export type Layers = 1 | 2;

/** The size of a body of `plainBytes` once it is encrypted. */
export function encryptedSize(plainBytes: number, layers: Layers): number {
  return plainBytes + Math.ceil(plainBytes / CHUNK_BYTES) * TAG_BYTES * layers;
}

/** The plain size of an encrypted body of `encryptedBytes`. */
export function plainSize(encryptedBytes: number, layers: Layers): number {
  const overhead = TAG_BYTES * layers;
  return encryptedBytes - Math.ceil(encryptedBytes / (CHUNK_BYTES + overhead)) * overhead;
}

/** A chunk to decrypt. `encryptedBytes` is its size with its tags. */
export type EncryptedChunk = {
  readonly blobId: BlobId;
  readonly position: ChunkPosition;
  readonly encryptedBytes: number;
};

/** The reads and decryptions that a range of plain bytes needs. */
export type EncryptedRange = {
  /** The range among the encrypted bytes of all segments in a row. */
  readonly encrypted: ByteRange;
  /** Plain bytes to leave out at the start of the first chunk. */
  readonly skipBytes: number;
  /**
   * The chunks in that range, in order. Made one by one: a large object has
   * millions.
   */
  readonly chunks: Iterator<EncryptedChunk>;
};

/**
 * Finds the chunks that hold `range`, which must lie inside the object and not be
 * empty.
 */
export function encryptedRangeOf(
  segments: readonly Segment[],
  range: ByteRange,
  layers: Layers,
): EncryptedRange {
  let skipBytes = 0;
  let start = -1;
  let end = 0;
  for (const { from, to, encryptedAt, segment } of piecesOf(segments, range, layers)) {
    const first = Math.floor(from / CHUNK_BYTES);
    if (start === -1) {
      start = encryptedAt + chunkStart(first, layers);
      skipBytes = from - first * CHUNK_BYTES;
    }
    const lastEnd = chunkStart(Math.ceil(to / CHUNK_BYTES), layers);
    end = encryptedAt + Math.min(lastEnd, segment.lengthBytes);
  }
  const encrypted = { offsetBytes: start, lengthBytes: end - start };
  return { encrypted, skipBytes, chunks: chunksOf(segments, range, layers) };
}

/** The offset at which a chunk begins in its encrypted body. */
function chunkStart(index: number, layers: Layers): number {
  return index * (CHUNK_BYTES + TAG_BYTES * layers);
}

/**
 * Plain bytes `from` to `to` of a segment. `encryptedAt`: the segment's offset
 * among the encrypted bytes of all.
 */
type Piece = {
  readonly segment: Segment;
  readonly encryptedAt: number;
  readonly plainBytes: number;
  readonly from: number;
  readonly to: number;
};

/**
 * Yields the part of each segment that the range covers; segments outside of it are
 * left out.
 */
function* piecesOf(
  segments: readonly Segment[],
  range: ByteRange,
  layers: Layers,
): Generator<Piece> {
  const end = range.offsetBytes + range.lengthBytes;
  let plainAt = 0;
  let encryptedAt = 0;
  for (const segment of segments) {
    const plainBytes = plainSize(segment.lengthBytes, layers);
    const from = Math.max(range.offsetBytes - plainAt, 0);
    const to = Math.min(end - plainAt, plainBytes);
    if (from < to) yield { segment, encryptedAt, plainBytes, from, to };
    plainAt += plainBytes;
    encryptedAt += segment.lengthBytes;
  }
}

function* chunksOf(
  segments: readonly Segment[],
  range: ByteRange,
  layers: Layers,
): Generator<EncryptedChunk> {
  for (const { segment, plainBytes, from, to } of piecesOf(segments, range, layers)) {
    const { blobId, lengthBytes } = segment;
    const lastIndex = Math.ceil(plainBytes / CHUNK_BYTES) - 1;
    for (let index = Math.floor(from / CHUNK_BYTES); index * CHUNK_BYTES < to; index++) {
      const start = chunkStart(index, layers);
      const encryptedBytes = Math.min(chunkStart(index + 1, layers), lengthBytes) - start;
      const position = { index, isLast: index === lastIndex };
      yield { blobId, position, encryptedBytes };
    }
  }
}
