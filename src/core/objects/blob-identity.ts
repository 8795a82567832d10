// The identity that is stored beside a blob: its object, so that a lost index can
// be rebuilt from the blobs. Called by whoever writes blobs.

import type { BucketRecord, ObjectAttributes, ObjectKey } from '../../domain/nouns.ts';
import type { BlobIdentity } from '../../ports/blob-store.ts';

/**
 * Makes the identity of a blob. `part`: the part whose bytes it has, null for a
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
