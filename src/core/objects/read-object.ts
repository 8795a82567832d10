// Reads of bodies. A range of an object is cut into slices of its blobs, which come
// from the nearest tier that has them. A read longer than the tiers take streams
// from the blob store. Encrypted bytes stay encrypted in all tiers and are
// decrypted behind them (core/encryption/decrypt-body.ts). Called by the S3 surface
// and by delivery.

import type { ByteRange } from '../../domain/byte-range.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ObjectBody, ObjectKey, ObjectVersion, Segment } from '../../domain/nouns.ts';
import type { BorrowBytes } from '../../ports/blob-store.ts';
import { type ByteChunks, ChunkStream, joinChunks } from '../../ports/chunk-stream.ts';
import type { BodyTier, SliceBytes } from '../../ports/edge-cache.ts';
import { withTimeout } from '../../ports/with-timeout.ts';
import type { Core } from '../core.ts';
import { decryptBody } from '../encryption/decrypt-body.ts';
import { type CustomerKey, unwrapDataKey } from '../encryption/envelope.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { callsToStream, requireCalls } from './read-calls.ts';

/**
 * An opened body. `tier`: where its bytes come from; `index` for bodies in their
 * index row.
 */
export type OpenedBody = {
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null;
  readonly tier: BodyTier | 'bucket' | 'index' | 'none';
};

/**
 * A body that can be had without waiting, or `lend`, which reads one into a
 * borrowed buffer.
 */
export type BodyNow = {
  readonly body: Uint8Array | null;
  readonly tier: 'memory' | 'index' | 'bucket' | 'none';
  readonly lend: BorrowBytes | null;
};

/** The longest read that `bodyNow` tries where there are no tiers, bytes. */
const SLICE_WITHOUT_TIERS_BYTES = 1024 * 1024;

/** What `openBody` needs of a version or a pointer. */
export type ReadableVersion = ObjectBody & Pick<ObjectVersion, 'sizeBytes' | 'encryption'>;

/**
 * Reads the current version from the index. NoSuchKey, also when a delete marker
 * hides it. Cost: one index read.
 */
export async function getObject(bucket: BucketHandle, key: ObjectKey): Promise<ObjectVersion> {
  const stored = await bucket.call('getVersion', { key, versionId: null });
  if (stored?.kind !== 'object') throw new StorageError('NoSuchKey', { fields: { Key: key } });
  return stored.object;
}

/**
 * Opens a range that lies inside the version; a null body stands for no bytes. A
 * stream errors rather than end short. `customerKey`: the client's key of what it
 * encrypted itself. ObjectDamaged when a blob is missing; InvalidRequest for more
 * segments than a request can read; the errors of unwrapDataKey. Cost: nothing in
 * memory. Else one R2 class B call per slice that no tier has, or per segment for a
 * read longer than the tiers take.
 */
export function openBody(
  core: Core,
  version: ReadableVersion,
  range: ByteRange,
  customerKey: CustomerKey | null = null,
): OpenedBody | Promise<OpenedBody> {
  if (range.lengthBytes === 0) return { body: null, tier: 'none' };
  return version.encryption === null
    ? openStored(core, version, range)
    : openEncrypted(core, version, range, customerKey);
}

async function openEncrypted(
  core: Core,
  version: ReadableVersion,
  range: ByteRange,
  customerKey: CustomerKey | null,
): Promise<OpenedBody> {
  const dataKey = await unwrapDataKey(core, version.encryption, customerKey);
  if (dataKey === null)
    throw new StorageError('InternalError', { detail: 'An encrypted version has no key.' });
  return decryptBody(version, range, dataKey, (stored) => openStored(core, version, stored));
}

/** Opens a range of the bytes as they are stored. */
function openStored(
  core: Core,
  version: ObjectBody,
  range: ByteRange,
): OpenedBody | Promise<OpenedBody> {
  if (version.inlineBytes !== null) return { body: cut(version.inlineBytes, range), tier: 'index' };
  const segments = cutSegments(version.segments, range);
  const { sliceBytes, maxSlicesPerRead } = core.ports.edgeCache;
  if (sliceBytes === 0 || range.lengthBytes > sliceBytes * maxSlicesPerRead)
    return streamSegments(core, segments);
  const pieces = piecesOf(version.segments, range, sliceBytes);
  function openPieces(): OpenedBody | Promise<OpenedBody> {
    const end = pieces.length > 1 ? core.ports.edgeCache.beginSlices?.() : undefined;
    if (end === null) return streamSegments(core, segments);
    return openSlices(core, pieces, range.lengthBytes, end);
  }

  if (core.ports.edgeCache.openRun === undefined) return openPieces();
  const runs = piecesOf(version.segments, range, sliceBytes * maxSlicesPerRead);
  if (runs.length === pieces.length) return openPieces();
  return openRuns(core, runs, range.lengthBytes).then((opened) => opened ?? openPieces());
}

/**
 * Opens a range that lies inside the version if it can be had without waiting, else
 * null. It comes in one piece from memory, or with `mayAskBucket` from a blob store
 * that reads it at once. Encrypted bodies are null, since no tier has their plain
 * bytes.
 */
export function bodyNow(
  core: Core,
  version: ReadableVersion,
  range: ByteRange,
  mayAskBucket: boolean,
): BodyNow | null {
  if (version.encryption !== null) return null;
  if (range.lengthBytes === 0) return { body: null, tier: 'none', lend: null };
  if (version.inlineBytes !== null)
    return { body: cut(version.inlineBytes, range), tier: 'index', lend: null };
  const { sliceBytes: tierBytes } = core.ports.edgeCache;
  const sliceBytes = tierBytes === 0 ? SLICE_WITHOUT_TIERS_BYTES : tierBytes;
  if (range.lengthBytes > sliceBytes) return null;
  const pieces = piecesOf(version.segments, range, sliceBytes);
  const [first, another] = pieces;
  if (first === undefined) return null;
  const body = peekPiece(core, first);
  if (body !== null && another === undefined) return { body, tier: 'memory', lend: null };
  return mayAskBucket
    ? bodyAtHand(core, pieces, range.lengthBytes, body === null ? 'bucket' : 'memory')
    : null;
}

/**
 * Whether a range that lies inside the version is in memory, in one piece and
 * plain.
 */
export function isInMemory(core: Core, version: ReadableVersion, range: ByteRange): boolean {
  return bodyNow(core, version, range, false) !== null;
}

/**
 * Finds how the blob store can read pieces of one blob at once; null where it
 * can't. Also null where slices are worth loading, since `openBody` counts the read
 * as a request for them. `tier`: where the first piece is.
 */
function bodyAtHand(
  core: Core,
  pieces: readonly Piece[],
  lengthBytes: number,
  tier: 'memory' | 'bucket',
): BodyNow | null {
  const { blobStore, edgeCache } = core.ports;
  const run = runOfPieces(pieces, lengthBytes);
  const lend = run === null ? null : (blobStore.atHand?.(run.blobId, run) ?? null);
  if (lend === null) return null;
  let isInMemory = tier === 'memory';
  for (const piece of pieces) {
    if (piece !== pieces[0])
      isInMemory = edgeCache.peek(piece.slice, piece.part.lengthBytes) !== null;
    if (!isInMemory && edgeCache.admits(piece.slice, lengthBytes)) return null;
  }
  return { body: null, tier, lend };
}

/**
 * Joins neighbouring pieces of one blob to one run; null where they are of several.
 */
function runOfPieces(pieces: readonly Piece[], lengthBytes: number): Segment | null {
  const [first] = pieces;
  if (first === undefined) return null;
  const start = first.slice.offsetBytes + first.part.offsetBytes;
  let end = start;
  for (const { slice, part } of pieces) {
    if (slice.blobId !== first.slice.blobId || slice.offsetBytes + part.offsetBytes !== end)
      return null;
    end += part.lengthBytes;
  }
  return runOf(first.slice, start, lengthBytes);
}

function cut(bytes: Uint8Array, { offsetBytes, lengthBytes }: ByteRange): Uint8Array {
  return bytes.length === lengthBytes
    ? bytes
    : bytes.subarray(offsetBytes, offsetBytes + lengthBytes);
}

/** A slice of a blob, and the part of it that the read needs. */
type Piece = { readonly slice: Segment; readonly part: ByteRange };

/**
 * Makes another run of a segment's blob. It is a literal because every hot read
 * makes one: `{...segment}` takes 15 ns more.
 */
function runOf({ blobId, packing }: Segment, offsetBytes: number, lengthBytes: number): Segment {
  return packing === undefined
    ? { blobId, offsetBytes, lengthBytes }
    : { blobId, offsetBytes, lengthBytes, packing };
}

/**
 * Lists the slices that a range of the object touches. No slice crosses the end of
 * its segment.
 */
export function piecesOf(
  segments: readonly Segment[],
  range: ByteRange,
  sliceBytes: number,
): Piece[] {
  const pieces: Piece[] = [];
  let segmentStart = 0;
  const rangeEnd = range.offsetBytes + range.lengthBytes;
  for (const segment of segments) {
    const { offsetBytes, lengthBytes } = segment;
    const from = Math.max(range.offsetBytes - segmentStart, 0) + offsetBytes;
    const to = Math.min(rangeEnd - segmentStart, lengthBytes) + offsetBytes;
    segmentStart += lengthBytes;
    for (let at = from; at < to; ) {
      const index = Math.floor(at / sliceBytes);
      const start = Math.max(index * sliceBytes, offsetBytes);
      const end = Math.min((index + 1) * sliceBytes, offsetBytes + lengthBytes);
      const until = Math.min(end, to);
      const slice = runOf(segment, start, end - start);
      pieces.push({ slice, part: { offsetBytes: at - start, lengthBytes: until - at } });
      at = until;
    }
  }
  return pieces;
}

/**
 * Opens pieces of slices. A single slice in memory is a body in memory; anything
 * longer is a stream that has one chunk at a time, and calls `end` at its end.
 */
function openSlices(
  core: Core,
  pieces: readonly Piece[],
  readBytes: number,
  end: () => void = () => undefined,
): OpenedBody | Promise<OpenedBody> {
  const [first, ...rest] = pieces;
  if (first === undefined)
    throw new StorageError('ObjectDamaged', { detail: 'A version has fewer bytes than its size.' });
  const further = rest.map(
    (piece) => () =>
      peekPiece(core, piece) ?? readPiece(core, piece, readBytes).then(({ body }) => body),
  );
  const withRest = ({ body, tier }: ReadPiece): OpenedBody =>
    rest.length === 0
      ? { body, tier }
      : { body: new ChunkStream(endingWith(joinChunks(body, further), end)), tier };

  const inMemory = peekPiece(core, first);
  if (inMemory !== null) return withRest({ body: inMemory, tier: 'memory' });
  return readPiece(core, first, readBytes).then(withRest, (error) => {
    end();
    throw error;
  });
}

/**
 * Opens pieces of runs, one call each; null where no tier has the first so. What
 * fails of the further ones comes from the bucket.
 */
async function openRuns(
  core: Core,
  pieces: readonly Piece[],
  readBytes: number,
): Promise<OpenedBody | null> {
  const [first, ...rest] = pieces;
  if (first === undefined) return null;
  const opened = await openRun(core, first, readBytes);
  if (opened === null || rest.length === 0) return opened;
  const further = rest.map(
    (piece) => async () =>
      (await openRun(core, piece, readBytes))?.body ?? streamPiece(core, piece),
  );
  return { body: new ChunkStream(joinChunks(opened.body, further)), tier: opened.tier };
}

/** Opens a piece of a run, or of a slice where the run is no longer than one. */
async function openRun(core: Core, piece: Piece, readBytes: number): Promise<ReadPiece | null> {
  const { edgeCache } = core.ports;
  if (piece.slice.lengthBytes > edgeCache.sliceBytes)
    return (await edgeCache.openRun?.(piece.slice, piece.part)) ?? null;
  const inMemory = peekPiece(core, piece);
  return inMemory === null ? readPiece(core, piece, readBytes) : { body: inMemory, tier: 'memory' };
}

/** The chunks; calls `end` behind the last one, or at what ends them before. */
function endingWith(chunks: ByteChunks, end: () => void): ByteChunks {
  return {
    async next(wantedBytes) {
      try {
        const chunk = await chunks.next(wantedBytes);
        if (chunk === null) end();
        return chunk;
      } catch (error) {
        end();
        throw error;
      }
    },
    close() {
      chunks.close();
      end();
    },
  };
}

type ReadPiece = {
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
  readonly tier: SliceBytes['tier'];
};

function peekPiece(core: Core, { slice, part }: Piece): Uint8Array | null {
  const bytes = core.ports.edgeCache.peek(slice, part.lengthBytes);
  return bytes === null ? null : cut(bytes, part);
}

/**
 * Reads a piece that memory does not have: from its slice where the cache admits
 * that, else from the blob store alone.
 */
async function readPiece(core: Core, piece: Piece, readBytes: number): Promise<ReadPiece> {
  if (core.ports.edgeCache.admits(piece.slice, readBytes)) return readSlice(core, piece);
  return { body: await streamPiece(core, piece), tier: 'bucket' };
}

/** Opens a piece from the blob store, past the tiers. */
function streamPiece(core: Core, { slice, part }: Piece): Promise<ReadableStream<Uint8Array>> {
  const range = runOf(slice, slice.offsetBytes + part.offsetBytes, part.lengthBytes);
  return openInTime(core, () => core.ports.blobStore.open(slice.blobId, range));
}

async function readSlice(core: Core, { slice, part }: Piece): Promise<ReadPiece> {
  const { blobStore, edgeCache } = core.ports;
  const load = () =>
    withTimeout(core.settings.tierLimitMs, 'the bucket', () => blobStore.read(slice.blobId, slice));
  const { bytes, isPart, tier } = await edgeCache.read(slice, load, part);
  return { body: isPart ? bytes : cut(bytes, part), tier };
}

/** Opens a stream in time; one that opens too late is cancelled. */
function openInTime(
  core: Core,
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<ReadableStream<Uint8Array>> {
  const dropLate = (body: ReadableStream<Uint8Array>) => void body.cancel().catch(() => undefined);
  return withTimeout(core.settings.tierLimitMs, 'the bucket', open, dropLate);
}

/** Cuts segments to the parts that a range of the object covers. */
export function cutSegments(segments: readonly Segment[], range: ByteRange): Segment[] {
  const covered: Segment[] = [];
  let skip = range.offsetBytes;
  let left = range.lengthBytes;
  for (const segment of segments) {
    if (left === 0) break;
    if (skip >= segment.lengthBytes) {
      skip -= segment.lengthBytes;
      continue;
    }
    const lengthBytes = Math.min(segment.lengthBytes - skip, left);
    covered.push(runOf(segment, segment.offsetBytes + skip, lengthBytes));
    skip = 0;
    left -= lengthBytes;
  }
  return covered;
}

/**
 * Streams segments one after the other. The first is opened before this resolves,
 * so that a missing blob rejects.
 */
async function streamSegments(core: Core, segments: readonly Segment[]): Promise<OpenedBody> {
  if (segments.length === 0)
    throw new StorageError('ObjectDamaged', { detail: 'A version has fewer bytes than its size.' });
  requireCalls(core, callsToStream(segments), 'Ask for it in ranges.');
  return {
    body: await openInTime(core, () => core.ports.blobStore.openRuns(segments)),
    tier: 'bucket',
  };
}
