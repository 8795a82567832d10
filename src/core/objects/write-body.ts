// Writes a body, once there is room for it. It is digested on the way into a fresh
// blob, or into memory when it is small, and verified against the announced digests.
// Encryption comes behind the digests. Called by put-object, upload-part and
// copy-object; nothing is visible until their commit.
import { createDigestSet } from '../../crypto/digest-set.ts';
import { StorageError } from '../../domain/errors.ts';
import type {
  BlobId,
  BucketAddress,
  BucketRecord,
  Checksum,
  ObjectAttributes,
  ObjectBody,
  ObjectKey,
} from '../../domain/nouns.ts';
import type { BlobIdentity } from '../../ports/blob-store.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { QuotaQueries } from '../../ports/index-calls/quota-calls.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';
import { etagOf } from '../encryption/data-key.ts';
import { encryptInline, encryptSource } from '../encryption/encrypt-body.ts';
import { plainSize } from '../encryption/encrypted-layout.ts';
import type { Envelope } from '../encryption/envelope.ts';
import { PUT_MAX_BYTES } from '../limits.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { type BodyExpectation, verifyBody } from './body-expectation.ts';
import { collect } from './collect.ts';
import { discard, isTooOldToCommit } from './commit-or-discard.ts';
import { peekSource } from './peek-source.ts';

/**
 * Refuses a body before it is read, where its length exceeds what quotas leave. The
 * commit checks again, and alone is exact. QuotaExceeded. Cost: an index call where
 * there is a quota.
 */
export async function requireRoom(
  bucket: BucketHandle,
  { lengthBytes }: ByteSource,
  target: { readonly key: ObjectKey } & Pick<Parameters<QuotaQueries['requireRoom']>[0], 'part'>,
): Promise<void> {
  const { quota, hasAccountQuota } = bucket.record().settings;
  if (lengthBytes === null || (quota === null && hasAccountQuota !== true)) return;
  await bucket.call('requireRoom', { ...target, sizeBytes: lengthBytes });
}

/** Longest body that is to stand inline, bytes; 0 where the bucket's index is crowded. */
export function inlineMaxBytesOf(
  { settings }: Core,
  { isIndexCrowded }: Pick<BucketRecord, 'isIndexCrowded'>,
): number {
  return isIndexCrowded === true ? 0 : settings.inlineBodyMaxBytes;
}

/**
 * Makes the identity that is stored beside a blob: its object, so that a lost index
 * can be rebuilt from the blobs. `part`: the part whose bytes it has, null for a
 * whole body. The class STANDARD is left out.
 */
export function identityOfBlob(
  bucket: Pick<BucketRecord, 'name'>,
  key: ObjectKey,
  { headers, userMetadata, storageClass }: ObjectAttributes,
  part: BlobIdentity['part'] = null,
): Omit<BlobIdentity, 'encryption'> {
  const classIfOther = storageClass === 'STANDARD' ? {} : { storageClass };
  return { bucket: bucket.name, key, headers, userMetadata, ...classIfOther, part };
}

/** A body that arrived whole and was verified, but is not committed yet. */
export type WrittenBody = {
  readonly body: ObjectBody;
  /** Size of the plain bytes, of which digests and entity tag are too. */
  readonly sizeBytes: number;
  /** Without quotes. */
  readonly etag: string;
  readonly checksum: Pick<Checksum, 'algorithm' | 'value'> | null;
  readonly newReferences: readonly NewBlobReference[];
};

export type WriteOptions = {
  readonly expectation: BodyExpectation;
  readonly identity: Omit<BlobIdentity, 'encryption'>;
  readonly inlineMaxBytes: number;
  /** Whether a body of undeclared length is accepted. */
  readonly isLengthOptional?: boolean;
  /** The data key that encrypts the body; null leaves it plain. */
  readonly envelope: Envelope | null;
  /** Makes the id of the blob of a fresh one; absent: that is its id. */
  readonly nameBlob?: (fresh: BlobId) => BlobId;
};

/**
 * Writes one body. Bodies up to `inlineMaxBytes` come back inline. Errors:
 * MissingContentLength, EntityTooLarge, BadDigest, RequestTimeout (slower than the
 * sweeper's grace allows), and whatever the source throws; a blob that was written
 * then is deleted again.
 */
export async function writeBody(
  core: Core,
  bucket: BucketRecord,
  sent: ByteSource,
  options: WriteOptions,
): Promise<WrittenBody> {
  if (sent.lengthBytes === null && options.isLengthOptional !== true)
    throw new StorageError('MissingContentLength');
  const source =
    sent.lengthBytes === null ? await measureIfSmall(sent, options.inlineMaxBytes) : sent;
  const { lengthBytes } = source;
  if (lengthBytes !== null) requireSize(lengthBytes);

  const isInline = lengthBytes !== null && lengthBytes <= options.inlineMaxBytes;
  // Encrypted bodies are never equal, and a body in its index row is no blob.
  const isDeduplicated =
    bucket.settings.deduplication === true && options.envelope === null && !isInline;
  const digested = digest(source, sent.provenSha256Hex ?? null, isDeduplicated, options);
  return isInline ? writeInline(digested, options) : writeBlob(core, bucket, digested, options);
}

/** A body that is digested as it streams. */
type DigestedBody = {
  readonly source: ByteSource;
  /**
   * Verifies the body, once all of it has come. BadDigest. `sha256Hex` null: nobody
   * needs it.
   */
  verify(): Pick<WrittenBody, 'etag' | 'checksum'> & { readonly sha256Hex: string | null };
};

/**
 * Digests a body as it streams. `provenSha256Hex`: the digest that the signature
 * proved already. `isDeduplicated`: the blob gets a digest, by which an equal one
 * is found.
 */
function digest(
  source: ByteSource,
  provenSha256Hex: string | null,
  isDeduplicated: boolean,
  { expectation, envelope }: WriteOptions,
): DigestedBody {
  const algorithm = expectation.checksum?.algorithm ?? null;
  const digests = createDigestSet({
    md5: true,
    sha256: isDeduplicated && provenSha256Hex === null,
    checksum: algorithm,
  });
  let receivedBytes = 0;
  return {
    source: {
      lengthBytes: source.lengthBytes,
      pump: (onChunk, isBorrowed) =>
        source.pump((chunk) => {
          receivedBytes += chunk.length;
          requireSize(receivedBytes);
          digests.update(chunk);
          return onChunk(chunk);
        }, isBorrowed),
    },
    verify() {
      const computed = digests.finish();
      const md5Hex = computed.md5Hex ?? '';
      verifyBody(expectation, { md5Hex, checksumBase64: computed.checksumBase64 });

      const value = computed.checksumBase64;
      const checksum = algorithm === null || value === null ? null : { algorithm, value };
      const sha256Hex = isDeduplicated ? (computed.sha256Hex ?? provenSha256Hex) : null;
      const etag = envelope === null ? md5Hex : etagOf(envelope.dataKey, md5Hex);
      return { etag, checksum, sha256Hex };
    },
  };
}

async function writeInline(
  { source, verify }: DigestedBody,
  options: WriteOptions,
): Promise<WrittenBody> {
  const plain = await collect(source, options.inlineMaxBytes);
  const inlineBytes =
    options.envelope === null ? plain : encryptInline(plain, options.envelope.dataKey);
  const { etag, checksum } = verify();
  return {
    body: { segments: [], inlineBytes },
    sizeBytes: plain.length,
    newReferences: [],
    etag,
    checksum,
  };
}

async function writeBlob(
  core: Core,
  bucket: BucketAddress,
  { source, verify }: DigestedBody,
  { envelope, identity, nameBlob }: WriteOptions,
): Promise<WrittenBody> {
  const { blobStore, clock, ids } = core.ports;
  const startedAtMs = clock.nowMs();
  const fresh = ids.blobId(bucket.id);
  const blobId = nameBlob?.(fresh) ?? fresh;
  const storedSource = envelope === null ? source : encryptSource(source, envelope.dataKey, blobId);
  const { sizeBytes } = await blobStore.write(blobId, storedSource, {
    ...identity,
    encryption: envelope?.encryption ?? null,
  });

  const newReference: NewBlobReference = { blobId, sizeBytes, ownerBucket: null };
  try {
    if (isTooOldToCommit(core, startedAtMs)) throw new StorageError('RequestTimeout');
    const { etag, checksum, sha256Hex } = verify();
    return {
      body: { segments: [{ blobId, offsetBytes: 0, lengthBytes: sizeBytes }], inlineBytes: null },
      sizeBytes: envelope === null ? sizeBytes : plainSize(sizeBytes, envelope.dataKey.layers),
      etag,
      checksum,
      newReferences: [
        sha256Hex === null ? newReference : { ...newReference, digest: { sha256Hex } },
      ],
    };
  } catch (error) {
    discard(core, { newReferences: [newReference] });
    throw error;
  }
}

/** Refuses a body above the limit of one PUT. EntityTooLarge. */
function requireSize(sizeBytes: number): void {
  if (sizeBytes <= PUT_MAX_BYTES) return;
  throw new StorageError('EntityTooLarge', {
    fields: { ProposedSize: `${sizeBytes}`, MaxSizeAllowed: `${PUT_MAX_BYTES}` },
  });
}

/**
 * Turns a body of undeclared length into one of known length, if it has at most
 * `maxBytes`.
 */
async function measureIfSmall(source: ByteSource, maxBytes: number): Promise<ByteSource> {
  const peeked = await peekSource(source, maxBytes);
  if (!(peeked instanceof Uint8Array)) return peeked;
  return { lengthBytes: peeked.length, pump: async (onChunk) => onChunk(peeked) };
}
