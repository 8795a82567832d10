import { expect, it } from 'vitest';
import { createBucket } from '../../../src/core/buckets/create-bucket.ts';
import { PRIVATE_ACCESS } from '../../../src/ports/bucket-access.ts';
import type { Account, AccountId, BucketName } from '../../../src/ports/domain.ts';
import { createMemoryCore } from '../memory-core.ts';

it('a bucket that is made again keeps the time that lists of buckets show', async () => {
  const core = createMemoryCore();
  const account: Account = { id: 'alice' as AccountId, displayName: 'Alice' };
  const name = 'made-twice' as BucketName;
  const make = () => createBucket(core, account, name, PRIVATE_ACCESS);
  const { record, isNew } = await make();
  expect(isNew).toBe(true);
  core.advanceSeconds(60);
  expect(await make()).toMatchObject({ isNew: false, record: { id: record.id } });
  const page = { ownerId: account.id, prefix: '', after: '', limit: 10 };
  const listed = await core.ports.directory.call('listBuckets', page);
  expect(listed).toEqual([{ name, createdAtMs: record.createdAtMs }]);
});
