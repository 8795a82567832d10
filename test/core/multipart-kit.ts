// Short hands for the uploads and the copies of tests of core: what they don't speak of is as plain
// as it can be.

import type { Core } from '../../src/core/core.ts';
import {
  type CompleteUploadInput,
  completeUpload,
} from '../../src/core/multipart/complete-upload.ts';
import { createUpload } from '../../src/core/multipart/create-upload.ts';
import { type StoredPart, uploadPart } from '../../src/core/multipart/upload-part.ts';
import { NO_EXPECTATION } from '../../src/core/objects/body-expectation.ts';
import type { CopyObjectInput } from '../../src/core/objects/copy-object.ts';
import type { BucketHandle } from '../../src/core/opened-bucket/bucket-handle.ts';
import type { ObjectKey, ObjectVersion, UploadId } from '../../src/domain/nouns.ts';
import { ATTRIBUTES, bodyInChunks, key } from './memory-core.ts';

export type UploadAddress = { readonly key: ObjectKey; readonly uploadId: UploadId };

/** Begins an upload; `changes`: what else is asked for. */
export async function startUpload(
  core: Core,
  bucket: BucketHandle,
  name: string,
  changes: Partial<Parameters<typeof createUpload>[2]> = {},
): Promise<UploadAddress> {
  const plain = {
    key: key(name),
    attributes: ATTRIBUTES,
    checksumAlgorithm: null,
    checksumType: null,
  };
  const { uploadId } = await createUpload(core, bucket, { ...plain, ...changes });
  return { key: key(name), uploadId };
}

/** Sends a part. */
export function putPart(
  core: Core,
  bucket: BucketHandle,
  upload: UploadAddress,
  partNumber: number,
  bytes: Uint8Array,
  changes: Partial<Parameters<typeof uploadPart>[2]> = {},
): Promise<StoredPart> {
  const body = bodyInChunks(bytes);
  return uploadPart(core, bucket, {
    ...upload,
    partNumber,
    body,
    expectation: NO_EXPECTATION,
    ...changes,
  });
}

/** Completes an upload of these parts. */
export function completeParts(
  core: Core,
  bucket: BucketHandle,
  upload: UploadAddress,
  parts: readonly { readonly partNumber: number; readonly md5: string }[],
  changes: Partial<CompleteUploadInput> = {},
): Promise<ObjectVersion> {
  const listed = parts.map(({ partNumber, md5: etag }) => ({ partNumber, etag, checksum: null }));
  const plain = { parts: listed, expectedChecksum: null, expectedSizeBytes: null, condition: null };
  return completeUpload(core, bucket, { ...upload, ...plain, ...changes });
}

/** What copying an object to that key takes. */
export function copyOf(source: ObjectVersion, name: string): CopyObjectInput {
  return {
    source,
    key: key(name),
    attributes: ATTRIBUTES,
    checksumAlgorithm: null,
    condition: null,
  };
}
