// Bodies on their way out. A range of an object is cut into slices of its blobs, which come from the nearest tier that
// has them; a read longer than the tiers take streams from the bucket. Called by the S3 surface and by delivery.
import type { ObjectBody, ObjectKey, ObjectVersion, Segment } from '../../ports/domain.ts';
import type { BodyTier, SliceBytes } from '../../ports/edge-cache.ts';
import { StorageError } from '../../ports/errors.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';

export type ByteRange = { readonly offsetBytes: number; readonly lengthBytes: number };

/** `tier`: where the bytes came from; `index` for bodies that stand in the row. */
export type OpenedBody = {
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null;
  readonly tier: BodyTier | 'bucket' | 'index' | 'none';
};

/** What `openBody` needs of a version or a pointer. */
export type ReadableVersion = ObjectBody & Pick<ObjectVersion, 'sizeBytes'>;

/** The current version. NoSuchKey, also when a delete marker hides it. Cost: one index read. */
export async function getObject(bucket: BucketHandle, key: ObjectKey): Promise<ObjectVersion> {
  const found = await bucket.call('getVersion', { key, versionId: null });
  if (found?.kind !== 'object') throw new StorageError('NoSuchKey', { fields: { Key: key } });
  return found.object;
}

/**
 * Opens a range that lies inside the version; a null body stands for no bytes. A stream errors rather than end
 * short. InternalError when a blob is missing. Cost: nothing in memory; else one R2 class B call per slice that no
 * tier has, or per segment for a read longer than the tiers take.
 */
export function openBody(core: Core, version: ReadableVersion, range: ByteRange): OpenedBody | Promise<OpenedBody> {
  if (range.lengthBytes === 0) return { body: null, tier: 'none' };
  if (version.inlineBytes !== null) return { body: cut(version.inlineBytes, range), tier: 'index' };
  const wanted = cutSegments(version.segments, range);
  const { sliceBytes, maxSlicesPerRead } = core.ports.edgeCache;
  if (sliceBytes === 0 || range.lengthBytes > sliceBytes * maxSlicesPerRead) return streamSegments(core, wanted);
  return openSlices(core, piecesOf(version.segments, range, sliceBytes));
}

/** The whole body, if it stands in memory: nothing is read or started for it. A null body stands for no bytes. */
export function bodyInMemory(
  core: Core,
  version: ReadableVersion,
): { readonly body: Uint8Array | null; readonly tier: 'memory' | 'index' | 'none' } | null {
  if (version.sizeBytes === 0) return { body: null, tier: 'none' };
  if (version.inlineBytes !== null) return { body: version.inlineBytes, tier: 'index' };
  const { sliceBytes, peek } = core.ports.edgeCache;
  const [segment] = version.segments;
  if (segment === undefined || segment.lengthBytes !== version.sizeBytes) return null;
  const firstSlice = Math.floor(segment.offsetBytes / sliceBytes);
  const lastSlice = Math.floor((segment.offsetBytes + segment.lengthBytes - 1) / sliceBytes);
  const body = firstSlice === lastSlice ? peek(segment) : null;
  return body === null ? null : { body, tier: 'memory' };
}

function cut(bytes: Uint8Array, { offsetBytes, lengthBytes }: ByteRange): Uint8Array {
  return bytes.length === lengthBytes ? bytes : bytes.subarray(offsetBytes, offsetBytes + lengthBytes);
}

/** A slice of a blob and what of it is wanted. */
type Piece = { readonly slice: Segment; readonly within: ByteRange };

/** The slices that a range of the object touches. Slices never reach over the end of their segment. */
export function piecesOf(segments: readonly Segment[], range: ByteRange, sliceBytes: number): Piece[] {
  const pieces: Piece[] = [];
  let segmentStart = 0;
  const rangeEnd = range.offsetBytes + range.lengthBytes;
  for (const { blobId, offsetBytes, lengthBytes } of segments) {
    const from = Math.max(range.offsetBytes - segmentStart, 0) + offsetBytes;
    const to = Math.min(rangeEnd - segmentStart, lengthBytes) + offsetBytes;
    segmentStart += lengthBytes;
    for (let at = from; at < to; ) {
      const index = Math.floor(at / sliceBytes);
      const start = Math.max(index * sliceBytes, offsetBytes);
      const end = Math.min((index + 1) * sliceBytes, offsetBytes + lengthBytes);
      const until = Math.min(end, to);
      const slice = { blobId, offsetBytes: start, lengthBytes: end - start };
      pieces.push({ slice, within: { offsetBytes: at - start, lengthBytes: until - at } });
      at = until;
    }
  }
  return pieces;
}

/** One piece is an answer in memory; several are a stream that holds one slice at a time. */
function openSlices(core: Core, pieces: readonly Piece[]): OpenedBody | Promise<OpenedBody> {
  const [first, ...rest] = pieces;
  if (first === undefined)
    throw new StorageError('InternalError', { detail: 'A version has fewer bytes than its size.' });
  const known = core.ports.edgeCache.peek(first.slice);
  if (known !== null) return respondWith(core, cut(known, first.within), 'memory', rest);
  return readSlice(core, first.slice).then(({ bytes, tier }) =>
    respondWith(core, cut(bytes, first.within), tier, rest),
  );
}

function respondWith(core: Core, first: Uint8Array, tier: SliceBytes['tier'], rest: readonly Piece[]): OpenedBody {
  if (rest.length === 0) return { body: first, tier };
  let next = -1;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = rest[next];
        next++;
        if (piece === undefined) controller.enqueue(first);
        else {
          const bytes = core.ports.edgeCache.peek(piece.slice) ?? (await readSlice(core, piece.slice)).bytes;
          controller.enqueue(cut(bytes, piece.within));
        }
        if (next === rest.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, tier };
}

function readSlice(core: Core, slice: Segment): Promise<SliceBytes> {
  const load = async () => readAll(await core.ports.blobStore.open(slice.blobId, slice), slice.lengthBytes);
  return core.ports.edgeCache.read(slice, load);
}

/** Reads a stream of known length into memory. InternalError when it ends early. */
async function readAll(stream: ReadableStream<Uint8Array>, lengthBytes: number): Promise<Uint8Array> {
  let whole: Uint8Array | null = null;
  let offset = 0;
  for await (const chunk of stream) {
    // A stream of one chunk is the usual case, and needs no copy.
    if (offset === 0 && chunk.length === lengthBytes) whole = chunk;
    else {
      whole ??= new Uint8Array(lengthBytes);
      whole.set(chunk, offset);
    }
    offset += chunk.length;
  }
  if (whole === null || offset !== lengthBytes) {
    throw new StorageError('InternalError', { detail: 'A blob is shorter than its segment.' });
  }
  return whole;
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
    wanted.push({ blobId: segment.blobId, offsetBytes: segment.offsetBytes + skip, lengthBytes });
    skip = 0;
    left -= lengthBytes;
  }
  return wanted;
}

/** Streams segments one after the other; the first is opened before this resolves, so a missing blob is an error. */
async function streamSegments(core: Core, wanted: readonly Segment[]): Promise<OpenedBody> {
  if (wanted.length === 0)
    throw new StorageError('InternalError', { detail: 'A version has fewer bytes than its size.' });
  return { body: await core.ports.blobStore.openRuns(wanted), tier: 'bucket' };
}
