// AbortMultipartUpload: one commit that forgets the upload and its parts.
import type { ObjectKey, UploadId } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/** Aborts an upload; its parts are swept after the grace. NoSuchUpload. */
export function abortUpload(
  core: Core,
  bucket: BucketHandle,
  input: { key: ObjectKey; uploadId: UploadId },
): Promise<void> {
  return bucket.call('abortUpload', { ...input, nowMs: core.ports.clock.nowMs() });
}
