// Takes a body in: digests it on the way into a fresh blob, or into memory when it is small, proves
// it against what the client announced, and seals it behind the digests where it shall be
// encrypted. Called by put-object and upload-part; nothing is visible until their commit.
import { createDigestSet } from '../../crypto/digest-set.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketAddress, BucketRecord, Checksum, ObjectBody } from '../../domain/nouns.ts';
import type { BlobIdentity } from '../../ports/blob-store.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';
import { etagOf } from '../encryption/data-key.ts';
import { encryptInline, encryptSource } from '../encryption/encrypt-body.ts';
import { plainSize } from '../encryption/encrypted-layout.ts';
import type { WrappedDataKey } from '../encryption/wrapped-data-key.ts';
import { PUT_MAX_BYTES } from '../limits.ts';
import { type BodyExpectation, verifyBody } from './body-expectation.ts';
import { collect } from './collect.ts';
import { discard, isTooOldToCommit } from './commit-or-discard.ts';
import { peekSource } from './peek-source.ts';

/** A body that has arrived whole and true, not yet committed. */
export type WrittenBody = {
  readonly body: ObjectBody;
  /** Plain bytes, as digests and entity tag are of the plain bytes. */
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
  /** A body whose length nobody said is taken too. */
  readonly isLengthOptional?: boolean;
  /** What the body is sealed with; null leaves it plain. */
  readonly kept: WrappedDataKey | null;
};

/**
 * Writes one body. Bodies up to `inlineMaxBytes` come back inline. Errors: MissingContentLength,
 * EntityTooLarge, BadDigest, RequestTimeout (slower than the sweeper's grace allows), and whatever
 * the source throws; a blob that was written then is deleted again.
 */
export async function writeBody(
  core: Core,
  home: BucketRecord,
  given: ByteSource,
  options: WriteOptions,
): Promise<WrittenBody> {
  if (given.lengthBytes === null && options.isLengthOptional !== true)
    throw new StorageError('MissingContentLength');
  const source = given.lengthBytes === null ? await peeked(given, options.inlineMaxBytes) : given;
  const { lengthBytes } = source;
  if (lengthBytes !== null) requireSize(lengthBytes);
  const isInline = lengthBytes !== null && lengthBytes <= options.inlineMaxBytes;
  // Sealed bodies are never equal, and what stands in its row is no blob.
  const isShared = home.settings.deduplication === true && options.kept === null && !isInline;
  const digested = digestedBy(source, given.provenSha256Hex ?? null, isShared, options);
  return isInline ? takeInline(digested, options) : writeBlob(core, home, digested, options);
}

/** A body that is digested on its way; `verified` when all of it has come. */
type DigestedBody = {
  readonly source: ByteSource;
  /** BadDigest. `sha256Hex` null: nobody needs it. */
  verified(): Pick<WrittenBody, 'etag' | 'checksum'> & { readonly sha256Hex: string | null };
};

/**
 * `provenSha256Hex`: what the signature has proved already. `isShared`: the blob comes with its
 * digest, to find an equal one.
 */
function digestedBy(
  source: ByteSource,
  provenSha256Hex: string | null,
  isShared: boolean,
  { expectation, kept }: WriteOptions,
): DigestedBody {
  const algorithm = expectation.checksum?.algorithm ?? null;
  const digests = createDigestSet({
    md5: true,
    sha256: isShared && provenSha256Hex === null,
    checksum: algorithm,
  });
  let receivedBytes = 0;
  return {
    source: {
      lengthBytes: source.lengthBytes,
      pump: (onChunk) =>
        source.pump((chunk) => {
          receivedBytes += chunk.length;
          requireSize(receivedBytes);
          digests.update(chunk);
          return onChunk(chunk);
        }),
    },
    verified() {
      const found = digests.finish();
      const md5Hex = found.md5Hex ?? '';
      verifyBody(expectation, { md5Hex, checksumBase64: found.checksumBase64 });
      const value = found.checksumBase64;
      const checksum = algorithm === null || value === null ? null : { algorithm, value };
      const sha256Hex = isShared ? (found.sha256Hex ?? provenSha256Hex) : null;
      return { etag: etagOf(kept?.dataKey ?? null, md5Hex), checksum, sha256Hex };
    },
  };
}

async function takeInline(
  { source, verified }: DigestedBody,
  options: WriteOptions,
): Promise<WrittenBody> {
  const plain = await collect(source, options.inlineMaxBytes);
  const inlineBytes = options.kept === null ? plain : encryptInline(plain, options.kept.dataKey);
  const { etag, checksum } = verified();
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
  home: BucketAddress,
  { source, verified }: DigestedBody,
  { kept, identity }: WriteOptions,
): Promise<WrittenBody> {
  const { blobStore, clock, ids } = core.ports;
  const startedAtMs = clock.nowMs();
  const blobId = ids.blobId(home.id);
  const stored = kept === null ? source : encryptSource(source, kept.dataKey, blobId);
  const { sizeBytes } = await blobStore.write(blobId, stored, {
    ...identity,
    encryption: kept?.encryption ?? null,
  });
  const newReference: NewBlobReference = { blobId, sizeBytes, home: null };
  try {
    if (isTooOldToCommit(core, startedAtMs)) throw new StorageError('RequestTimeout');
    const { etag, checksum, sha256Hex } = verified();
    return {
      body: { segments: [{ blobId, offsetBytes: 0, lengthBytes: sizeBytes }], inlineBytes: null },
      sizeBytes: kept === null ? sizeBytes : plainSize(sizeBytes, kept.dataKey.layers),
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
