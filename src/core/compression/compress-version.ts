// Compression of the cold body of one version. A sample decides whether it is worth
// it. Then the body goes to a new blob, verified on the way, and one commit
// exchanges the version's segments. Until that commit nothing is visible; after it
// the old blob stays for the grace, for readers under way. A crash anywhere leaves
// an unreferenced blob for the sweeper. Called by run-compression.ts.
import { createDigestSet } from '../../crypto/digest-set.ts';
import { COMPRESSION_LEVEL, compressFrame } from '../../crypto/zstd-frames.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ObjectVersion, Segment } from '../../domain/nouns.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { CompressionCandidate } from '../../ports/index-calls/compression-calls.ts';
import type { Core } from '../core.ts';
import { collect } from '../objects/collect.ts';
import { commitOrDiscard, discard, isTooOldToCommit } from '../objects/commit-or-discard.ts';
import { cutSegments } from '../objects/read-object.ts';
import { identityOfBlob } from '../objects/write-body.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { compressSource } from './compress-source.ts';

/** Size of the sample from the start of a body, bytes. */
const SAMPLE_BYTES = 32 * 1024;
/**
 * Largest ratio that is worth it: readers pay with CPU, so compression has to save
 * a tenth.
 */
const RATIO_MAX = 0.9;

/**
 * The outcome for one version. `not-worth-it`: it does not shrink enough.
 * `changed`: it is not the version that was listed any more. `stopped`: the server
 * stops.
 */
export type CompressOutcome =
  | { readonly kind: 'compressed'; readonly savedBytes: number }
  | { readonly kind: 'not-worth-it' | 'changed' | 'stopped' };

export type CompressOptions = {
  /** Plain bytes of a frame. */
  readonly frameBytes: number;
  /** Once it is aborted, compression ends in the middle of the body. */
  readonly stopping: AbortSignal | null;
};

/**
 * Compresses the body of a version. Errors: InternalError (the body is damaged),
 * those of the ports. Cost: the body read and written once, and two index calls.
 */
export async function compressVersion(
  core: Core,
  bucket: BucketHandle,
  { key, versionId }: CompressionCandidate,
  options: CompressOptions,
): Promise<CompressOutcome> {
  const stored = await bucket.call('getVersion', { key, versionId });
  if (stored?.kind !== 'object' || !isPlain(stored.object)) return { kind: 'changed' };
  const version = stored.object;
  if (!(await isWorthIt(core, version))) return { kind: 'not-worth-it' };

  const written = await writeCompressed(core, bucket, version, options);
  if (written === 'stopped') return { kind: 'stopped' };
  const { to, newReference } = written;
  const newReferences = [newReference];
  if (newReference.sizeBytes > version.sizeBytes * RATIO_MAX) {
    discard(core, { newReferences });
    return { kind: 'not-worth-it' };
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
    return { kind: 'compressed', savedBytes: version.sizeBytes - newReference.sizeBytes };
  discard(core, { newReferences });
  return { kind: 'changed' };
}

/** Whether a body is stored in blobs, neither encrypted nor compressed. */
function isPlain({ encryption, segments }: ObjectVersion): boolean {
  return (
    encryption === null &&
    segments.length > 0 &&
    segments.every(({ packing }) => packing === undefined)
  );
}

/**
 * Reads from the blob store, past the tiers: cold bytes must not evict hot ones.
 */
function storedSource(core: Core, segments: readonly Segment[]): ByteSource {
  return {
    lengthBytes: segments.reduce((sum, { lengthBytes }) => sum + lengthBytes, 0),
    async pump(onChunk) {
      for await (const chunk of await core.ports.blobStore.openRuns(segments)) await onChunk(chunk);
    },
  };
}

/** Whether a sample of the body shrinks enough. */
async function isWorthIt(core: Core, { segments, sizeBytes }: ObjectVersion): Promise<boolean> {
  const lengthBytes = Math.min(SAMPLE_BYTES, sizeBytes);
  const sample = await collect(
    storedSource(core, cutSegments(segments, { offsetBytes: 0, lengthBytes })),
    lengthBytes,
  );
  return (await compressFrame(sample, COMPRESSION_LEVEL)).length <= sample.length * RATIO_MAX;
}

/** Writes and verifies the new blob; 'stopped' when the server stops meanwhile. */
async function writeCompressed(
  core: Core,
  bucket: BucketHandle,
  version: ObjectVersion,
  options: CompressOptions,
) {
  const { frameBytes, stopping } = options;
  const { blobStore, clock, ids } = core.ports;
  const { sizeBytes, key } = version;
  const record = bucket.record();
  const startedAtMs = clock.nowMs();
  const blobId = ids.blobId(record.id);
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
    { frameBytes, level: COMPRESSION_LEVEL },
    onPlain,
  );
  const identity = { ...identityOfBlob(record, key, version), encryption: null, packing: layout };
  try {
    const { sizeBytes: storedBytes } = await blobStore.write(blobId, source, identity);
    const newReference = { blobId, sizeBytes: storedBytes, ownerBucket: null };
    const to: Segment = {
      blobId,
      offsetBytes: 0,
      lengthBytes: sizeBytes,
      packing: { ...layout, storedBytes },
    };

    const isLate = isTooOldToCommit(core, startedAtMs);
    const isVerified = !isLate && hasEtag(version, digests.finish().md5Hex);
    if (isVerified) return { to, newReference };
    discard(core, { newReferences: [newReference] });
    throw new StorageError(isLate ? 'RequestTimeout' : 'InternalError', {
      detail: isLate
        ? 'Compression took too long.'
        : 'The stored bytes are not those of the entity tag.',
    });
  } catch (error) {
    if (isStopped) return 'stopped';
    throw error;
  }
}

/**
 * Whether bytes of that MD5 have the version's entity tag. True where the tag is no
 * MD5 of the bytes, as for an object in parts.
 */
function hasEtag({ etag, parts }: ObjectVersion, md5Hex: string | null): boolean {
  return parts !== null || !/^[0-9a-f]{32}$/.test(etag) || etag === md5Hex;
}
