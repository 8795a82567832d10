import type { QuotaQueries } from '../../domain/billing/quotas.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';

/**
 * Refuses a body before it is read, where its length says that quotas leave no room for it. The
 * commit asks again, and alone is exact. QuotaExceeded. Cost: an index call where there is a quota.
 */
export async function requireRoom(
  bucket: BucketHandle,
  { lengthBytes }: ByteSource,
  place: { readonly key: ObjectKey } & Pick<Parameters<QuotaQueries['requireRoom']>[0], 'part'>,
): Promise<void> {
  const { quota, hasAccountQuota } = bucket.record().settings;
  if (lengthBytes === null || (quota === null && hasAccountQuota !== true)) return;
  await bucket.call('requireRoom', { ...place, sizeBytes: lengthBytes });
}
