// Caps as the ledger reads them: each with what sums of its own would say, in a number of
// statements that does not grow with the caps.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LEDGER_RULES } from '../../../src/core/ledger-rules.ts';
import { type Cap, type CapScope, capPeriod } from '../../../src/domain/billing/caps.ts';
import type { MeterName, UsageRow } from '../../../src/domain/billing/usage.ts';
import type { AccessKeyId, AccountId, BucketId } from '../../../src/domain/nouns.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../src/index/tables/ledger-schema.ts';
import type { Sql } from '../../../src/ports/sql.ts';
import { bytesCap } from '../../core/caps/cap-samples.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const accountId = 'alice' as AccountId;
const NOW_MS = Date.UTC(2026, 10, 2, 1, 30);
const START_MS = Date.UTC(2026, 9, 31);

function open() {
  const plain = openMigrated(LEDGER_SCHEMA);
  const counts = { statements: 0 };
  const sql: Sql = {
    all(text, ...values) {
      counts.statements += 1;
      return plain.all(text, ...values);
    },
    transaction: plain.transaction,
  };
  return { ledger: createLedgerIndex(sql, LEDGER_RULES), counts };
}

const bucketId = fc.constantFrom('a~1' as BucketId, 'b~2' as BucketId);
const accessKeyId = fc.constantFrom('k1' as AccessKeyId, 'k2' as AccessKeyId);
const usageRow: fc.Arbitrary<UsageRow> = fc.record({
  hourMs: fc.nat({ max: 49 }).map((hour) => START_MS + hour * HOUR_MS),
  bucketId: fc.oneof(bucketId, fc.constant(null)),
  accessKeyId: fc.oneof(accessKeyId, fc.constant(null)),
  meter: fc.constantFrom<MeterName>('class-a/STANDARD', 'storage/STANDARD', 'egress/memory'),
  quantity: fc.oneof(fc.bigInt(1n, 10n), fc.bigInt(1n, 2n ** 80n)),
});
const scope: fc.Arbitrary<CapScope> = fc.oneof(
  fc.constant<CapScope>({ kind: 'account' }),
  bucketId.map((id): CapScope => ({ kind: 'bucket', bucketId: id })),
  accessKeyId.map((id): CapScope => ({ kind: 'accessKey', accessKeyId: id })),
);
const someCap = fc.record({
  scope,
  period: fc.constantFrom<Cap['period']>('day', 'month'),
  unit: fc.constantFrom<Cap['unit']>('bytes', 'money'),
});

it('each cap has the sums of its own scope and period', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(usageRow, { maxLength: 6 }), { maxLength: 8 }),
      fc.array(someCap, { maxLength: 8 }),
      (batches, caps) => {
        const { ledger } = open();
        caps.forEach((cap, at) => {
          ledger.putCap({ accountId, cap: bytesCap(9n, { ...cap, id: `cap${at}` }), known: null });
        });
        // Pages are of an hour, and older ones go into the sums of months.
        batches.forEach((rows, at) => {
          const batch = { source: 's', sequence: at + 1, rows };
          ledger.record({ accountId, batches: [batch], nowMs: NOW_MS - (8 - at) * HOUR_MS });
        });

        const states = ledger.readCaps({ accountId, holder: '', nowMs: NOW_MS });
        expect(states).toHaveLength(caps.length);
        for (const { cap, usage, stored } of states) {
          const { kind: _, ...only } = cap.scope;
          const query = { accountId, groupBy: [], ...only };
          const whole = ledger.query({ ...query, ...capPeriod(cap.period, NOW_MS) });
          expect(usage).toEqual(whole.map(({ meter, quantity }) => ({ meter, quantity })));
          const fromMs = Date.UTC(2026, 10, 1, 23);
          const hour = { fromMs, toMs: fromMs + HOUR_MS, kinds: ['storage'] as const };
          const isStoring = cap.unit === 'money' && cap.scope.kind !== 'accessKey';
          const expected = isStoring ? ledger.query({ ...query, ...hour }) : [];
          expect(stored).toEqual(expected.map(({ meter, quantity }) => ({ meter, quantity })));
        }
      },
    ),
    { numRuns: fuzzRuns(50) },
  );
});

it('a hundred caps are read by as many statements as three', () => {
  const statementsFor = (count: number) => {
    const { ledger, counts } = open();
    for (let at = 0; at < count; at++) {
      const period = at % 2 === 0 ? 'day' : 'month';
      const unit = at % 3 === 0 ? 'money' : 'bytes';
      const of: CapScope = { kind: 'bucket', bucketId: `b~${at}` as BucketId };
      const cap = bytesCap(9n, { id: `cap${at}`, period, unit, scope: of });
      ledger.putCap({ accountId, cap, known: null });
    }
    counts.statements = 0;
    ledger.readCaps({ accountId, holder: 'p', nowMs: NOW_MS });
    return counts.statements;
  };
  expect(statementsFor(100)).toBe(statementsFor(3));
});

it('leases of others are told apart by cap, and from those of the holder', () => {
  const { ledger } = open();
  for (const id of ['one', 'two'])
    ledger.putCap({ accountId, cap: bytesCap(10_000n, { id }), known: null });
  const lease = (holder: string, capId: string) =>
    ledger.leaseCaps({
      ...{ accountId, holder, batches: [], waiting: [], nowMs: NOW_MS },
      held: [{ capId, leased: 500, pending: 500, usedUnits: 0, usedOverMs: 1000 }],
    });
  lease('p', 'one');
  lease('q', 'two');
  const othersOf = (holder: string) =>
    ledger
      .readCaps({ accountId, holder, nowMs: NOW_MS })
      .map(({ leasedToOthers, othersUntilMs }) => [leasedToOthers, othersUntilMs > NOW_MS]);
  const [ofOne, ofTwo] = othersOf('nobody');
  expect(ofOne?.[0]).toBeGreaterThanOrEqual(500);
  expect(ofTwo?.[0]).toBeGreaterThanOrEqual(500);
  const [p, q] = [othersOf('p'), othersOf('q')];
  for (const at of [0, 1]) {
    const sum = Number(p[at]?.[0]) + Number(q[at]?.[0]);
    expect(sum).toBe(Number(othersOf('nobody')[at]?.[0]));
  }
  expect(Number(p[0]?.[0])).toBeLessThan(500);
  expect(othersOf('nobody')[0]?.[1]).toBe(true);
});
