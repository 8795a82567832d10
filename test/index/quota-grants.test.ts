// Grants of an account's quota as the ledger gives them out: never more together than the quota,
// also where what a bucket said of itself comes after a newer grant.
import { expect, it } from 'vitest';
import { LEDGER_RULES } from '../../src/core/ledger-rules.ts';
import type { StorageQuota } from '../../src/domain/billing/quotas.ts';
import type { AccountId, BucketId } from '../../src/domain/nouns.ts';
import { createLedgerIndex } from '../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../src/index/tables/ledger-schema.ts';
import { openMigrated } from './kit/open-migrated.ts';

const accountId = 'alice' as AccountId;
const [A, B] = ['a~1', 'b~1'] as BucketId[] as [BucketId, BucketId];
const QUOTA: StorageQuota = { bytes: 100, objects: null };

function openLedger() {
  const ledger = createLedgerIndex(openMigrated(LEDGER_SCHEMA), LEDGER_RULES);
  ledger.putQuota({ accountId, quota: QUOTA, known: null });
  return {
    ledger,
    raise: (bucketId: BucketId, bytes: number) =>
      ledger.raiseGrant({ accountId, bucketId, needed: { bytes, objects: 1 } }),
    settle: (bucketId: BucketId, bytes: number | null, sequence = 0, nowMs = 1) => {
      const settled = bytes === null ? null : { bytes, objects: 1, sequence };
      ledger.settleGrant({ accountId, bucketId, settled, nowMs });
    },
  };
}

it('grants are never more together than the quota, and come back when they are settled', () => {
  const { raise, settle } = openLedger();
  const first = raise(A, 90);
  expect(first?.bytes).toBeGreaterThanOrEqual(90);
  expect(raise(B, 11)).toBe(null);
  settle(A, 20, first?.sequence);
  expect(raise(B, 80)).toMatchObject({ bytes: 80 });
  expect(raise(A, 21)).toBe(null);
  settle(B, null);
  expect(raise(A, 100)).toMatchObject({ bytes: 100 });
});

it('grants are not lowered by what a bucket said before it was granted more', () => {
  const { raise, settle } = openLedger();
  const before = raise(A, 10);
  // The bucket settles; before the ledger hears of it, a commit there has a larger grant.
  const raised = raise(A, 90);
  expect(raised?.sequence).toBeGreaterThan(before?.sequence ?? 0);
  settle(A, 10, before?.sequence);
  expect(raise(B, 11)).toBe(null);
});

it('grants count what was stored before the quota, and settle the longest unsettled first', () => {
  const { ledger, raise, settle } = openLedger();
  settle(A, 70, 0, 20);
  settle(B, 0, 0, 10);
  expect(raise(B, 31)).toBe(null);
  const list = (settledBeforeMs: number) =>
    ledger.listGrants({ accountId, settledBeforeMs, limit: 10 });
  expect([list(30), list(20)]).toEqual([[B, A], [B]]);
});

it('grants are settled a few at a time, those of lately counted', () => {
  const { ledger, settle } = openLedger();
  const ids = ['a~1', 'b~1', 'c~1', 'd~1'] as BucketId[];
  for (const [i, bucketId] of ids.entries()) settle(bucketId, 1, 0, i + 1);
  const list = (settledBeforeMs: number, limit: number) =>
    ledger.listGrants({ accountId, settledBeforeMs, limit });
  expect([3, 2, 1, 0].map((limit) => list(4, limit))).toEqual([ids.slice(0, 2), ['a~1'], [], []]);
  expect(list(3, 1)).toEqual([]);
});

it('grants are of a quota that nobody changed meanwhile, and outlive its absence', () => {
  const { ledger, raise } = openLedger();
  const put = (quota: StorageQuota | null, known: StorageQuota | null) =>
    ledger.putQuota({ accountId, quota, known });
  expect(() => put({ bytes: 5, objects: 5 }, null)).toThrow(
    expect.objectContaining({ code: 'PreconditionFailed' }),
  );
  const first = raise(A, 1);
  put(null, QUOTA);
  expect(ledger.getQuota({ accountId })).toBe(null);
  expect(raise(A, 1000)?.bytes).toBeGreaterThanOrEqual(1000);
  put(QUOTA, null);
  put(QUOTA, null);
  expect(raise(A, 1)?.sequence).toBeGreaterThan(first?.sequence ?? 0);
});

it('grants are taken back so many in a time, however many commits ask for them', () => {
  const { ledger, raise, settle } = openLedger();
  const buckets = Array.from({ length: 30 }, (_, at) => `bucket~${at}` as BucketId);
  ledger.putQuota({ accountId, quota: { bytes: 1000, objects: null }, known: QUOTA });
  for (const bucketId of buckets) raise(bucketId, 1);
  const dueAt = (nowMs: number) =>
    ledger.listGrants({ accountId, settledBeforeMs: nowMs - 1000, limit: 20 });
  const due = dueAt(5000);
  expect(due).toHaveLength(20);
  for (const bucketId of due.slice(0, 15)) settle(bucketId, 1, 1, 5000);
  expect(dueAt(5100)).toHaveLength(5);
  for (const bucketId of dueAt(5100)) settle(bucketId, 1, 1, 5100);
  expect(dueAt(5999)).toEqual([]);
  expect(dueAt(6101)).toHaveLength(20);
});
