// ListBuckets: a page of the account's list in the directory.
import type { Account } from '../../domain/nouns.ts';
import type { OwnedBucket } from '../../ports/directory.ts';
import type { Core } from '../core.ts';

/**
 * Lists the account's buckets with names of that prefix that come after `after`, in
 * byte order.
 */
export function listBuckets(
  core: Core,
  account: Account,
  page: { prefix: string; after: string; limit: number },
): Promise<readonly OwnedBucket[]> {
  return core.ports.directory.call('listBuckets', { ownerId: account.id, ...page });
}
