// An early look at quotas, so that a body that can't be stored is refused before it
// is read. Called by the use cases that write bodies; only their commit is exact.
import type { ObjectKey } from '../../domain/nouns.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { QuotaQueries } from '../../ports/index-calls/quota-calls.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/**
 * Refuses a body before it is read, where its length exceeds what quotas leave. The
 * commit checks again, and alone is exact. QuotaExceeded. Cost: an index call where
 * there is a quota.
 */
export async function requireRoom(
  bucket: BucketHandle,
  { lengthBytes }: ByteSource,
  target: { readonly key: ObjectKey } & Pick<Parameters<QuotaQueries['requireRoom']>[0], 'part'>,
): Promise<void> {
  const { quota, hasAccountQuota } = bucket.record().settings;
  if (lengthBytes === null || (quota === null && hasAccountQuota !== true)) return;
  await bucket.call('requireRoom', { ...target, sizeBytes: lengthBytes });
}
