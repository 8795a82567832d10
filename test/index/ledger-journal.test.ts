// The ledger's journal: one row written for all that comes together, batches that are counted once
// whatever their senders say of them, sums that stay exact while pages grow old, and databases from
// before there were pages.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RATE_CARDS } from '../../src/core/billing/prices/rate-cards.ts';
import { LEDGER_RULES } from '../../src/core/ledger-rules.ts';
import type { Cap } from '../../src/domain/billing/caps.ts';
import type { MeterName, UsageBatch, UsageRow } from '../../src/domain/billing/usage.ts';
import type { AccessKeyId, AccountId, BucketId } from '../../src/domain/nouns.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts';
import { createLedgerIndex } from '../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../src/index/tables/ledger-schema.ts';
import { migrate } from '../../src/index/tables/schema.ts';
import { fuzzRuns } from '../fuzz-seed.ts';
import { openMigrated } from './kit/open-migrated.ts';

const accountId = 'alice' as AccountId;
const START_MS = Date.UTC(2026, 9, 28);
const ALL = { accountId, fromMs: 0, toMs: Date.UTC(2100, 0) } as const;

function open() {
  const sql = openMigrated(LEDGER_SCHEMA);
  const ledger = createLedgerIndex(sql, LEDGER_RULES);
  const changes = () => sql.all<{ n: number }>('SELECT total_changes() AS n')[0]?.n ?? 0;
  const record = (batches: readonly UsageBatch[], nowMs = START_MS) => {
    const before = changes();
    ledger.record({ accountId, batches, nowMs });
    return changes() - before;
  };
  const pages = () =>
    sql.all<{ claims: string; size: number }>(
      'SELECT claims, length(usage) AS size FROM ledger_pages ORDER BY page',
    );
  return { sql, ledger, record, pages };
}

const rowOf = (over: Partial<UsageRow> = {}): UsageRow => ({
  hourMs: START_MS,
  bucketId: 'a~1' as BucketId,
  accessKeyId: null,
  meter: 'class-b/STANDARD',
  quantity: 1n,
  ...over,
});

const firstOf = (source: string, sequence: number, rows: readonly UsageRow[]): UsageBatch => ({
  ...{ source, sequence, rows, attempt: 'first' },
});
const repeatOf = (batch: UsageBatch): UsageBatch => ({ ...batch, attempt: 'repeat' });

describe('the journal', () => {
  it('takes batches of many isolates, buckets and meters in one row', () => {
    const { record } = open();
    const meters: MeterName[] = ['class-b/STANDARD', 'egress/memory', 'operation/PublicRead'];
    const batches = Array.from({ length: 30 }, (_, at) => {
      const bucketId = `bucket-${at}~1` as BucketId;
      return firstOf(
        `isolate ${at}`,
        1,
        meters.map((meter) => rowOf({ bucketId, meter })),
      );
    });
    expect(record(batches)).toBe(1);
    expect(record([firstOf('isolate 3', 2, [rowOf()])])).toBe(1);
  });

  it('writes no row more for what only charts show, in months with receipts too', () => {
    const { ledger, record } = open();
    const [card] = RATE_CARDS;
    if (card === undefined) throw new Error('No card ships.');
    const use = { source: 'receipts', sequence: 1, rows: [rowOf()] };
    ledger.takeReceipt({ accountId, use, tariff: { card, version: 'v' }, nowMs: START_MS });
    const meters: MeterName[] = ['errors/4xx', 'errors/5xx', 'operation/PublicRead'];
    expect(
      record([
        firstOf(
          'i',
          1,
          meters.map((meter) => rowOf({ meter })),
        ),
      ]),
    ).toBe(1);
    expect(record([firstOf('i', 2, [rowOf()])])).toBe(2);
  });

  it('splits what is too much for one row, and sums it all', () => {
    const { ledger, record, pages } = open();
    const rows = Array.from({ length: 20_000 }, (_, at) =>
      rowOf({ bucketId: `bucket-${at}~1` as BucketId }),
    );
    record([firstOf('i', 1, rows)]);
    expect(pages().length).toBeGreaterThan(10);
    expect(Math.max(...pages().map(({ size }) => size))).toBeLessThan(64 * 1024);
    const [sum] = ledger.query({ ...ALL, groupBy: [] });
    expect(sum?.quantity).toBe(20_000n);
  });

  it('writes months once a day, and forgets claims after a week', () => {
    const { ledger, record, pages, sql } = open();
    for (let hour = 0; hour < 24 * 12; hour++)
      record(
        [firstOf('i', hour + 1, [rowOf({ hourMs: START_MS + hour * HOUR_MS })])],
        START_MS + hour * HOUR_MS,
      );
    const summed = sql.all<{ n: number }>('SELECT sum(low) AS n FROM ledger_months')[0]?.n ?? 0;
    expect(summed).toBeGreaterThanOrEqual(24 * 10);
    expect(summed).toBeLessThan(24 * 12);
    const withClaims = pages().filter(({ claims }) => claims !== '');
    expect(withClaims.length).toBeGreaterThanOrEqual(24 * 7);
    expect(withClaims.length).toBeLessThanOrEqual(24 * 9);
    const months = ledger.query({ ...ALL, toMs: Date.UTC(2099, 0), groupBy: ['month'] });
    expect(months.map(({ timeMs, quantity }) => [timeMs, quantity])).toEqual([
      [Date.UTC(2026, 9), 96n],
      [Date.UTC(2026, 10), 192n],
    ]);
  });
});

describe('batches that come again', () => {
  it('are counted once, in whatever order the first and its repeats arrive', () => {
    const first = firstOf('i', 1, [rowOf()]);
    const later = firstOf('i', 2, [rowOf()]);
    const orders: (readonly UsageBatch[])[][] = [
      [[first], [repeatOf(first)], [repeatOf(first), later]],
      [[repeatOf(first)], [first], [later]],
      [[repeatOf(first), later], [first]],
      [[first, repeatOf(first), later]],
      [[repeatOf(first), first], [later], [repeatOf(later)]],
    ];
    for (const calls of orders) {
      const { ledger, record } = open();
      for (const batches of calls) record(batches);
      expect(ledger.query({ ...ALL, groupBy: [] })).toMatchObject([{ quantity: 2n }]);
    }
  });

  it('are known by their source whole, not by a part of its name', () => {
    const { ledger, record } = open();
    record([firstOf('process 11', 1, [rowOf()])]);
    record([repeatOf(firstOf('process 1', 1, [rowOf()]))]);
    expect(ledger.query({ ...ALL, groupBy: [] })).toMatchObject([{ quantity: 2n }]);
  });

  it('stay exact while days go by, by hour and by month', () => {
    const step = fc.record({
      sources: fc.uniqueArray(fc.constantFrom('i', 'j', 'k'), { minLength: 1 }),
      hoursLater: fc.constantFrom(0, 0, 1, 5, 30, 100),
      hourBefore: fc.constantFrom(0, 1, 60),
      quantity: fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(0n, 2n ** 80n)),
      key: fc.constantFrom('k1' as AccessKeyId, null),
      fate: fc.constantFrom('once', 'repeated', 'lost'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const { ledger, record } = open();
        const sequences = new Map<string, number>();
        const expected: UsageRow[] = [];
        let nowMs = START_MS;
        for (const { sources, hoursLater, hourBefore, quantity, key, fate } of steps) {
          nowMs += hoursLater * HOUR_MS;
          const hourMs = nowMs - hourBefore * HOUR_MS;
          const batches = sources.map((source) => {
            const sequence = (sequences.get(source) ?? 0) + 1;
            sequences.set(source, sequence);
            return firstOf(source, sequence, [rowOf({ hourMs, quantity, accessKeyId: key })]);
          });
          if (fate !== 'lost') record(batches, nowMs);
          if (fate !== 'once') record(batches.map(repeatOf), nowMs);
          expected.push(...batches.flatMap(({ rows }) => rows));
        }

        const byHour = new Map<number, bigint>();
        for (const { hourMs, quantity } of expected)
          byHour.set(hourMs, (byHour.get(hourMs) ?? 0n) + quantity);
        const hours = ledger.query({ ...ALL, groupBy: ['hour'] });
        expect(new Map(hours.map((sum) => [sum.timeMs, sum.quantity]))).toEqual(byHour);
        const total = expected.reduce((sum, { quantity }) => sum + quantity, 0n);
        const months = ledger.query({ ...ALL, groupBy: ['month', 'accessKey'] });
        expect(months.reduce((sum, { quantity }) => sum + quantity, 0n)).toBe(total);
        expect(ledger.getFirstHour({ accountId })).toBe(
          expected.length === 0 ? null : Math.min(...byHour.keys()),
        );
      }),
      { numRuns: fuzzRuns(60) },
    );
  });
});

describe('a database from before there were pages', () => {
  it('keeps its sums and sources, and goes on adding', () => {
    const { migrations, name } = LEDGER_SCHEMA;
    const sql = openMigrated({ name, migrations: migrations.slice(0, 4) });
    for (const [table, atMs] of [
      ['ledger_hours', START_MS],
      ['ledger_months', Date.UTC(2026, 9)],
    ] as const)
      sql.all(
        `INSERT INTO ${table} VALUES ('alice', ?, 'a~1', '', 'class-b/STANDARD', 1, 5)`,
        atMs,
      );
    sql.all("INSERT INTO ledger_sources VALUES ('alice', 'old', 7, ?, NULL)", START_MS);
    migrate(sql, LEDGER_SCHEMA);

    const ledger = createLedgerIndex(sql, LEDGER_RULES);
    const record = (batch: UsageBatch, nowMs: number) =>
      ledger.record({ accountId, batches: [batch], nowMs });
    // What the old program recorded, and its isolate sends again.
    record({ source: 'old', sequence: 7, rows: [rowOf()] }, START_MS);
    record(repeatOf(firstOf('old', 7, [rowOf()])), START_MS);
    record(firstOf('old', 8, [rowOf()]), START_MS);
    record(firstOf('new', 1, [rowOf({ hourMs: START_MS + DAY_MS })]), START_MS + DAY_MS);

    const before = 2n ** 32n + 5n;
    const [fromMs, toMs] = [Date.UTC(2026, 9), Date.UTC(2026, 10)];
    const query = { accountId, fromMs, toMs };
    expect(ledger.query({ ...query, groupBy: [] })).toMatchObject([{ quantity: before + 2n }]);
    expect(ledger.query({ ...query, groupBy: ['day'] })).toMatchObject([
      { timeMs: START_MS, quantity: before + 1n },
      { timeMs: START_MS + DAY_MS, quantity: 1n },
    ]);
    expect(ledger.getFirstHour({ accountId })).toBe(START_MS);
  });
});

describe('the caps of an account', () => {
  const nowMs = START_MS + 2 * HOUR_MS;
  const bucketOf = (at: number) => `bucket-${at}~1` as BucketId;
  const capOf = (at: number): Cap => ({
    id: `cap ${at}`,
    scope: at === 0 ? { kind: 'account' } : { kind: 'bucket', bucketId: bucketOf(at) },
    unit: 'bytes',
    limit: 1_000_000n,
    period: at % 2 === 0 ? 'day' : 'month',
    alertPercents: [],
    cachedFromPercent: null,
    cardId: null,
    liftedUntilMs: null,
  });

  /** A ledger with that many caps, each of a bucket with usage in two hours. */
  function withCaps(count: number) {
    const { sql, ledger, record } = open();
    for (let at = 0; at < count; at++) {
      const rows = [0, HOUR_MS].map((ms) =>
        rowOf({ bucketId: bucketOf(at), meter: 'egress/memory', hourMs: START_MS + ms }),
      );
      record([firstOf(`isolate ${at}`, 1, rows)]);
      ledger.putCap({ accountId, cap: capOf(at), known: null });
    }
    let pageReads = 0;
    const all = sql.all.bind(sql);
    sql.all = (text, ...values) => {
      if (text.includes('FROM ledger_pages')) pageReads++;
      return all(text, ...values);
    };
    const states = ledger.readCaps({ accountId, holder: '', nowMs });
    return { states, pageReads };
  }

  it('read the journal once for each of their periods, however many they are', () => {
    const many = withCaps(40);
    expect(many.states).toHaveLength(40);
    expect([withCaps(4).pageReads, many.pageReads]).toEqual([2, 2]);
  });

  it('count what was used of their bucket, or of all', () => {
    const used = new Map(
      withCaps(6).states.map(({ cap, usage }) => [cap.id, usage.map(({ quantity }) => quantity)]),
    );
    expect(used.get('cap 0')).toEqual([12n]);
    for (const at of [1, 2, 3, 4, 5]) expect(used.get(`cap ${at}`)).toEqual([2n]);
  });
});
