// CreateMultipartUpload: decides what all parts and the later object have in
// common, which is stored with the upload.

import { StorageError } from '../../domain/errors.ts';
import type {
  AccountId,
  Checksum,
  ChecksumAlgorithm,
  ObjectAttributes,
  ObjectKey,
} from '../../domain/nouns.ts';
import { NO_FACTS, type ObjectFacts } from '../../domain/object-facts.ts';
import { UPLOAD_ROWS } from '../../domain/uploads/upload-rows.ts';
import type { Upload } from '../../ports/index-calls/upload-calls.ts';
import type { Core } from '../core.ts';
import { makeDataKey, type RequestedEncryption } from '../encryption/envelope.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

type ChecksumType = Checksum['type'];

/**
 * Types that S3 allows for each algorithm of a multipart upload, its default first.
 * Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
 */
const CHECKSUM_TYPES: Record<ChecksumAlgorithm, readonly [ChecksumType, ...ChecksumType[]]> = {
  CRC32: ['COMPOSITE', 'FULL_OBJECT'],
  CRC32C: ['COMPOSITE', 'FULL_OBJECT'],
  CRC64NVME: ['FULL_OBJECT'],
  SHA1: ['COMPOSITE'],
  SHA256: ['COMPOSITE'],
};

/** Whether parts of new uploads stand in the rows of their blobs (ADR 56). */
export function joinsRows({ settings }: Core): boolean {
  return (settings.uploadRows ?? UPLOAD_ROWS) === 'joined';
}

/**
 * Creates a multipart upload. All its parts share a data key, made here, and each
 * of them takes keys of its own from it. InvalidRequest when the algorithm does not
 * allow the checksum type; errors of makeDataKey.
 */
export async function createUpload(
  core: Core,
  bucket: BucketHandle,
  input: {
    key: ObjectKey;
    attributes: ObjectAttributes;
    /** Facts of the later object that differ from NO_FACTS. */
    facts?: Partial<Omit<ObjectFacts, 'encryption'>>;
    initiatorId?: AccountId | null;
    /** How its bytes shall be encrypted; null or absent leaves them plain. */
    encryption?: RequestedEncryption | null;
    checksumAlgorithm: ChecksumAlgorithm | null;
    checksumType: ChecksumType | null;
  },
): Promise<Upload> {
  const { checksumAlgorithm, checksumType, encryption = null } = input;
  if (checksumAlgorithm === null && checksumType !== null) {
    throw new StorageError('InvalidRequest', {
      detail: 'The x-amz-checksum-type header needs a checksum algorithm.',
    });
  }

  const allowed = checksumAlgorithm === null ? null : CHECKSUM_TYPES[checksumAlgorithm];
  if (allowed !== null && checksumType !== null && !allowed.includes(checksumType)) {
    throw new StorageError('InvalidRequest', {
      detail:
        `The ${checksumType} checksum type cannot be used with the ` +
        `${checksumAlgorithm} checksum algorithm.`,
    });
  }

  const { ownerId } = bucket.record();
  const envelope = encryption === null ? null : await makeDataKey(core, ownerId, encryption);
  const upload: Upload = {
    ...NO_FACTS,
    ...input.facts,
    encryption: envelope?.encryption ?? null,
    ...input.attributes,
    uploadId: core.ports.ids.uploadId(),
    key: input.key,
    createdAtMs: core.ports.clock.nowMs(),
    checksumAlgorithm,
    checksumType: checksumType ?? allowed?.[0] ?? null,
    initiatorId: input.initiatorId ?? null,
  };
  await bucket.call('createUpload', { upload, isLate: joinsRows(core) });
  return upload;
}
