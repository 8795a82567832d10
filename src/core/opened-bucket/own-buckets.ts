// The buckets of one account, for work that goes through all of them: caps, quotas
// and totals. The directory has the names; a bucket may be gone when it is opened.
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { type BucketHandle, openBucket } from './bucket-handle.ts';

/** Names read in one call of the directory. */
const PAGE = 500;

/** Lists the names of an account's buckets, in byte order. Cost: a call for each 500. */
export async function* ownBucketNames(core: Core, ownerId: AccountId): AsyncGenerator<BucketName> {
  for (let after = ''; ; ) {
    const list = { ownerId, prefix: '', after, limit: PAGE };
    const page = await core.ports.directory.call('listBuckets', list);
    for (const { name } of page) yield name;

    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.name;
  }
}

/**
 * Runs `work` on a bucket of the account. Null when the account has no such bucket:
 * it was deleted meanwhile, or is the trace of an interrupted create.
 */
export async function withOwnBucket<Result>(
  core: Core,
  ownerId: AccountId,
  name: BucketName,
  work: (bucket: BucketHandle) => Promise<Result>,
): Promise<Result | null> {
  try {
    const bucket = await openBucket(core, name, (record) => {
      if (record.ownerId !== ownerId) throw new StorageError('NoSuchBucket');
    });
    return await work(bucket);
  } catch (error) {
    if (hasCode(error, 'NoSuchBucket')) return null;
    throw error;
  }
}
