// The expected owner of a bucket, a condition that any request may carry. The S3
// surface and delivery check it on each bucket that they open, copies on that of
// their source too.
import { StorageError } from '../../../domain/errors.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';

/**
 * Refuses a bucket that is not the expected account's, so that a name taken over by
 * another is never used by mistake. `expected` is the value of
 * x-amz-expected-bucket-owner, an account id of this service; null expects nothing.
 * AccessDenied. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-owner-condition.html
 */
export function requireExpectedOwner(
  expected: string | null,
  record: Pick<BucketRecord, 'ownerId'>,
): void {
  if (expected !== null && expected !== record.ownerId) throw new StorageError('AccessDenied');
}
