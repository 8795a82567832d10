// Creating buckets, also while other calls change or delete them.
import { expect, it } from 'vitest';
import { createBucket } from '../../../src/core/buckets/create-bucket.ts';
import { deleteBucket } from '../../../src/core/buckets/delete-bucket.ts';
import { setCap } from '../../../src/core/caps/set-cap.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import type { Account, AccountId, BucketName } from '../../../src/domain/nouns.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { bytesCap } from '../caps/cap-samples.ts';
import { createMemoryCore, withPorts } from '../memory-core.ts';

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

/** Makes an index that does something else once, just before or after a call of that name. */
function interrupted(
  index: MetadataIndex,
  name: string,
  {
    before = async () => {},
    after = async () => {},
  }: { before?: () => Promise<unknown>; after?: () => Promise<unknown> },
): MetadataIndex {
  let isDone = false;
  return {
    async call(bucket, called, input) {
      const isMeant = called === name && !isDone;
      if (isMeant) isDone = true;
      if (isMeant) await before();
      const result = await index.call(bucket, called, input);
      if (isMeant) await after();
      return result;
    },
  };
}

it('a bucket that is made again during its deletion stays in its account’s list', async () => {
  const core = createMemoryCore();
  const account: Account = { id: 'alice' as AccountId, displayName: 'Alice' };
  const name = 'comes-again' as BucketName;
  await createBucket(core, account, name, PRIVATE_ACCESS);
  core.advanceSeconds(60);
  const again = () => createBucket(core, account, name, PRIVATE_ACCESS);
  const metadataIndex = interrupted(core.ports.metadataIndex, 'deleteBucket', { after: again });
  const deleting = withPorts(core, { metadataIndex });
  await deleteBucket(deleting, await openBucket(deleting, name, () => undefined));
  const page = { ownerId: account.id, prefix: '', after: '', limit: 10 };
  expect(await core.ports.directory.call('listBuckets', page)).toMatchObject([{ name }]);
});

it('a cap that is set while a bucket is made is heard for it', async () => {
  const core = createMemoryCore();
  const account: Account = { id: 'alice' as AccountId, displayName: 'Alice' };
  const name = 'capped' as BucketName;
  const cap = () => setCap(core, account.id, bytesCap(1000n, {}));
  const metadataIndex = interrupted(core.ports.metadataIndex, 'createBucket', { before: cap });
  const { record } = await createBucket(
    withPorts(core, { metadataIndex }),
    account,
    name,
    PRIVATE_ACCESS,
  );
  expect(record.settings.isCapped).toBe(true);
  expect(await core.ports.metadataIndex.call(name, 'getBucket', { name })).toEqual(record);
});
