// CompleteMultipartUpload: checks the client's list against the stored parts, then
// one commit makes them the object. It is idempotent: repeating a completed one
// gives the same response, because clients do so when a response was lost.
import { combineChecksums, compositeChecksum, multipartEtag } from '../../crypto/digest-set.ts';
import { hasCode, StorageError } from '../../domain/errors.ts';
import type {
  Checksum,
  ObjectKey,
  ObjectPart,
  ObjectVersion,
  UploadId,
  WriteCondition,
} from '../../domain/nouns.ts';
import type { Upload, UploadedPart } from '../../ports/index-calls/upload-calls.ts';
import type { Core } from '../core.ts';
import { type CustomerKey, unwrapWithCustomerKey } from '../encryption/envelope.ts';
import { LIST_MAX_KEYS, OBJECT_MAX_BYTES, PART_MIN_BYTES } from '../limits.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/** One entry of the client's list of parts. `etag` has no quotes. */
export type ListedPart = {
  readonly partNumber: number;
  readonly etag: string;
  readonly checksum: Pick<Checksum, 'algorithm' | 'value'> | null;
};

export type CompleteUploadInput = {
  readonly key: ObjectKey;
  readonly uploadId: UploadId;
  readonly parts: readonly ListedPart[];
  /**
   * The checksum that the client expects; a composite one with its number of parts
   * or without.
   */
  readonly expectedChecksum: {
    readonly algorithm: Checksum['algorithm'];
    readonly value: string;
  } | null;
  readonly expectedSizeBytes: number | null;
  /** The client's key of an upload that it encrypts itself (SSE-C). */
  readonly customerKey?: CustomerKey | null;
  readonly condition: WriteCondition | null;
};

/**
 * Completes an upload. Errors: NoSuchUpload, InvalidPart, InvalidPartOrder,
 * EntityTooSmall, EntityTooLarge, BadDigest, InvalidRequest (size differs),
 * PreconditionFailed, NoSuchKey, and those of unwrapWithCustomerKey. Cost: one
 * index read per 1,000 parts and one commit.
 */
export async function completeUpload(
  core: Core,
  bucket: BucketHandle,
  input: CompleteUploadInput,
): Promise<ObjectVersion> {
  const { key, uploadId } = input;
  const listedParts = inOrder(input.parts);
  const stored = await readParts(bucket, key, uploadId);
  // An upload that is gone may be a completed one: the index remembers it, and
  // compares the lists.
  const digests = stored === null ? NO_DIGESTS : checkParts(stored, listedParts, input);

  const parts = listedParts.map(({ partNumber, etag }) => ({
    partNumber,
    md5: etag.toLowerCase(),
  }));
  return bucket.call('completeUpload', {
    key,
    uploadId,
    parts,
    object: {
      versionId: core.ports.ids.versionId(),
      lastModifiedMs: core.ports.clock.nowMs(),
      ...digests,
    },
    condition: input.condition,
  });
}

type StoredParts = {
  readonly upload: Upload;
  readonly parts: ReadonlyMap<number, UploadedPart>;
};

/**
 * Checks the client's list against the stored parts, and makes the digests of the
 * object.
 */
function checkParts(
  { upload, parts }: StoredParts,
  listedParts: readonly ListedPart[],
  input: CompleteUploadInput,
): Digests {
  const matched = listedParts.map((listed) => match(parts, listed));
  requireKey(upload, matched, input.customerKey ?? null);
  return digestsOf(upload, matched, input);
}

/**
 * Checks the client's key. S3 requires one where the upload or a part of it has a
 * checksum; clients without checksums never send one. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
 * (customer-algorithm)
 */
function requireKey(
  upload: Upload,
  parts: readonly UploadedPart[],
  customerKey: CustomerKey | null,
): void {
  const hasChecksums =
    upload.checksumAlgorithm !== null || parts.some((part) => part.checksum !== null);
  if (customerKey !== null || hasChecksums)
    unwrapWithCustomerKey(upload.encryption, customerKey, 'part');
}

type Digests = {
  readonly etag: string;
  readonly checksum: Checksum | null;
  readonly parts: readonly ObjectPart[];
};
const NO_DIGESTS: Digests = { etag: '', checksum: null, parts: [] };

/**
 * Checks that part numbers ascend. Where one comes twice in a row the last entry
 * counts, as with RadosGW. InvalidPartOrder.
 */
function inOrder(parts: readonly ListedPart[]): readonly ListedPart[] {
  return parts.filter((part, i) => {
    const next = parts[i + 1]?.partNumber ?? Number.POSITIVE_INFINITY;
    if (part.partNumber > next) throw new StorageError('InvalidPartOrder');
    return part.partNumber !== next;
  });
}

/** Reads the stored parts of an upload; null when there is none. */
async function readParts(
  bucket: BucketHandle,
  key: ObjectKey,
  uploadId: UploadId,
): Promise<StoredParts | null> {
  const parts = new Map<number, UploadedPart>();
  for (let afterPartNumber = 0; ; ) {
    let page: { upload: Upload; parts: readonly UploadedPart[]; isTruncated: boolean };
    try {
      page = await bucket.call('listParts', {
        key,
        uploadId,
        afterPartNumber,
        maxParts: LIST_MAX_KEYS,
      });
    } catch (error) {
      if (hasCode(error, 'NoSuchUpload')) return null;
      throw error;
    }
    for (const part of page.parts) {
      parts.set(part.partNumber, part);
      afterPartNumber = part.partNumber;
    }
    if (!page.isTruncated) return { upload: page.upload, parts };
  }
}

/** Finds the stored part that an entry of the list means. InvalidPart. */
function match(parts: ReadonlyMap<number, UploadedPart>, listed: ListedPart): UploadedPart {
  const part = parts.get(listed.partNumber);
  const hasChecksum =
    listed.checksum === null ||
    (part?.checksum?.algorithm === listed.checksum.algorithm &&
      part.checksum.value === listed.checksum.value);
  if (part === undefined || part.md5 !== listed.etag.toLowerCase() || !hasChecksum) {
    throw new StorageError('InvalidPart', {
      fields: { PartNumber: `${listed.partNumber}`, ETag: listed.etag },
    });
  }
  return part;
}

/**
 * Checks sizes and checksum of the object, and makes its digests of those of the
 * parts.
 */
function digestsOf(
  upload: Upload,
  parts: readonly UploadedPart[],
  input: CompleteUploadInput,
): Digests {
  const small = parts.slice(0, -1).find((part) => part.sizeBytes < PART_MIN_BYTES);
  if (small !== undefined) {
    throw new StorageError('EntityTooSmall', {
      fields: {
        PartNumber: `${small.partNumber}`,
        ETag: small.md5,
        ProposedSize: `${small.sizeBytes}`,
        MinSizeAllowed: `${PART_MIN_BYTES}`,
      },
    });
  }

  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  if (sizeBytes > OBJECT_MAX_BYTES) throw new StorageError('EntityTooLarge');
  if (input.expectedSizeBytes !== null && input.expectedSizeBytes !== sizeBytes) {
    throw new StorageError('InvalidRequest', {
      detail:
        `The x-amz-mp-object-size header says ${input.expectedSizeBytes} bytes, ` +
        `the parts have ${sizeBytes}.`,
    });
  }

  const checksum = checksumOf(upload, parts);
  const expected = input.expectedChecksum;
  if (expected !== null && !isChecksum(checksum, expected)) {
    throw new StorageError('BadDigest', {
      detail: `The ${expected.algorithm} you specified did not match the calculated checksum.`,
    });
  }

  return {
    etag: multipartEtag(parts.map((part) => part.md5)),
    checksum,
    parts: parts.map((part) => ({
      partNumber: part.partNumber,
      sizeBytes: part.sizeBytes,
      checksum: part.checksum?.value ?? null,
    })),
  };
}

/**
 * Whether the client's value is this checksum. S3 accepts a composite one with
 * `-{parts}` and without, as minio-go and mc send it. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html
 */
function isChecksum(
  checksum: Checksum | null,
  { algorithm, value }: NonNullable<ListedPart['checksum']>,
): boolean {
  if (checksum === null || checksum.algorithm !== algorithm) return false;
  const isBare = checksum.type === 'COMPOSITE' && !value.includes('-');
  return value === (isBare ? checksum.value.split('-')[0] : checksum.value);
}

function checksumOf(upload: Upload, parts: readonly UploadedPart[]): Checksum | null {
  const { checksumAlgorithm: algorithm, checksumType: type } = upload;
  if (algorithm === null || type === null) return null;
  const values = parts.map((part) => ({
    checksum: part.checksum?.value ?? '',
    sizeBytes: part.sizeBytes,
  }));
  const value =
    type === 'COMPOSITE'
      ? compositeChecksum(
          algorithm,
          values.map((part) => part.checksum),
        )
      : combineChecksums(algorithm, values);
  return { algorithm, type, value };
}
