// What the index counts by a clock that jumps for seconds, where the platform vouches for no more
// than the time before.
import { expect, it } from 'vitest';
import { LEDGER_RULES } from '../../src/core/ledger-rules.ts';
import type { StorageHours } from '../../src/domain/billing/stored.ts';
import type { AccountId, BucketName } from '../../src/domain/nouns.ts';
import { DAY_MS, HOUR_MS, startOfHour } from '../../src/domain/time.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { createLedgerIndex } from '../../src/index/ledger-index.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { LEDGER_SCHEMA } from '../../src/index/tables/ledger-schema.ts';
import { bucketRecord, deletionOf, objectOf, START_MS } from '../contract/index/samples.ts';
import { openMigrated } from './kit/open-migrated.ts';

const OPEN_MS = startOfHour(START_MS) + 2 * HOUR_MS;
const JUMP_MS = 40 * DAY_MS;

function open() {
  const database = openMigrated(INDEX_SCHEMA, LEDGER_SCHEMA);
  let latestMs = Number.MAX_SAFE_INTEGER;
  const sql = { ...database, latestMs: () => latestMs };
  const index = createBucketIndex(sql);
  const record = bucketRecord({ name: 'jumping' as BucketName });
  const bucket = index.createBucket({ bucket: record });
  const put = (key: string, atMs: number, storageClass = 'STANDARD') => {
    const object = { ...objectOf(key), sizeBytes: 100, storageClass, lastModifiedMs: atMs };
    index.commitObject({ bucket, object, condition: null, newReferences: [] });
  };
  const hoursAt = (nowMs: number): readonly StorageHours[] =>
    index.closeStorageHours({ name: record.name, nowMs, limit: 100 });
  return {
    ...{ sql, index, bucket, put, hoursAt },
    believe(ms: number) {
      latestMs = ms;
    },
  };
}

const quantitiesOf = (hours: readonly StorageHours[]) =>
  hours.map(({ hourMs, hourCount, used }) => [
    (hourMs - OPEN_MS) / HOUR_MS,
    hourCount,
    used[0]?.quantity,
  ]);

it('what is stored is integrated up to the time that is believed, and nothing of a jump', () => {
  const { put, hoursAt, believe } = open();
  put('a', OPEN_MS);
  believe(OPEN_MS + HOUR_MS / 2);
  put('b', OPEN_MS + HOUR_MS / 2 + JUMP_MS);
  expect(hoursAt(OPEN_MS + JUMP_MS)).toEqual([]);
  believe(Number.MAX_SAFE_INTEGER);
  // 100 bytes for half an hour and 200 for the other half, then 200 for an hour.
  const expected = [
    [0, 1, 150n * BigInt(HOUR_MS)],
    [1, 1, 200n * BigInt(HOUR_MS)],
  ];
  expect(quantitiesOf(hoursAt(OPEN_MS + 2 * HOUR_MS))).toEqual(expected);
});

it('what leaves a colder class early in a jump owes what it owes', () => {
  const { index, bucket, put, hoursAt, believe } = open();
  put('cold', OPEN_MS, 'STANDARD_IA');
  believe(OPEN_MS + HOUR_MS);
  index.deleteObjects({ bucket, ...deletionOf(['cold'], OPEN_MS + JUMP_MS) });
  believe(Number.MAX_SAFE_INTEGER);
  const early = hoursAt(OPEN_MS + 3 * HOUR_MS).filter(({ of }) => of.kind === 'commits');
  expect(quantitiesOf(early)).toEqual([[1, 1, 100n * BigInt(30 * DAY_MS - HOUR_MS)]]);
});

it('totals that a wrong clock has taken into the future come back', () => {
  const { put, hoursAt } = open();
  put('a', OPEN_MS + JUMP_MS);
  expect(hoursAt(OPEN_MS)).toEqual([]);
  expect(quantitiesOf(hoursAt(OPEN_MS + HOUR_MS))).toEqual([[0, 1, 100n * BigInt(HOUR_MS)]]);
});

it('what is used in a jump stands in the hour that is believed, and batches are remembered', () => {
  const { sql, believe } = open();
  const ledger = createLedgerIndex(sql, LEDGER_RULES);
  const accountId = 'a' as AccountId;
  const record = (hourMs: number, sequence: number) => {
    const rows = [
      {
        hourMs,
        bucketId: null,
        accessKeyId: null,
        meter: 'class-a/STANDARD' as const,
        quantity: 1n,
      },
    ];
    ledger.record({ accountId, batches: [{ source: 's', sequence, rows }], nowMs: hourMs });
  };
  believe(OPEN_MS + HOUR_MS / 2);
  record(OPEN_MS, 1);
  record(OPEN_MS + 200 * DAY_MS, 2);
  record(OPEN_MS, 1);
  const whole = { accountId, fromMs: 0, toMs: OPEN_MS + 400 * DAY_MS, groupBy: ['hour'] } as const;
  expect(ledger.query(whole)).toMatchObject([{ timeMs: OPEN_MS, quantity: 2n }]);
});
