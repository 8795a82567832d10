// Bodies on their way out. A range of an object is cut into ranges of its segments; small whole blobs come from and
// go to the body tiers, everything else streams from the bucket. Called by the S3 surface and by delivery.
import type { ObjectBody, ObjectKey, ObjectVersion, Segment } from '../../ports/domain.ts';
import type { BodyTier } from '../../ports/edge-cache.ts';
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
export type ReadableVersion = ObjectBody & Pick<ObjectVersion, 'sizeBytes' | 'etag'>;

/** The current version. NoSuchKey. Cost: one index read. */
export async function getObject(bucket: BucketHandle, key: ObjectKey): Promise<ObjectVersion> {
  const found = await bucket.call('getObject', { key });
  if (found === null) throw new StorageError('NoSuchKey', { fields: { Key: key } });
  return found;
}

/**
 * Opens a range that lies inside the version; a null body stands for no bytes. A stream errors rather than end
 * short. InternalError when a blob is missing. Cost: nothing in memory, else one R2 class B call per segment.
 */
export function openBody(core: Core, version: ReadableVersion, range: ByteRange): OpenedBody | Promise<OpenedBody> {
  if (range.lengthBytes === 0) return { body: null, tier: 'none' };
  if (version.inlineBytes !== null) return { body: cut(version.inlineBytes, range), tier: 'index' };
  const whole = cacheableBlob(core, version);
  if (whole !== null) return openThroughCache(core, whole, range);
  return streamSegments(core, version.segments, range);
}

function cut(bytes: Uint8Array, range: ByteRange): Uint8Array {
  return bytes.length === range.lengthBytes
    ? bytes
    : bytes.subarray(range.offsetBytes, range.offsetBytes + range.lengthBytes);
}

/**
 * The one segment of a version that is a whole blob small enough for the body tiers. An entity tag with a hyphen
 * marks a multipart object, whose segments may be cut from larger blobs (UploadPartCopy) and so are no cache key.
 */
function cacheableBlob(core: Core, version: ReadableVersion): Segment | null {
  const [segment] = version.segments;
  const isWhole = version.segments.length === 1 && segment?.offsetBytes === 0 && !version.etag.includes('-');
  return isWhole && segment !== undefined && segment.lengthBytes <= core.ports.edgeCache.maxBodyBytes ? segment : null;
}

function openThroughCache(core: Core, segment: Segment, range: ByteRange): OpenedBody | Promise<OpenedBody> {
  const found = core.ports.edgeCache.match(segment.blobId);
  if (found !== null && !(found instanceof Promise) && found.body instanceof Uint8Array) {
    return { body: cut(found.body, range), tier: found.tier };
  }
  return (async () => {
    const cached = await found;
    if (cached !== null) {
      const bytes = cached.body instanceof Uint8Array ? cached.body : await readAll(cached.body, segment.lengthBytes);
      if (bytes.length === segment.lengthBytes) return { body: cut(bytes, range), tier: cached.tier };
    }
    const stream = await core.ports.blobStore.open(segment.blobId, {
      offsetBytes: 0,
      lengthBytes: segment.lengthBytes,
    });
    const bytes = await readAll(stream, segment.lengthBytes);
    core.ports.background.run('fill-body', () => core.ports.edgeCache.put(segment.blobId, bytes));
    return { body: cut(bytes, range), tier: 'bucket' };
  })();
}

/** Reads a stream of known length into memory. InternalError when it ends early. */
async function readAll(stream: ReadableStream<Uint8Array>, lengthBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(lengthBytes);
  let offset = 0;
  for await (const chunk of stream) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  if (offset !== lengthBytes)
    throw new StorageError('InternalError', { detail: 'A blob is shorter than its segment.' });
  return bytes;
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

/** Streams segments one after the other; the first is opened before this returns, so a missing blob is an error. */
async function streamSegments(core: Core, segments: readonly Segment[], range: ByteRange): Promise<OpenedBody> {
  const wanted = cutSegments(segments, range);
  const open = (segment: Segment) => core.ports.blobStore.open(segment.blobId, segment);
  const [first, ...rest] = wanted;
  if (first === undefined)
    throw new StorageError('InternalError', { detail: 'A version has fewer bytes than its size.' });
  const opened = await open(first);
  if (rest.length === 0) return { body: opened, tier: 'bucket' };

  let reader = opened.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          const next = rest.shift();
          if (next === undefined) return controller.close();
          reader = (await open(next)).getReader();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { body, tier: 'bucket' };
}
