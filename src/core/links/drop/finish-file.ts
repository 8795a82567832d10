// Ends a file whose bytes have all come: one commit makes the object, under a key
// that nothing has, and the receipt. Repeated, it gives the same receipt.
import { multipartEtag } from '../../../crypto/digest-set.ts';
import { randomText } from '../../../crypto/random-text.ts';
import { createResumableSha256 } from '../../../crypto/resumable-sha256.ts';
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { DropFile } from '../../../domain/links/drop-link.ts';
import { numberedKey } from '../../../domain/links/drop-names.ts';
import { DROP_NUMBERS_MAX } from '../../../domain/links/link-limits.ts';
import type { UploadedPart } from '../../../ports/index-calls/upload-calls.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { Core } from '../../core.ts';
import { KEY_MAX_BYTES, LIST_MAX_KEYS } from '../../limits.ts';
import type { BucketHandle } from '../../opened-bucket/bucket-handle.ts';
import { parseObjectKey } from '../../parse-names.ts';
import type { OpenedDropLink } from './open-drop-link.ts';
import { endFile } from './receive-bytes.ts';
import { uploadedReport } from './report-drops.ts';
import { requireHonestType } from './require-type.ts';

/** Random letters of a key whose numbers are all taken. */
const MARK_LENGTH = 8;

/**
 * Makes the object. NoSuchResource, AccessDenied (closed), NoSuchUpload,
 * QuotaExceeded of the bucket. Cost: a query for 1,000 pieces, one of the directory for
 * the webhooks, and a commit for each number that is tried.
 */
export async function finishFile(
  core: Core,
  opened: OpenedDropLink,
  file: DropFile,
): Promise<DropFile> {
  const { bucket } = opened;
  await requireHonestHead(core, opened, file);
  const parts = await readParts(bucket, file);
  if (parts === null) return requireFinished(bucket, file);
  const sha256 = createResumableSha256(file.progress.sha256State).hex();
  const object = {
    versionId: core.ports.ids.versionId(),
    lastModifiedMs: core.ports.clock.nowMs(),
    etag: multipartEtag(parts.map(({ md5 }) => md5)),
    checksum: null,
    parts: parts.map(({ partNumber, sizeBytes }) => ({ partNumber, sizeBytes, checksum: null })),
  };
  const listed = parts.map(({ partNumber, md5 }) => ({ partNumber, md5 }));
  const reportOf = await uploadedReport(core, bucket.record());
  for (let number = 1; ; number++) {
    const mark = number <= DROP_NUMBERS_MAX ? number : randomText(MARK_LENGTH);
    const toKey = parseObjectKey(numberedKey(file.key, mark, KEY_MAX_BYTES));
    try {
      const finished: ReturnType<IndexApi['finishDropFile']> = await bucket.call('finishDropFile', {
        ...{ linkId: file.linkId, fileId: file.id, toKey, object, sha256 },
        parts: listed,
        deliveries: reportOf({ ...file, key: toKey, sha256 }),
      });
      return finished.file;
    } catch (error) {
      if (!hasCode(error, 'PreconditionFailed') || number > 2 * DROP_NUMBERS_MAX) throw error;
    }
  }
}

/** A short file shows its type at its end alone. */
async function requireHonestHead(
  core: Core,
  opened: OpenedDropLink,
  file: DropFile,
): Promise<void> {
  const head = Uint8Array.fromBase64(file.progress.head);
  if (head.length === 0) return;
  try {
    requireHonestType(opened.link, file, head);
  } catch (error) {
    await endFile(core, opened, file);
    throw error;
  }
}

/** The file as another request has finished it meanwhile. NoSuchUpload. */
async function requireFinished(bucket: BucketHandle, file: DropFile): Promise<DropFile> {
  const { linkId, id: fileId } = file;
  const finished: DropFile | null = await bucket.call('getDropFile', { linkId, fileId });
  if (finished === null || finished.finishedAtMs === null) throw new StorageError('NoSuchUpload');
  return finished;
}

/** Null: the upload is gone. */
async function readParts(
  bucket: BucketHandle,
  { key, uploadId, pieces }: DropFile,
): Promise<readonly UploadedPart[] | null> {
  const parts: UploadedPart[] = [];
  while (parts.length < pieces) {
    let page: { readonly parts: readonly UploadedPart[] };
    try {
      page = await bucket.call('listParts', {
        ...{ key, uploadId },
        afterPartNumber: parts.length,
        maxParts: LIST_MAX_KEYS,
      });
    } catch (error) {
      if (hasCode(error, 'NoSuchUpload')) return null;
      throw error;
    }
    if (page.parts.length === 0) return null;
    parts.push(...page.parts);
  }
  return parts;
}
