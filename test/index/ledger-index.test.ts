// The ledger against a list of rows: sums by any group, quantities beyond 2^64, and batches that
// come again in any way.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEDGER_RULES } from '../../src/core/ledger-rules.ts';
import type { MeterName, UsageGroup, UsageRow } from '../../src/domain/billing/usage.ts';
import type { AccessKeyId, AccountId, BucketId } from '../../src/domain/nouns.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { createLedgerIndex } from '../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../src/index/tables/ledger-schema.ts';
import type { LedgerApi } from '../../src/ports/ledger.ts';
import { fuzzRuns } from '../fuzz-seed.ts';
import { openMigrated } from './kit/open-migrated.ts';

const accountId = 'alice' as AccountId;
const START_MS = Date.UTC(2026, 9, 30);
const END_MS = Date.UTC(2026, 11, 1);
const GROUPS: UsageGroup[] = ['hour', 'day', 'month', 'bucket', 'accessKey'];

function open(): LedgerApi {
  const sql = openMigrated(LEDGER_SCHEMA);
  return createLedgerIndex(sql, LEDGER_RULES);
}

const usageRow: fc.Arbitrary<UsageRow> = fc.record({
  // The turn of a month lies between.
  hourMs: fc.nat({ max: 80 }).map((hour) => START_MS + hour * HOUR_MS),
  bucketId: fc.constantFrom('a~1' as BucketId, 'b~2' as BucketId, null),
  accessKeyId: fc.constantFrom('k1' as AccessKeyId, 'k2' as AccessKeyId, null),
  meter: fc.constantFrom<MeterName>('class-a/STANDARD', 'storage/STANDARD', 'egress/memory'),
  quantity: fc.oneof(fc.bigInt(0n, 10n), fc.bigInt(0n, 2n ** 80n)),
});

function timeOf(group: UsageGroup | null, hourMs: number): number | null {
  if (group === 'hour') return hourMs;
  if (group === 'day') return hourMs - (hourMs % (24 * HOUR_MS));
  return group === 'month'
    ? Date.UTC(new Date(hourMs).getUTCFullYear(), new Date(hourMs).getUTCMonth())
    : null;
}

function sumByHand(rows: readonly UsageRow[], groupBy: readonly UsageGroup[]): Map<string, bigint> {
  const time =
    groupBy.find((group) => group === 'hour' || group === 'day' || group === 'month') ?? null;
  const sums = new Map<string, bigint>();
  for (const row of rows) {
    const bucket = groupBy.includes('bucket') ? row.bucketId : null;
    const key = groupBy.includes('accessKey') ? row.accessKeyId : null;
    const name = [timeOf(time, row.hourMs), bucket, key, row.meter].join(' ');
    sums.set(name, (sums.get(name) ?? 0n) + row.quantity);
  }
  return sums;
}

describe('ledger', () => {
  it('sums by any group what was recorded, each batch once, however often it comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(usageRow, { maxLength: 6 }), { maxLength: 8 }),
        fc.subarray(GROUPS.slice(3)),
        fc.constantFrom<UsageGroup | null>('hour', 'day', 'month', null),
        fc.array(fc.nat(), { maxLength: 6 }),
        (batches, others, time, repeats) => {
          const ledger = open();
          const sent = batches.map((rows, at) => ({ source: 's', sequence: at + 1, rows }));
          for (const [at, batch] of sent.entries()) {
            ledger.record({ accountId, batches: [batch], nowMs: START_MS });
            // An answer was lost: this one or an earlier one is sent again, alone or before the
            // next.
            const again = repeats
              .map((pick) => sent[pick % (at + 1)])
              .filter((found) => found !== undefined);
            ledger.record({ accountId, batches: again, nowMs: START_MS });
          }
          const groupBy = time === null ? others : [time, ...others];
          const found = ledger.query({ accountId, fromMs: START_MS, toMs: END_MS, groupBy });
          const byName = found.map(
            (sum) =>
              [
                [sum.timeMs, sum.bucketId, sum.accessKeyId, sum.meter].join(' '),
                sum.quantity,
              ] as const,
          );
          expect(new Map(byName)).toEqual(sumByHand(batches.flat(), groupBy));
          expect(byName).toHaveLength(new Set(byName.map(([name]) => name)).size);
        },
      ),
      { numRuns: fuzzRuns(150) },
    );
  });

  it('reads whole months from their own sums, alike', () => {
    const ledger = open();
    const rows = [0, 40, 50].map((hour) => ({
      hourMs: START_MS + hour * HOUR_MS,
      bucketId: 'a~1' as BucketId,
      accessKeyId: null,
      meter: 'class-a/STANDARD' as const,
      quantity: BigInt(hour + 1),
    }));
    ledger.record({ accountId, batches: [{ source: 's', sequence: 1, rows }], nowMs: 0 });
    const [fromMs, toMs] = [Date.UTC(2026, 10), Date.UTC(2026, 11)];
    const sumOf = (from: number, to: number) =>
      ledger.query({ accountId, fromMs: from, toMs: to, groupBy: [] }).map((sum) => sum.quantity);
    expect(sumOf(fromMs, toMs)).toEqual([51n]);
    expect(sumOf(fromMs, toMs + HOUR_MS)).toEqual([51n]);
    expect(sumOf(Date.UTC(2026, 9), fromMs)).toEqual([42n]);
  });

  it('keeps accounts apart, and sources', () => {
    const ledger = open();
    const row = {
      hourMs: START_MS,
      bucketId: null,
      accessKeyId: null,
      meter: 'class-a/STANDARD',
      quantity: 1n,
    } as const;
    for (const source of ['x', 'y']) {
      ledger.record({ accountId, batches: [{ source, sequence: 1, rows: [row] }], nowMs: 0 });
    }
    const query = { fromMs: START_MS, toMs: END_MS, groupBy: [] };
    expect(ledger.query({ accountId, ...query }).map((sum) => sum.quantity)).toEqual([2n]);
    expect(ledger.query({ accountId: 'bob' as AccountId, ...query })).toEqual([]);
  });

  it('gives the usage of one bucket, or of one key', () => {
    const ledger = open();
    const row = (bucketId: string, key: string | null, quantity: bigint): UsageRow => ({
      hourMs: START_MS,
      bucketId: bucketId as BucketId,
      accessKeyId: key as AccessKeyId | null,
      meter: 'class-b/STANDARD',
      quantity,
    });
    const rows = [row('a~1', 'k1', 1n), row('a~1', null, 10n), row('b~1', 'k1', 100n)];
    ledger.record({ accountId, batches: [{ source: 's', sequence: 1, rows }], nowMs: 0 });
    const query = { accountId, fromMs: START_MS, toMs: END_MS, groupBy: [] };
    expect(ledger.query({ ...query, bucketId: 'a~1' as BucketId })[0]?.quantity).toBe(11n);
    expect(ledger.query({ ...query, accessKeyId: 'k1' as AccessKeyId })[0]?.quantity).toBe(101n);
  });
});
