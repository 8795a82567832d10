// GetObjectTorrent, which no object has.
import { StorageError } from '../../../../domain/errors.ts';
import type { ObjectCall } from '../../call/call.ts';

/**
 * GetObjectTorrent, which S3 itself no longer offers for new objects: there is none
 * for any. NoSuchKey, as ceph/s3-tests takes it. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTorrent.html
 */
export function answerGetObjectTorrent({ key }: ObjectCall): never {
  throw new StorageError('NoSuchKey', {
    detail: 'There is no torrent of this object.',
    fields: { Key: key },
  });
}
