// Bodies on their way out. A range of an object is cut into slices of its blobs, which come from
// the nearest tier that has them; a read longer than the tiers take streams from the bucket. What
// is encrypted passes the tiers sealed and is opened behind them (core/encryption/decrypt-body.ts).
// Called by the S3 surface and by delivery.

import { StorageError } from '../../domain/errors.ts';
import type { ObjectBody, ObjectKey, ObjectVersion, Segment } from '../../domain/nouns.ts';
import type { LendBytes } from '../../ports/blob-store.ts';
import { ChunkStream, joinChunks } from '../../ports/chunk-stream.ts';
import type { BodyTier, SliceBytes } from '../../ports/edge-cache.ts';
import { within } from '../../ports/with-timeout.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { decryptBody } from '../encryption/decrypt-body.ts';
import { type CustomerKey, unwrapDataKey } from '../encryption/wrapped-data-key.ts';
import { callsToStream, requireCalls } from './read-calls.ts';

export type ByteRange = { readonly offsetBytes: number; readonly lengthBytes: number };

/** `tier`: where the bytes came from; `index` for bodies that stand in the row. */
export type OpenedBody = {
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null;
  readonly tier: BodyTier | 'bucket' | 'index' | 'none';
};

/** As OpenedBody; `lend`: reads the body, which is null then. */
export type BodyNow = {
  readonly body: Uint8Array | null;
  readonly tier: 'memory' | 'index' | 'bucket' | 'none';
  readonly lend: LendBytes | null;
};

/** What `openBody` needs of a version or a pointer. */
export type ReadableVersion = ObjectBody & Pick<ObjectVersion, 'sizeBytes' | 'encryption'>;

/** The current version. NoSuchKey, also when a delete marker hides it. Cost: one index read. */
export async function getObject(bucket: BucketHandle, key: ObjectKey): Promise<ObjectVersion> {
  const found = await bucket.call('getVersion', { key, versionId: null });
  if (found?.kind !== 'object') throw new StorageError('NoSuchKey', { fields: { Key: key } });
  return found.object;
}

/**
 * Opens a range that lies inside the version; a null body stands for no bytes. A stream errors
 * rather than end short. ObjectDamaged when a blob is missing; InvalidRequest for more segments
 * than a request can read. `customerKey`: what a client sent to open what it encrypted itself; the
 * errors of unwrapDataKey. Cost: nothing in memory; else one R2 class B call per slice that no tier
 * has, or per segment for a read longer than the tiers take.
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
  return decryptBody(version, range, dataKey, (sealed) => openStored(core, version, sealed));
}

/** A range of the bytes as they are stored. */
function openStored(
  core: Core,
  version: ObjectBody,
  range: ByteRange,
): OpenedBody | Promise<OpenedBody> {
  if (version.inlineBytes !== null) return { body: cut(version.inlineBytes, range), tier: 'index' };
  const wanted = cutSegments(version.segments, range);
  const { sliceBytes, maxSlicesPerRead } = core.ports.edgeCache;
  if (sliceBytes === 0 || range.lengthBytes > sliceBytes * maxSlicesPerRead)
    return streamSegments(core, wanted);
  return openSlices(core, piecesOf(version.segments, range, sliceBytes), range.lengthBytes);
}

/**
 * A range that lies inside the version, if it can be had without waiting: in one piece from memory,
 * nothing is started for it then, or, where `mayAskBucket`, from a bucket that has it at hand. What
 * is encrypted stands nowhere as it is.
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
  const { sliceBytes } = core.ports.edgeCache;
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

/** Whether a range that lies inside the version stands in memory as it is. */
export function isInMemory(core: Core, version: ReadableVersion, range: ByteRange): boolean {
  return bodyNow(core, version, range, false) !== null;
}

/**
 * How to read, at once, what the bucket has at hand, as `openBody` would: of one blob, and not at
 * all where slices are worth loading, for it counts as a request for those. `tier`: where the first
 * of them stands.
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
    if (piece !== pieces[0]) isInMemory = edgeCache.peek(piece.slice) !== null;
    if (!isInMemory && edgeCache.admits(piece.slice, lengthBytes)) return null;
  }
  return { body: null, tier, lend };
}

/** The one run that pieces of the same blob make, null where they are of several. */
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

/** A slice of a blob and what of it is wanted. */
type Piece = { readonly slice: Segment; readonly part: ByteRange };

/**
 * Another run of a segment's blob. A literal, for every hot read makes one: `{...segment}` takes 15
 * ns more.
 */
function runOf({ blobId, packing }: Segment, offsetBytes: number, lengthBytes: number): Segment {
  return packing === undefined
    ? { blobId, offsetBytes, lengthBytes }
    : { blobId, offsetBytes, lengthBytes, packing };
}

/**
 * The slices that a range of the object touches. Slices never reach over the end of their segment.
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
 * One slice that stands in memory is an answer in memory; anything longer is a stream that holds
 * one chunk at a time.
 */
function openSlices(
  core: Core,
  pieces: readonly Piece[],
  readBytes: number,
): OpenedBody | Promise<OpenedBody> {
  const [first, ...rest] = pieces;
  if (first === undefined)
    throw new StorageError('ObjectDamaged', { detail: 'A version has fewer bytes than its size.' });
  const further = rest.map(
    (piece) => () =>
      peekPiece(core, piece) ?? readPiece(core, piece, readBytes).then(({ body }) => body),
  );
  const answer = ({ body, tier }: ReadPiece): OpenedBody =>
    rest.length === 0 ? { body, tier } : { body: new ChunkStream(joinChunks(body, further)), tier };
  const known = peekPiece(core, first);
  if (known !== null) return answer({ body: known, tier: 'memory' });
  // A body that is one slice is read whole in any case, and once for all who ask.
  const isBody = rest.length === 0 && first.part.lengthBytes === first.slice.lengthBytes;
  return (isBody ? readSlice(core, first) : readPiece(core, first, readBytes)).then(answer);
}

type ReadPiece = {
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
  readonly tier: SliceBytes['tier'];
};

function peekPiece(core: Core, { slice, part }: Piece): Uint8Array | null {
  const bytes = core.ports.edgeCache.peek(slice);
  return bytes === null ? null : cut(bytes, part);
}

/**
 * A piece that memory has not: from its slice where that is worth it, else just so, from the
 * bucket.
 */
async function readPiece(core: Core, piece: Piece, readBytes: number): Promise<ReadPiece> {
  const { slice, part } = piece;
  const { blobStore, edgeCache } = core.ports;
  if (edgeCache.admits(slice, readBytes)) return readSlice(core, piece);
  const range = runOf(slice, slice.offsetBytes + part.offsetBytes, part.lengthBytes);
  return {
    body: await openInTime(core, () => blobStore.open(slice.blobId, range)),
    tier: 'bucket',
  };
}

async function readSlice(core: Core, { slice, part }: Piece): Promise<ReadPiece> {
  const { blobStore, edgeCache } = core.ports;
  const load = () =>
    within(core.settings.tierLimitMs, 'the bucket', () => blobStore.read(slice.blobId, slice));
  const { bytes, isPart, tier } = await edgeCache.read(slice, load, part);
  return { body: isPart ? bytes : cut(bytes, part), tier };
}

/** A stream that opens too late is let go again. */
function openInTime(
  core: Core,
  open: () => Promise<ReadableStream<Uint8Array>>,
): Promise<ReadableStream<Uint8Array>> {
  const dropLate = (body: ReadableStream<Uint8Array>) => void body.cancel().catch(() => undefined);
  return within(core.settings.tierLimitMs, 'the bucket', open, dropLate);
}

/** The parts of `segments` that a range of the object covers. */
export function cutSegments(segments: readonly Segment[], range: ByteRange): Segment[] {
  const wanted: Segment[] = [];
  let skip = range.offsetBytes;
  let left = range.lengthBytes;
  for (const segment of segments) {
    if (left === 0) break;
    if (skip >= segment.lengthBytes) {
      skip -= segment.lengthBytes;
      continue;
    }
    const lengthBytes = Math.min(segment.lengthBytes - skip, left);
    wanted.push(runOf(segment, segment.offsetBytes + skip, lengthBytes));
    skip = 0;
    left -= lengthBytes;
  }
  return wanted;
}

/**
 * Streams segments one after the other; the first is opened before this resolves, so a missing blob
 * is an error.
 */
async function streamSegments(core: Core, wanted: readonly Segment[]): Promise<OpenedBody> {
  if (wanted.length === 0)
    throw new StorageError('ObjectDamaged', { detail: 'A version has fewer bytes than its size.' });
  requireCalls(core, callsToStream(wanted), 'Ask for it in ranges.');
  return {
    body: await openInTime(core, () => core.ports.blobStore.openRuns(wanted)),
    tier: 'bucket',
  };
}
