// How plain and sealed bytes of a body lie against each other: the one place that turns sizes and
// ranges of the one into the other's. The index keeps the plain size of an object; its segments are
// runs of real, that is sealed, bytes. A blob of an encrypted object is sealed as one body, and a
// segment of it is always the whole blob. Pure.
import { CHUNK_BYTES, type ChunkPlace, TAG_BYTES } from '../../crypto/encrypted-chunks.ts';
import type { BlobId, Segment } from '../../domain/nouns.ts';

/** How many keys seal each chunk, one around the other. */
export type Layers = 1 | 2;

type Range = { readonly offsetBytes: number; readonly lengthBytes: number };

/** Bytes of a body of `plainBytes` once it is sealed. */
export function encryptedSize(plainBytes: number, layers: Layers): number {
  return plainBytes + Math.ceil(plainBytes / CHUNK_BYTES) * TAG_BYTES * layers;
}

/** Plain bytes in a sealed body of `sealedBytes`. */
export function plainSize(sealedBytes: number, layers: Layers): number {
  const overhead = TAG_BYTES * layers;
  return sealedBytes - Math.ceil(sealedBytes / (CHUNK_BYTES + overhead)) * overhead;
}

/** A chunk to open. `sealedBytes` with its tags. */
export type EncryptedChunk = {
  readonly blobId: BlobId;
  readonly place: ChunkPlace;
  readonly sealedBytes: number;
};

/** What must be read and opened to have a range of plain bytes. */
export type EncryptedRange = {
  /** Of the sealed bytes of all segments in a row. */
  readonly sealed: Range;
  /** Plain bytes to leave out at the start of the first chunk. */
  readonly skipBytes: number;
  /** The chunks in that range, in order. Made one by one: a large object has millions. */
  readonly chunks: Iterator<EncryptedChunk>;
};

/** The chunks that hold `range`, which must lie inside the object and not be empty. */
export function encryptedRangeOf(
  segments: readonly Segment[],
  range: Range,
  layers: Layers,
): EncryptedRange {
  let skipBytes = 0;
  let sealedStart = -1;
  let sealedEnd = 0;
  for (const { from, to, sealedAt, segment } of piecesOf(segments, range, layers)) {
    const first = Math.floor(from / CHUNK_BYTES);
    if (sealedStart === -1) {
      sealedStart = sealedAt + chunkStart(first, layers);
      skipBytes = from - first * CHUNK_BYTES;
    }
    sealedEnd =
      sealedAt + Math.min(chunkStart(Math.ceil(to / CHUNK_BYTES), layers), segment.lengthBytes);
  }
  const sealed = { offsetBytes: sealedStart, lengthBytes: sealedEnd - sealedStart };
  return { sealed, skipBytes, chunks: chunksOf(segments, range, layers) };
}

/** Where a chunk begins in its sealed body. */
function chunkStart(index: number, layers: Layers): number {
  return index * (CHUNK_BYTES + TAG_BYTES * layers);
}

/**
 * Plain bytes `from` to `to` of a segment; `sealedAt`: where it begins among the sealed bytes of
 * all.
 */
type Piece = {
  readonly segment: Segment;
  readonly sealedAt: number;
  readonly plainBytes: number;
  readonly from: number;
  readonly to: number;
};

/** What of each segment the range covers; segments outside of it are left out. */
function* piecesOf(segments: readonly Segment[], range: Range, layers: Layers): Generator<Piece> {
  const end = range.offsetBytes + range.lengthBytes;
  let plainAt = 0;
  let sealedAt = 0;
  for (const segment of segments) {
    const plainBytes = plainSize(segment.lengthBytes, layers);
    const from = Math.max(range.offsetBytes - plainAt, 0);
    const to = Math.min(end - plainAt, plainBytes);
    if (from < to) yield { segment, sealedAt, plainBytes, from, to };
    plainAt += plainBytes;
    sealedAt += segment.lengthBytes;
  }
}

function* chunksOf(
  segments: readonly Segment[],
  range: Range,
  layers: Layers,
): Generator<EncryptedChunk> {
  for (const { segment, plainBytes, from, to } of piecesOf(segments, range, layers)) {
    const { blobId, lengthBytes } = segment;
    const lastIndex = Math.ceil(plainBytes / CHUNK_BYTES) - 1;
    for (let index = Math.floor(from / CHUNK_BYTES); index * CHUNK_BYTES < to; index++) {
      const start = chunkStart(index, layers);
      const sealedBytes = Math.min(chunkStart(index + 1, layers), lengthBytes) - start;
      yield { blobId, place: { index, isLast: index === lastIndex }, sealedBytes };
    }
  }
}
