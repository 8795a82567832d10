// Packs the body of one version: a sample says whether it is worth it, then all of it goes to a new
// blob, proved on the way, and one commit lets the version lie there. Until that commit nobody sees
// anything; after it the old blob stays for the grace, so readers under way end as they began. A
// crash anywhere leaves an unreferenced blob for the sweeper.
import { createDigestSet } from '../../crypto/digest-set.ts';
import { compressFrame, PACK_LEVEL } from '../../crypto/zstd-frames.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ObjectVersion, Segment } from '../../domain/nouns.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { CompressionCandidate } from '../../ports/index-calls/compression-calls.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { identityOfBlob } from '../objects/blob-identity.ts';
import { collect } from '../objects/collect.ts';
import { commitOrDiscard, discard, isTooOldToCommit } from '../objects/commit-or-discard.ts';
import { cutSegments } from '../objects/read-object.ts';
import { compressSource } from './compress-source.ts';

/** Bytes from the start of a body by which it is judged. */
const SAMPLE_BYTES = 32 * 1024;
/** What packing must leave at most: it costs each reader CPU, so it has to save a tenth. */
const WORTH = 0.9;

/**
 * `kept`: it would not shrink enough. `left`: it is not any more what was found. `stopped`: it was
 * told to end.
 */
export type CompressOutcome =
  | { readonly kind: 'packed'; readonly savedBytes: number }
  | { readonly kind: 'kept' | 'left' | 'stopped' };

export type CompressOptions = {
  /** Plain bytes of a frame. */
  readonly frameBytes: number;
  /** Once it is aborted the packing ends in the midst of the body. */
  readonly stopping: AbortSignal | null;
};

/**
 * Errors: InternalError (the body is damaged), those of the ports. Cost: the body read and written
 * once, and two index calls.
 */
export async function compressVersion(
  core: Core,
  bucket: BucketHandle,
  { key, versionId }: CompressionCandidate,
  options: CompressOptions,
): Promise<CompressOutcome> {
  const found = await bucket.call('getVersion', { key, versionId });
  if (found?.kind !== 'object' || !isPlain(found.object)) return { kind: 'left' };
  const version = found.object;
  if (!(await isWorthIt(core, version))) return { kind: 'kept' };
  const written = await writeCompressed(core, bucket, version, options);
  if (written === 'stopped') return { kind: 'stopped' };
  const { to, newReference } = written;
  const newReferences = [newReference];
  if (newReference.sizeBytes > version.sizeBytes * WORTH) {
    discard(core, { newReferences });
    return { kind: 'kept' };
  }
  const exchange = {
    key,
    versionId,
    from: version.segments,
    to,
    newReference,
    nowMs: core.ports.clock.nowMs(),
  };
  const { isExchanged } = await commitOrDiscard(
    core,
    { segments: [to], newReferences },
    async () => ({
      ...(await bucket.call('exchangeBody', exchange)),
      storedAs: null,
    }),
  );
  if (isExchanged)
    return { kind: 'packed', savedBytes: version.sizeBytes - newReference.sizeBytes };
  discard(core, { newReferences });
  return { kind: 'left' };
}

function isPlain({ encryption, segments }: ObjectVersion): boolean {
  return (
    encryption === null &&
    segments.length > 0 &&
    segments.every(({ packing }) => packing === undefined)
  );
}

/** The bytes from the bucket, past the tiers: what nobody reads must not push out what many do. */
function storedSource(core: Core, segments: readonly Segment[]): ByteSource {
  return {
    lengthBytes: segments.reduce((sum, { lengthBytes }) => sum + lengthBytes, 0),
    async pump(onChunk) {
      for await (const chunk of await core.ports.blobStore.openRuns(segments)) await onChunk(chunk);
    },
  };
}

async function isWorthIt(core: Core, { segments, sizeBytes }: ObjectVersion): Promise<boolean> {
  const lengthBytes = Math.min(SAMPLE_BYTES, sizeBytes);
  const sample = await collect(
    storedSource(core, cutSegments(segments, { offsetBytes: 0, lengthBytes })),
    lengthBytes,
  );
  return (await compressFrame(sample, PACK_LEVEL)).length <= sample.length * WORTH;
}

async function writeCompressed(
  core: Core,
  bucket: BucketHandle,
  version: ObjectVersion,
  options: CompressOptions,
) {
  const { frameBytes, stopping } = options;
  const { blobStore, clock, ids } = core.ports;
  const { sizeBytes, key } = version;
  const home = bucket.record();
  const startedAtMs = clock.nowMs();
  const blobId = ids.blobId(home.id);
  const digests = createDigestSet({ md5: true, sha256: false, checksum: null });
  let isStopped = false;
  const onPlain = (plain: Uint8Array) => {
    digests.update(plain);
    isStopped = stopping?.aborted === true;
    if (isStopped) throw new StorageError('ServiceUnavailable', { detail: 'The server stops.' });
  };
  const layout = { frameBytes, plainBytes: sizeBytes };
  const source = compressSource(
    storedSource(core, version.segments),
    { frameBytes, level: PACK_LEVEL },
    onPlain,
  );
  const identity = { ...identityOfBlob(home, key, version), encryption: null, packing: layout };
  try {
    const { sizeBytes: storedBytes } = await blobStore.write(blobId, source, identity);
    const newReference = { blobId, sizeBytes: storedBytes, home: null };
    const to: Segment = {
      blobId,
      offsetBytes: 0,
      lengthBytes: sizeBytes,
      packing: { ...layout, storedBytes },
    };
    const isLate = isTooOldToCommit(core, startedAtMs);
    if (!isLate && isTrue(version, digests.finish().md5Hex)) return { to, newReference };
    discard(core, { newReferences: [newReference] });
    throw new StorageError(isLate ? 'RequestTimeout' : 'InternalError', {
      detail: isLate
        ? 'Packing took too long.'
        : 'The stored bytes are not those of the entity tag.',
    });
  } catch (error) {
    if (isStopped) return 'stopped';
    throw error;
  }
}

/**
 * Whether the bytes are those of the entity tag, where it can tell: that of an object in parts
 * can't.
 */
function isTrue({ etag, parts }: ObjectVersion, md5Hex: string | null): boolean {
  return parts !== null || !/^[0-9a-f]{32}$/.test(etag) || etag === md5Hex;
}
