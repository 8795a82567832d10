// Which count becomes which meter of the ledger: what no row has is on no bill.
import { expect, it } from 'vitest';
import { usageRows } from '../../../src/core/metering/usage-rows.ts';
import type { AccessKeyId, AccountId, BucketId } from '../../../src/domain/nouns.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import type { DrainedUsage, UsageCounts } from '../../../src/ports/metering.ts';

const owner = {
  accountId: 'ann' as AccountId,
  bucketId: 'photos~1' as BucketId,
  accessKeyId: null,
};
const NOTHING: UsageCounts = {
  classA: 0,
  classB: 0,
  free: 0,
  memoryBytes: 0,
  edgeBytes: 0,
  bucketBytes: 0,
  madeBytes: 0,
  retrievedBytes: 0,
};
const drained = (change: Partial<DrainedUsage>): DrainedUsage => ({
  owner,
  usedFromMs: 5 * HOUR_MS + 1,
  counts: new Map(),
  blocked: 0,
  clientErrors: 0,
  serverErrors: 0,
  operations: new Map(),
  unnamedReads: 0,
  ...change,
});
const metersOf = (change: Partial<DrainedUsage>) =>
  Object.fromEntries(usageRows(drained(change)).map(({ meter, quantity }) => [meter, quantity]));
const countsOf = (storageClass: string, counts: Partial<UsageCounts>) => ({
  counts: new Map([[storageClass, { ...NOTHING, ...counts }]]),
});

it('nothing that was counted makes no row', () => {
  expect(usageRows(drained(countsOf('STANDARD', {})))).toEqual([]);
});

it.each<[string, Partial<DrainedUsage>, string]>([
  ['a write', countsOf('STANDARD', { classA: 7 }), 'class-a/STANDARD'],
  ['a read', countsOf('STANDARD_IA', { classB: 7 }), 'class-b/STANDARD_IA'],
  ['a free request', countsOf('STANDARD', { free: 7 }), 'free/STANDARD'],
  ['bytes from memory', countsOf('STANDARD', { memoryBytes: 7 }), 'egress/memory'],
  ['bytes from the edge', countsOf('STANDARD', { edgeBytes: 7 }), 'egress/edge'],
  ['bytes from the bucket', countsOf('STANDARD', { bucketBytes: 7 }), 'egress/bucket'],
  ['bytes that were made', countsOf('STANDARD', { madeBytes: 7 }), 'egress/made'],
  ['bytes of a copy', countsOf('STANDARD_IA', { retrievedBytes: 7 }), 'retrieval/STANDARD_IA'],
  ['a refusal to a stranger', { blocked: 7 }, 'free/blocked'],
  ['a refusal to the account', { clientErrors: 7 }, 'errors/4xx'],
  ['a fault of the server', { serverErrors: 7 }, 'errors/5xx'],
  ['an operation', { operations: new Map([['PutObject', 7]]) }, 'operation/PutObject'],
  ['a read of nobody', { unnamedReads: 7 }, 'operation/PublicRead'],
  [
    'a read by a key',
    { unnamedReads: 7, owner: { ...owner, accessKeyId: 'key' as AccessKeyId } },
    'operation/SignedRead',
  ],
])('%s is one meter', (_, change, meter) => {
  expect(metersOf(change)).toEqual({ [meter]: 7n });
});

it('bytes of a colder class are retrieved too where they come from the store', () => {
  const counts = { bucketBytes: 5, retrievedBytes: 3, memoryBytes: 2 };
  expect(metersOf(countsOf('STANDARD_IA', counts))).toEqual({
    'egress/bucket': 5n,
    'egress/memory': 2n,
    'retrieval/STANDARD_IA': 8n,
  });
  expect(metersOf(countsOf('STANDARD', counts))).toEqual({
    'egress/bucket': 5n,
    'egress/memory': 2n,
  });
});

it('bytes of several classes go out together, in the hour of the first use', () => {
  const counts = new Map(
    ['STANDARD', 'STANDARD_IA'].map((one) => [one, { ...NOTHING, free: 1, edgeBytes: 4 }]),
  );
  expect(usageRows(drained({ counts }))).toEqual(
    [
      ['free/STANDARD', 1n],
      ['egress/edge', 8n],
      ['free/STANDARD_IA', 1n],
    ].map(([meter, quantity]) => ({
      hourMs: 5 * HOUR_MS,
      bucketId: owner.bucketId,
      accessKeyId: null,
      meter,
      quantity,
    })),
  );
});
