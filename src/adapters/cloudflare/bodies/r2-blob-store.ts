// Blobs in one R2 bucket, under `b/{blobId}`. Bodies stream: nothing larger than a
// part is ever held in memory. Used through the BlobStore port; knows nothing of
// objects beyond the identity that it stores with each blob.

import { StorageError } from '../../../domain/errors.ts';
import type { BlobId, Segment } from '../../../domain/nouns.ts';
import type { BlobIdentity, BlobStore } from '../../../ports/blob-store.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import { type DamageKind, damagedBlob, type NoteDamage } from '../../shared/damage.ts';
import { retry } from '../clients/retry.ts';
import { encodeBlobIdentity } from './blob-identity.ts';
import { inLargePieces, joinNative } from './large-body.ts';
import { isPassingR2Error, translateR2Error } from './r2-errors.ts';

const MiB = 1024 * 1024;

/** R2 keys of blobs; other prefixes stay free for other things. */
const KEY_PREFIX = 'b/';
/**
 * Up to here a body is collected first, and so the put can be repeated after a
 * passing failure; and a range is read as one piece, which the body tiers keep.
 */
const WHOLE_MAX_BYTES = MiB;
/**
 * Up to here a body of known length goes in one streaming put, which holds no more
 * than a chunk: an isolate has 128 MB for all its requests, so part buffers are the
 * dearer way. Beyond it R2 wants parts: one upload has at most 5 MiB less than 5
 * GiB. Source: https://developers.cloudflare.com/r2/platform/limits/
 */
const SINGLE_PUT_MAX_BYTES = 5 * 1024 * MiB - 5 * MiB;
/**
 * Part of an R2 multipart upload, bytes: one buffer per upload. R2 wants equal
 * parts of 5 MiB or more, at most 10,000.
 */
const PART_BYTES = 8 * MiB;
/**
 * Most keys of one delete or list call. Source:
 * https://developers.cloudflare.com/r2/api/workers/workers-api-reference/
 */
const BATCH = 1000;

/**
 * Where a body of that length goes; the sizes are parameters so that tests need no
 * gigabytes.
 */
export type R2Limits = { readonly singlePutMaxBytes: number; readonly partBytes: number };

/**
 * Keeps blobs in `bucket`. Repeats only calls that may happen twice; everything
 * else fails to the caller.
 */
export function createR2BlobStore(
  bucket: R2Bucket,
  limits: R2Limits = { singlePutMaxBytes: SINGLE_PUT_MAX_BYTES, partBytes: PART_BYTES },
  noteDamage: NoteDamage = () => undefined,
): BlobStore {
  const source: Source = { bucket, noteDamage };
  const targetOf = (id: BlobId, identity: BlobIdentity): Target => {
    const customMetadata = encodeBlobIdentity(identity);
    return { bucket, key: keyOf(id), options: { customMetadata, ...r2ClassOf(identity) } };
  };
  return {
    async write(id, body, identity) {
      const target = targetOf(id, identity);
      const { lengthBytes } = body;
      if (lengthBytes === null || lengthBytes > limits.singlePutMaxBytes)
        return writeParts(target, body, limits);
      return lengthBytes <= WHOLE_MAX_BYTES
        ? writeWhole(target, body, lengthBytes)
        : writeStream(target, body, lengthBytes);
    },

    async put(id, bytes, identity) {
      const { key, options } = targetOf(id, identity);
      await call('store a blob', () =>
        retry(() => bucket.put(key, bytes, options), isPassingR2Error),
      );
    },

    open: (id, range) => openRange(source, id, range),
    openRuns: (runs) => openRuns(source, runs),
    read: (id, range) => readRange(source, id, range),

    async delete(ids) {
      for (let start = 0; start < ids.length; start += BATCH) {
        const keys = ids.slice(start, start + BATCH).map(keyOf);
        await call('delete blobs', () => retry(() => bucket.delete(keys), isPassingR2Error));
      }
    },

    async list({ prefix, after, limit }) {
      const blobIds: BlobId[] = [];
      let startAfter = after;
      for (;;) {
        const options: R2ListOptions = {
          prefix: KEY_PREFIX + prefix,
          limit: Math.min(limit - blobIds.length, BATCH),
        };
        if (startAfter !== '') options.startAfter = KEY_PREFIX + startAfter;
        const page = await call('list blobs', () =>
          retry(() => bucket.list(options), isPassingR2Error),
        );
        for (const { key } of page.objects) blobIds.push(key.slice(KEY_PREFIX.length) as BlobId);
        startAfter = blobIds.at(-1) ?? startAfter;
        // R2 may give short pages, so only its own word ends the listing.
        if (!page.truncated || blobIds.length >= limit)
          return { blobIds, isTruncated: page.truncated };
      }
    },
  };
}

/**
 * Classes of S3 for what is seldom read. Lifecycle moves rows only: a blob stays in
 * the class that it was written in.
 */
const SELDOM_READ: ReadonlySet<string> = new Set(['STANDARD_IA', 'ONEZONE_IA', 'GLACIER_IR']);

/**
 * R2 has one class besides its standard. Source:
 * https://developers.cloudflare.com/r2/buckets/storage-classes/
 */
function r2ClassOf({
  storageClass = 'STANDARD',
}: BlobIdentity): Pick<R2PutOptions, 'storageClass'> {
  return SELDOM_READ.has(storageClass) ? { storageClass: 'InfrequentAccess' } : {};
}

type Target = { readonly bucket: R2Bucket; readonly key: string; readonly options: R2PutOptions };

const keyOf = (id: BlobId): string => KEY_PREFIX + id;

async function call<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translateR2Error(error, what);
  }
}

/**
 * The pump promised to deliver `lengthBytes`; a source that broke its promise must
 * not become a blob.
 */
function assertLength(sizeBytes: number, lengthBytes: number): void {
  if (sizeBytes !== lengthBytes) throw new StorageError('IncompleteBody');
}

async function writeWhole(
  target: Target,
  source: ByteSource,
  lengthBytes: number,
): Promise<{ sizeBytes: number }> {
  const bytes = new Uint8Array(lengthBytes);
  let sizeBytes = 0;
  await source.pump((chunk) => {
    if (sizeBytes + chunk.length > lengthBytes) throw new StorageError('IncompleteBody');
    bytes.set(chunk, sizeBytes);
    sizeBytes += chunk.length;
  });
  assertLength(sizeBytes, lengthBytes);
  await store(target, () =>
    retry(() => target.bucket.put(target.key, bytes, target.options), isPassingR2Error),
  );
  return { sizeBytes };
}

/**
 * Runs a storing call; when it fails its outcome is unknown, so what it may have
 * stored is deleted, if R2 lets us.
 */
async function store(target: Target, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await remove(target);
    throw translateR2Error(error, 'store a blob');
  }
}

/** Best effort: what stays is an orphan, and the sweeper knows those. */
async function remove({ bucket, key }: Target): Promise<void> {
  await bucket.delete(key).catch(() => {});
}

/** One put that reads while we pump, through a stream that knows its length. */
async function writeStream(
  target: Target,
  source: ByteSource,
  lengthBytes: number,
): Promise<{ sizeBytes: number }> {
  const { readable, writable } = new FixedLengthStream(lengthBytes);
  const writer = writable.getWriter();
  void writer.closed.catch(() => {});
  /** Stands for "R2 stopped reading" where the put's own failure says why. */
  const refused = new StorageError('InternalError', { detail: 'R2 stopped reading a body.' });
  const abort = (reason: unknown) => writer.abort(reason).catch(() => {});

  const stored = target.bucket.put(target.key, readable, target.options).then(
    () => null,
    async (error) => {
      // Without this a waiting write, and so the pump, would never end.
      await abort(refused);
      return { error };
    },
  );
  let sizeBytes = 0;
  let failure: { readonly error: unknown } | null = null;
  try {
    await source.pump((chunk) => {
      sizeBytes += chunk.length;
      if (sizeBytes > lengthBytes) throw new StorageError('IncompleteBody');
      return writer.write(chunk).catch(() => Promise.reject(refused));
    });
    assertLength(sizeBytes, lengthBytes);
    await writer.close().catch(() => Promise.reject(refused));
  } catch (error) {
    failure = { error };
    // Without this the put would wait for the rest for ever.
    await abort(error);
  }
  const storeFailure = await stored;
  if (failure !== null && failure.error !== refused) {
    // A source may fail after its last byte (a trailer that lies), when R2 has
    // stored them all.
    if (storeFailure === null) await remove(target);
    throw failure.error;
  }
  if (failure !== null || storeFailure !== null)
    await store(target, () => Promise.reject(storeFailure?.error ?? refused));
  return { sizeBytes: lengthBytes };
}

/**
 * Parts of equal size through one buffer; a body that fits one part needs no parts
 * at all.
 */
async function writeParts(
  target: Target,
  source: ByteSource,
  limits: R2Limits,
): Promise<{ sizeBytes: number }> {
  const { bucket, key } = target;
  const buffer = new Uint8Array(limits.partBytes);
  const parts: R2UploadedPart[] = [];
  let upload: R2MultipartUpload | null = null;
  let filled = 0;
  let sizeBytes = 0;

  async function flush(): Promise<void> {
    const body = buffer.subarray(0, filled);
    const partNumber = parts.length + 1;
    upload ??= await call('begin a blob', () => bucket.createMultipartUpload(key, target.options));
    const open = upload;
    parts.push(
      await call('store a part', () =>
        retry(() => open.uploadPart(partNumber, body), isPassingR2Error),
      ),
    );
    filled = 0;
  }

  try {
    await source.pump(async (chunk) => {
      for (let at = 0; at < chunk.length; ) {
        if (filled === buffer.length) await flush();
        const piece = chunk.subarray(at, at + buffer.length - filled);
        buffer.set(piece, filled);
        filled += piece.length;
        at += piece.length;
      }
      sizeBytes += chunk.length;
    });
    if (source.lengthBytes !== null) assertLength(sizeBytes, source.lengthBytes);
    if (upload !== null && filled > 0) await flush();
  } catch (error) {
    await abort(upload);
    throw error;
  }
  await finish(target, upload, parts, buffer.subarray(0, filled));
  return { sizeBytes };
}

async function finish(
  target: Target,
  upload: R2MultipartUpload | null,
  parts: R2UploadedPart[],
  rest: Uint8Array,
): Promise<void> {
  if (upload === null) {
    await store(target, () =>
      retry(() => target.bucket.put(target.key, rest, target.options), isPassingR2Error),
    );
    return;
  }
  try {
    await store(target, () => upload.complete(parts));
  } catch (error) {
    await abort(upload);
    throw error;
  }
}

/**
 * R2 drops uploads that nobody finishes after seven days; this only makes it
 * sooner.
 */
async function abort(upload: R2MultipartUpload | null): Promise<void> {
  await upload?.abort().catch(() => {});
}

type Range = { readonly offsetBytes: number; readonly lengthBytes: number };

/** A bucket, and who hears of reads that met lost bytes. */
type Source = { readonly bucket: R2Bucket; readonly noteDamage: NoteDamage };

/** Makes the failure of a read. */
const lost =
  ({ noteDamage }: Source, id: BlobId, kind: DamageKind) =>
  () => {
    noteDamage(id, kind);
    return damagedBlob(id, kind);
  };

/**
 * R2's answer to a get of that range, which lies inside the blob; `take` what is
 * wanted of it.
 */
function getRange<Taken>(
  source: Source,
  id: BlobId,
  range: Range,
  take: (object: R2ObjectBody) => Taken,
) {
  const { offsetBytes, lengthBytes } = range;
  const get = async (): Promise<Awaited<Taken>> => {
    const object = await source.bucket.get(keyOf(id), {
      range: { offset: offsetBytes, length: lengthBytes },
    });
    if (object === null) throw lost(source, id, 'missing')();
    if (object.size >= offsetBytes + lengthBytes) return await take(object);
    await object.body.cancel();
    throw lost(source, id, 'damaged')();
  };
  return call('read a blob', () => retry(get, isPassingR2Error));
}

const bodyOf = (object: R2ObjectBody): ReadableStream => object.body;

/** Opens a range: in one piece when small, else as a stream of large pieces. */
async function openRange(
  source: Source,
  id: BlobId,
  range: Range,
): Promise<ReadableStream<Uint8Array>> {
  const { lengthBytes } = range;
  if (lengthBytes > WHOLE_MAX_BYTES) {
    return inLargePieces(
      await getRange(source, id, range, bodyOf),
      lengthBytes,
      lost(source, id, 'damaged'),
    );
  }
  return streamOf(await readRange(source, id, range));
}

async function readRange(source: Source, id: BlobId, range: Range): Promise<Uint8Array> {
  const bytes = new Uint8Array(await getRange(source, id, range, (object) => object.arrayBuffer()));
  if (bytes.length !== range.lengthBytes) throw lost(source, id, 'damaged')();
  return bytes;
}

/** Opens ranges one after the other; the runtime joins them. */
async function openRuns(
  source: Source,
  runs: readonly Segment[],
): Promise<ReadableStream<Uint8Array>> {
  const [first, ...rest] = runs;
  if (first === undefined) throw new RangeError('no run');
  if (rest.length === 0) return openRange(source, first.blobId, first);
  const opened = await getRange(source, first.blobId, first, bodyOf);
  const lengthBytes = runs.reduce((sum, run) => sum + run.lengthBytes, 0);
  const joined = joinNative(opened, lengthBytes, () => {
    const next = rest.shift();
    return next === undefined ? null : getRange(source, next.blobId, next, bodyOf);
  });
  return inLargePieces(joined, lengthBytes, lost(source, first.blobId, 'damaged'));
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
