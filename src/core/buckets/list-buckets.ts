// ListBuckets: a page of the account's list in the directory.
import type { Account } from '../../domain/nouns.ts';
import type { OwnedBucket } from '../../ports/directory.ts';
import type { Core } from '../core.ts';

/** Buckets of the account whose names start with `prefix` and come after `after`, in byte order. */
export function listBuckets(
  core: Core,
  account: Account,
  page: { prefix: string; after: string; limit: number },
): Promise<readonly OwnedBucket[]> {
  return core.ports.directory.call('listBuckets', { ownerId: account.id, ...page });
}
