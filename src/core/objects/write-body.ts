// Takes a body in: digests it on the way into a fresh blob, or into memory when it is small, proves it against what the
// client announced, and seals it behind the digests where it shall be encrypted. Called by put-object and upload-part; nothing is visible until their commit.
import { createDigestSet } from '../../crypto/digest-set.ts';
import type { BlobIdentity } from '../../ports/blob-store.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { BucketAddress, Checksum, ObjectBody, Segment } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { BlobArrival, StoredAs } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';
import { etagOf } from '../encryption/data-key.ts';
import type { KeptKey } from '../encryption/key-keeping.ts';
import { sealInline, sealSource } from '../encryption/seal-body.ts';
import { plainSize } from '../encryption/sealed-layout.ts';
import { PUT_MAX_BYTES } from '../limits.ts';
import { type BodyExpectation, verifyBody } from './body-expectation.ts';
import { collect } from './collect.ts';
import { peekSource } from './peek-source.ts';

/** A body that has arrived whole and true, not yet committed. */
export type WrittenBody = {
  readonly body: ObjectBody;
  /** Plain bytes, as digests and entity tag are of the plain bytes. */
  readonly sizeBytes: number;
  /** Without quotes. */
  readonly etag: string;
  readonly checksum: Pick<Checksum, 'algorithm' | 'value'> | null;
  readonly arrivals: readonly BlobArrival[];
};

export type WriteOptions = {
  readonly expectation: BodyExpectation;
  readonly identity: Omit<BlobIdentity, 'encryption'>;
  readonly inlineMaxBytes: number;
  /** A body whose length nobody said is taken too. */
  readonly isLengthOptional?: boolean;
  /** What the body is sealed with; null leaves it plain. */
  readonly kept: KeptKey | null;
  /**
   * Whether the bucket stores equal bytes once: then the blob comes with its digest. Sealed bodies are never equal, and what
   * stands in its row is no blob.
   */
  readonly isShared: boolean;
};

/**
 * Writes one body. Bodies up to `inlineMaxBytes` come back inline.
 * Errors: MissingContentLength, EntityTooLarge, BadDigest, RequestTimeout (slower than the sweeper's grace allows),
 * and whatever the source throws; a blob that was written then is deleted again.
 */
export async function writeBody(
  core: Core,
  home: BucketAddress,
  given: ByteSource,
  options: WriteOptions,
): Promise<WrittenBody> {
  if (given.lengthBytes === null && options.isLengthOptional !== true) throw new StorageError('MissingContentLength');
  const source = given.lengthBytes === null ? await peeked(given, options.inlineMaxBytes) : given;
  const { lengthBytes } = source;
  if (lengthBytes !== null) requireSize(lengthBytes);
  const isInline = lengthBytes !== null && lengthBytes <= options.inlineMaxBytes;
  const isShared = options.isShared && options.kept === null && !isInline;
  const provenSha256Hex = given.provenSha256Hex ?? null;
  const digests = createDigestSet({
    md5: true,
    sha256: isShared && provenSha256Hex === null,
    checksum: options.expectation.checksum?.algorithm ?? null,
  });
  let receivedBytes = 0;
  const digested: ByteSource = {
    lengthBytes,
    pump: (onChunk) =>
      source.pump((chunk) => {
        receivedBytes += chunk.length;
        requireSize(receivedBytes);
        digests.update(chunk);
        return onChunk(chunk);
      }),
  };

  const dataKey = options.kept?.dataKey ?? null;
  const verified = (): Pick<WrittenBody, 'etag' | 'checksum'> & { readonly sha256Hex: string | null } => {
    const found = digests.finish();
    const md5Hex = found.md5Hex ?? '';
    verifyBody(options.expectation, { md5Hex, checksumBase64: found.checksumBase64 });
    const algorithm = options.expectation.checksum?.algorithm;
    const value = found.checksumBase64;
    const checksum = algorithm === undefined || value === null ? null : { algorithm, value };
    return { etag: etagOf(dataKey, md5Hex), checksum, sha256Hex: found.sha256Hex ?? provenSha256Hex };
  };

  if (isInline) {
    const plain = await collect(digested, options.inlineMaxBytes);
    const inlineBytes = dataKey === null ? plain : sealInline(plain, dataKey);
    const { etag, checksum } = verified();
    return { body: { segments: [], inlineBytes }, sizeBytes: plain.length, arrivals: [], etag, checksum };
  }

  const { blobStore, clock, ids } = core.ports;
  const startedAtMs = clock.nowMs();
  const blobId = ids.blobId(home.id);
  const stored = dataKey === null ? digested : sealSource(digested, dataKey, blobId);
  const identity = { ...options.identity, encryption: options.kept?.encryption ?? null };
  const { sizeBytes } = await blobStore.write(blobId, stored, identity);
  const written: WrittenBody = {
    body: { segments: [{ blobId, offsetBytes: 0, lengthBytes: sizeBytes }], inlineBytes: null },
    sizeBytes: dataKey === null ? sizeBytes : plainSize(sizeBytes, dataKey.layers),
    arrivals: [{ blobId, sizeBytes, home: null }],
    etag: '',
    checksum: null,
  };
  try {
    if (isTooOldToCommit(core, startedAtMs)) throw new StorageError('RequestTimeout');
    const { etag, checksum, sha256Hex } = verified();
    const digest = isShared && sha256Hex !== null ? { digest: { sha256Hex } } : {};
    return { ...written, etag, checksum, arrivals: [{ blobId, sizeBytes, home: null, ...digest }] };
  } catch (error) {
    discard(core, written);
    throw error;
  }
}

/**
 * Whether a blob that was begun then may not be committed any more: the sweeper takes an uncommitted one for the trace of a crash
 * once it is older than the grace, of which the half is left for the commit.
 */
export function isTooOldToCommit({ ports, settings }: Core, startedAtMs: number): boolean {
  return ports.clock.nowMs() - startedAtMs > settings.graceSeconds * 500;
}

/** EntityTooLarge. */
function requireSize(sizeBytes: number): void {
  if (sizeBytes <= PUT_MAX_BYTES) return;
  throw new StorageError('EntityTooLarge', {
    fields: { ProposedSize: `${sizeBytes}`, MaxSizeAllowed: `${PUT_MAX_BYTES}` },
  });
}

/** The same body, of known length when it is small. */
async function peeked(source: ByteSource, maxBytes: number): Promise<ByteSource> {
  const found = await peekSource(source, maxBytes);
  if (!(found instanceof Uint8Array)) return found;
  return { lengthBytes: found.length, pump: async (onChunk) => onChunk(found) };
}

/** Deletes what `writeBody` wrote, after the index refused it or needs none of it. In the background; the sweeper is the second net. */
export function discard(core: Core, written: Pick<WrittenBody, 'arrivals'>): void {
  const fresh = written.arrivals.filter((arrival) => arrival.home === null).map((arrival) => arrival.blobId);
  if (fresh.length > 0) core.ports.background.run('discard-blob', () => core.ports.blobStore.delete(fresh));
}

/** Codes after which a commit may have landed all the same; its blobs must stay for the sweeper to judge. */
const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set(['InternalError', 'ServiceUnavailable', 'SlowDown']);

/**
 * Commits with `commit`; when the index refuses for sure, or has the same bytes already, what was written is deleted. Gives
 * where the bytes of `segments` are then.
 */
export async function commitOrDiscard<Result extends StoredAs>(
  core: Core,
  written: { readonly segments: readonly Segment[]; readonly arrivals: readonly BlobArrival[] },
  commit: () => Promise<Result>,
): Promise<Omit<Result, 'storedAs'> & { readonly segments: readonly Segment[] }> {
  try {
    const { storedAs, ...result } = await commit();
    if (storedAs === null) return { ...result, segments: written.segments };
    discard(core, written);
    return { ...result, segments: written.segments.map((segment) => ({ ...segment, blobId: storedAs })) };
  } catch (error) {
    if (error instanceof StorageError && !UNKNOWN_OUTCOMES.has(error.code)) discard(core, written);
    throw error;
  }
}

/** The class of what is written, for the blob: STANDARD needs no word. */
export function classOf({ storageClass }: { readonly storageClass: string }): Pick<BlobIdentity, 'storageClass'> {
  return storageClass === 'STANDARD' ? {} : { storageClass };
}
