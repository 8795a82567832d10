// Ids in the order of their making, the same in each run.
import type { BlobId, BucketId, UploadId, VersionId } from '../../../src/domain/nouns.ts';
import type { Ids } from '../../../src/ports/system.ts';

export function createSimulatedIds(): Ids {
  let last = 0;
  const next = () => `${++last}`.padStart(12, '0');
  return {
    requestId: next,
    bucketId: () => next() as BucketId,
    versionId: () => next() as VersionId,
    uploadId: () => next() as UploadId,
    blobId: (owner) => `${owner}/${next()}` as BlobId,
    recordId: next,
    blobIdLowerBound: (owner) => `${owner}/`,
  };
}
