// What a blob tells of its object, from which the index can be made anew. Called by whoever writes
// blobs.

import type { BucketRecord, ObjectAttributes, ObjectKey } from '../../domain/nouns.ts';
import type { BlobIdentity } from '../../ports/blob-store.ts';

/**
 * Of a plain blob; `part`: whose bytes it has, null for a whole body. The class STANDARD needs no
 * word.
 */
export function identityOfBlob(
  bucket: Pick<BucketRecord, 'name'>,
  key: ObjectKey,
  { headers, userMetadata, storageClass }: ObjectAttributes,
  part: BlobIdentity['part'] = null,
): Omit<BlobIdentity, 'encryption'> {
  const ofClass = storageClass === 'STANDARD' ? {} : { storageClass };
  return { bucket: bucket.name, key, headers, userMetadata, ...ofClass, part };
}
