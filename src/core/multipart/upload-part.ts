// UploadPart and UploadPartCopy: a part is a blob of its own, or, when copied,
// segments of blobs that exist already.

import type { ByteRange } from '../../domain/byte-range.ts';
import { StorageError } from '../../domain/errors.ts';
import type {
  BlobId,
  ChecksumAlgorithm,
  ObjectKey,
  ObjectVersion,
  UploadId,
} from '../../domain/nouns.ts';
import { partBlobId } from '../../domain/uploads/upload-rows.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { Upload, UploadedPart } from '../../ports/index-calls/upload-calls.ts';
import type { Core } from '../core.ts';
import {
  type CustomerKey,
  type Envelope,
  unwrapDataKey,
  unwrapWithCustomerKey,
} from '../encryption/envelope.ts';
import { PART_NUMBER_MAX } from '../limits.ts';
import { type BodyExpectation, NO_EXPECTATION } from '../objects/body-expectation.ts';
import { bodySource } from '../objects/body-source.ts';
import { commitOrDiscard } from '../objects/commit-or-discard.ts';
import { asGoneMeanwhile, digestSource, referenceForeignBlobs } from '../objects/copy-object.ts';
import { cutSegments } from '../objects/read-object.ts';
import { identityOfBlob, requireRoom, writeBody } from '../objects/write-body.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { joinsRows } from './create-upload.ts';

/** The address of one part of one upload. */
export type PartAddress = {
  readonly key: ObjectKey;
  readonly uploadId: UploadId;
  readonly partNumber: number;
};

function requirePartNumber(partNumber: number): void {
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > PART_NUMBER_MAX) {
    throw new StorageError('InvalidArgument', {
      detail: `Part number must be an integer between 1 and ${PART_NUMBER_MAX}, inclusive`,
      fields: { ArgumentName: 'partNumber', ArgumentValue: `${partNumber}` },
    });
  }
}

/**
 * Makes the expectation of a part. Its checksum must be of the algorithm that the
 * upload was created with; a part without one gets it computed.
 */
function expectationFor(upload: Upload, sent: BodyExpectation): BodyExpectation {
  const required = upload.checksumAlgorithm;
  if (required === null) return sent;

  const { checksum } = sent;
  if (checksum === null)
    return { ...sent, checksum: { algorithm: required, expected: () => null } };
  if (checksum.algorithm !== required) {
    throw new StorageError('InvalidRequest', {
      detail:
        `Checksum Type mismatch occurred, expected checksum Type: ${required.toLowerCase()}, ` +
        `actual checksum Type: ${checksum.algorithm.toLowerCase()}`,
    });
  }
  return sent;
}

/**
 * A stored part, the encryption of its upload, and the storage class that it is
 * billed by.
 */
export type StoredPart = UploadedPart & Pick<Upload, 'encryption' | 'storageClass'>;

/**
 * Stores one part; the last one to finish under a number replaces the others.
 * Errors: those of writeBody and unwrapDataKey, NoSuchUpload, InvalidArgument.
 * Cost: one index read, one blob (R2 class A), one commit.
 */
export async function uploadPart(
  core: Core,
  bucket: BucketHandle,
  input: PartAddress & {
    readonly body: ByteSource;
    readonly expectation: BodyExpectation;
    readonly customerKey?: CustomerKey | null;
  },
): Promise<StoredPart> {
  const { key, uploadId, partNumber } = input;
  requirePartNumber(partNumber);
  const upload = await bucket.call('getUpload', { key, uploadId });
  const envelope = await unwrapUploadKey(core, upload, input.customerKey ?? null);
  return writePart(core, bucket, { ...input, upload, envelope });
}

/** Unwraps the data key that all parts of the upload share. */
export async function unwrapUploadKey(
  core: Core,
  upload: Upload,
  customerKey: CustomerKey | null,
): Promise<Envelope | null> {
  const { encryption } = upload;
  const dataKey = await unwrapDataKey(core, encryption, customerKey, 'part');
  return encryption === null || dataKey === null ? null : { encryption, dataKey };
}

async function writePart(
  core: Core,
  bucket: BucketHandle,
  input: PartAddress & {
    body: ByteSource;
    expectation: BodyExpectation;
    upload: Upload;
    envelope: Envelope | null;
  },
): Promise<StoredPart> {
  const { key, uploadId, partNumber, upload, envelope } = input;
  const record = bucket.record();
  await requireRoom(bucket, input.body, { key, part: { uploadId, partNumber } });
  const written = await writeBody(core, record, input.body, {
    expectation: expectationFor(upload, input.expectation),
    inlineMaxBytes: 0,
    envelope,
    identity: identityOfBlob(record, key, upload, { uploadId, partNumber }),
    ...(joinsRows(core) && {
      nameBlob: (fresh: BlobId) => partBlobId(fresh, uploadId, partNumber),
    }),
  });

  const part: UploadedPart = {
    partNumber,
    sizeBytes: written.sizeBytes,
    md5: written.etag,
    lastModifiedMs: core.ports.clock.nowMs(),
    checksum: written.checksum,
    segments: written.body.segments,
  };

  const { newReferences } = written;
  const { encryption, storageClass } = upload;
  const committed = await commitOrDiscard(core, { segments: part.segments, newReferences }, () =>
    bucket.call('commitPart', { key, uploadId, part, newReferences }),
  );
  return { ...part, ...committed, encryption, storageClass };
}

/**
 * Makes a range of an object a part. Bytes of blobs are read for the part's entity
 * tag but never copied. Only an inline body, or one that is encrypted on either
 * side, is written anew. NoSuchUpload, InvalidArgument, ServiceUnavailable, and the
 * errors of unwrapDataKey for either key.
 */
export async function uploadPartCopy(
  core: Core,
  target: BucketHandle,
  input: PartAddress & {
    readonly source: ObjectVersion;
    readonly range: ByteRange;
    readonly customerKey?: CustomerKey | null;
    readonly sourceKey?: CustomerKey | null;
  },
): Promise<StoredPart> {
  const { key, uploadId, partNumber, source, range, sourceKey = null } = input;
  requirePartNumber(partNumber);
  const upload = await target.call('getUpload', { key, uploadId });
  const envelope = await unwrapUploadKey(core, upload, input.customerKey ?? null);
  unwrapWithCustomerKey(source.encryption, sourceKey);

  if (source.inlineBytes !== null || source.encryption !== null || envelope !== null) {
    const body = bodySource(core, source, range, sourceKey);
    return writePart(core, target, {
      key,
      uploadId,
      partNumber,
      body,
      expectation: NO_EXPECTATION,
      upload,
      envelope,
    });
  }

  const { md5, checksum } = await digestsOfPart(core, source, range, upload.checksumAlgorithm);
  const segments = cutSegments(source.segments, range);
  const newReferences = await referenceForeignBlobs(core, target.record(), segments);
  const part: UploadedPart = {
    partNumber,
    sizeBytes: range.lengthBytes,
    md5,
    lastModifiedMs: core.ports.clock.nowMs(),
    checksum,
    segments,
  };

  try {
    await target.call('commitPart', { key, uploadId, part, newReferences });
  } catch (error) {
    throw asGoneMeanwhile(error);
  }
  return { ...part, encryption: null, storageClass: upload.storageClass };
}

/**
 * Finds the digests of a copied part: a whole simple object has them, any other
 * range is read.
 */
async function digestsOfPart(
  core: Core,
  source: ObjectVersion,
  range: ByteRange,
  algorithm: ChecksumAlgorithm | null,
): Promise<Pick<UploadedPart, 'md5' | 'checksum'>> {
  const stored = source.checksum;
  const hasChecksum =
    algorithm === null || (stored?.algorithm === algorithm && stored.type === 'FULL_OBJECT');
  if (range.lengthBytes === source.sizeBytes && source.parts === null && hasChecksum) {
    return {
      md5: source.etag,
      checksum: algorithm === null || stored === null ? null : { algorithm, value: stored.value },
    };
  }
  const { md5Hex, checksumBase64 } = await digestSource(
    bodySource(core, source, range, null),
    algorithm,
  );
  return {
    md5: md5Hex,
    checksum:
      algorithm === null || checksumBase64 === null ? null : { algorithm, value: checksumBase64 },
  };
}
