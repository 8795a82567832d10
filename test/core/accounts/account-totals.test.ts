// Totals of an account: their columns, and what is left out where there are too many buckets.
import { expect, it } from 'vitest';
import {
  readAccountTotals,
  SUMMED_BUCKETS_MAX,
} from '../../../src/core/accounts/account-totals.ts';
import { createAccount } from '../../../src/core/accounts/members.ts';
import { createBucket } from '../../../src/core/buckets/create-bucket.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import { createMemoryCore, putBytes, sampleBytes } from '../memory-core.ts';

const nameOf = (number: number) => parseBucketName(`bucket-${`${number}`.padStart(3, '0')}`);

async function startAccount() {
  const core = createMemoryCore();
  const ann = await createAccount(core, 'Ann');
  const make = async (name: ReturnType<typeof nameOf>, sizeBytes: number) => {
    await createBucket(core, ann, name, PRIVATE_ACCESS);
    const bucket = await openBucket(core, name, () => undefined);
    await putBytes(core, bucket, 'k', sampleBytes(sizeBytes));
  };
  return { core, ann, make };
}

it('totals of an account are sums of its buckets, without those that are gone', async () => {
  const { core, ann, make } = await startAccount();
  for (const [at, size] of [30, 12, 5].entries()) await make(nameOf(at), size);
  const other = await createAccount(core, 'Bob');
  await createBucket(core, other, nameOf(7), PRIVATE_ACCESS);
  // Names without a bucket of theirs: a create that was interrupted.
  for (const name of [nameOf(7), nameOf(8)]) {
    await core.ports.directory.call('addBucket', { ownerId: ann.id, name, createdAtMs: 0 });
  }
  const totals = await readAccountTotals(core, ann.id);
  expect(totals).toMatchObject({ bucketCount: 5, isCountComplete: true, isStoredComplete: true });
  expect(totals.stored).toMatchObject({
    currentCount: 3n,
    currentBytes: 47n,
    noncurrentBytes: 0n,
    partCount: 0n,
  });
  expect((await readAccountTotals(core, 'nobody' as AccountId)).stored.currentBytes).toBe(0n);
});

it('totals of an account sum up so many buckets, and say when there are more', async () => {
  const { core, ann, make } = await startAccount();
  for (let at = 0; at < SUMMED_BUCKETS_MAX + 1; at++) await make(nameOf(at), 1);
  const totals = await readAccountTotals(core, ann.id);
  expect(totals).toMatchObject({
    bucketCount: SUMMED_BUCKETS_MAX + 1,
    isCountComplete: true,
    isStoredComplete: false,
  });
  expect(totals.stored.currentBytes).toBe(BigInt(SUMMED_BUCKETS_MAX));
});
