// Taking receipts while the ledger does what ledgers do: work, fail, lose its answer, hang, answer
// late. Every use is recorded once, no answer waits for long, and what receipts say is what the
// ledger has.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDirectLedger } from '../../../src/adapters/memory/direct-metadata-index.ts';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { createReceipts, type Receipt } from '../../../src/core/billing/receipts/take-receipt.ts';
import { LEDGER_RULES } from '../../../src/core/ledger-rules.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import { toUsage } from '../../../src/core/metering/query-usage.ts';
import type { AccountId, BucketId } from '../../../src/domain/nouns.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../src/index/tables/ledger-schema.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import type { Allowance, UsageOwner, Use } from '../../../src/ports/metering.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { openMigrated } from '../../index/kit/open-migrated.ts';
import { createTestCore } from '../memory-core.ts';

/** `late`: it responds when the test says so; its callers have timed out by then. */
type Fate = 'works' | 'fails' | 'answer lost' | 'late';

const ACCOUNT = 'alice' as AccountId;
const OWNER = { accountId: ACCOUNT, bucketId: 'a~1' as BucketId, accessKeyId: null };
const MONTH_MS = Date.UTC(2026, 10, 1);
const READ: Use = {
  operationClass: 'B',
  bytesOut: 2 ** 30,
  tier: 'bucket',
  storageClass: 'STANDARD',
  alsoRead: [],
};

function createWorld({ tierLimitMs = 3 } = {}) {
  let nowMs = Date.UTC(2026, 10, 21, 12);
  let fate: Fate = 'works';
  const late: (() => void)[] = [];
  const clock = { nowMs: () => nowMs };
  const sql = openMigrated(LEDGER_SCHEMA);
  const api = createLedgerIndex(sql, LEDGER_RULES);
  const direct = createDirectLedger(api);
  const calls: string[] = [];
  const ledger: Ledger = {
    async call(name, input) {
      const now = fate;
      calls.push(name);
      if (now === 'fails') throw new Error('away');
      if (now === 'late') await new Promise<void>((resolve) => late.push(resolve));
      const answer = await direct.call(name, input);
      if (now === 'answer lost') throw new Error('lost');
      return answer;
    },
  };
  const meter = createUsageMeter(clock);
  const log = { info: () => undefined, error: () => undefined };
  const background = {
    run: (label: string, work: () => Promise<unknown>) => void (label === 'receipt' && work()),
  };
  const core = createTestCore(
    { background, clock, ledger, log, meter },
    { tierLimitMs, rateCardId: 'aws-s3-us-east-1' },
  );
  const flusher = createUsageFlusher(core, { source: 'test', intervalMs: 1 });
  const take = createReceipts(core, flusher, 'test');
  return {
    ...{ api, calls, flusher, meter },
    take: (use: Partial<Use> = {}, owner: UsageOwner = OWNER) => take(owner, { ...READ, ...use }),
    usage: () =>
      toUsage(api.query({ accountId: ACCOUNT, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: [] })),
    receipts: () => api.readReceipts({ accountId: ACCOUNT, monthMs: MONTH_MS }).receipts,
    setFate(next: Fate) {
      fate = next;
    },
    advance(ms: number) {
      nowMs += ms;
    },
    async answerLate() {
      for (const resolve of late.splice(0)) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    },
    sources: () => sql.all<{ n: number }>('SELECT count(*) AS n FROM ledger_sources')[0]?.n,
  };
}

const amountOf = ({ price }: Receipt): bigint =>
  (price?.parts ?? []).reduce((sum, part) => sum + part.amountMicro, 0n);

describe('taking a receipt', () => {
  it('says what the answer cost, meter by meter', async () => {
    const world = createWorld();
    const receipt = await world.take({
      storageClass: 'STANDARD_IA',
      alsoRead: [{ storageClass: 'STANDARD', reads: 2, retrievedBytes: 0 }],
    });
    expect(receipt.price?.period).toBe('2026-11');
    expect(receipt.price?.tariff.card.currency).toBe('USD');
    expect(receipt.price?.parts.map(({ meter, quantity }) => [meter, quantity])).toEqual([
      ['class-b/STANDARD_IA', 1n],
      ['egress/bucket', 2n ** 30n],
      ['retrieval/STANDARD_IA', 2n ** 30n],
      ['class-b/STANDARD', 2n],
    ]);
    expect(world.meter.totals().operations.B).toBe(3);
    expect(world.meter.drain(() => true)).toEqual([]);
  });

  it('counts every use once, whatever becomes of the ledger', { timeout: 60_000 }, async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          fate: fc.constantFrom<Fate>('works', 'works', 'fails', 'answer lost', 'late'),
          width: fc.integer({ min: 1, max: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.constant('late answers' as const) },
      { weight: 1, arbitrary: fc.constant('flush' as const) },
      { weight: 1, arbitrary: fc.constant('pause ends' as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const world = createWorld();
        let [uses, receiptsMicro, given] = [0n, 0n, 0];
        let isSure = true;
        for (const next of steps) {
          if (next === 'late answers') await world.answerLate();
          else if (next === 'pause ends') world.advance(2_000);
          else if (next === 'flush') {
            world.setFate('works');
            await world.flusher.flush();
          } else {
            world.setFate(next.fate);
            const receipts = await Promise.all(
              Array.from({ length: next.width }, () => world.take()),
            );
            uses += BigInt(next.width);
            receiptsMicro += receipts.reduce((sum, receipt) => sum + amountOf(receipt), 0n);
            given += receipts.filter(({ price }) => price !== null).length;
            isSure &&= next.fate === 'works' || next.fate === 'fails';
            if (next.fate !== 'works')
              expect(receipts.every(({ price }) => price === null)).toBe(true);
          }
        }
        world.setFate('works');
        await world.answerLate();
        await world.flusher.close();
        await world.answerLate();
        expect(world.usage().get('class-b/STANDARD') ?? 0n).toBe(uses);
        expect(world.usage().get('egress/bucket') ?? 0n).toBe(uses * 2n ** 30n);
        const [sums] = world.receipts();
        const kept = (sums?.parts ?? []).reduce((sum, part) => sum + part.amountMicro, 0n);
        // A receipt whose answer was lost is in the sums, and nobody has it.
        if (isSure) expect([kept, sums?.receipts ?? 0]).toEqual([receiptsMicro, given]);
        else expect(kept).toBeGreaterThanOrEqual(receiptsMicro);
      }),
      { numRuns: fuzzRuns(25) },
    );
  });

  it('does not ask a ledger again that has just failed, and then asks once', async () => {
    const world = createWorld();
    world.setFate('fails');
    expect((await world.take()).price).toBeNull();
    world.setFate('works');
    expect((await world.take()).price).toBeNull();
    expect(world.calls).toEqual(['takeReceipt']);
    world.advance(2_000);
    const both = await Promise.all([world.take(), world.take()]);
    expect(both.map(({ price }) => price === null)).toEqual([false, true]);
    expect((await world.take()).price).not.toBeNull();
    await world.flusher.close();
    expect(world.usage().get('class-b/STANDARD')).toBe(5n);
  });

  it('keeps a row for as many receipts as were under way at once, not for each', async () => {
    const world = createWorld();
    for (let round = 0; round < 5; round++)
      await Promise.all(Array.from({ length: 4 }, () => world.take()));
    expect([world.receipts()[0]?.receipts, world.sources()]).toEqual([20, 4]);
  });

  it('limits how many are under way, one account to half; others are counted plainly', async () => {
    const world = createWorld({ tierLimitMs: 2_000 });
    const flood = Array.from({ length: 300 }, () => world.take());
    const other = world.take({}, { ...OWNER, accountId: 'bob' as AccountId });
    const receipts = await Promise.all(flood);
    expect(receipts.filter(({ price }) => price !== null)).toHaveLength(128);
    expect((await other).price).not.toBe(null);
    await world.flusher.close();
    expect(world.usage().get('class-b/STANDARD')).toBe(300n);
  });

  it('shows caps the use at once, and what is under way until the ledger has it', async () => {
    const world = createWorld({ tierLimitMs: 1_000 });
    const allowance = {
      used: 0,
      upTo: 100,
      underWay: 0,
      perA: 5,
      perB: 2,
      perByte: 1,
    } as Allowance;
    world.meter.of(OWNER).allowances = [allowance];
    world.setFate('late');
    const taken = world.take({
      bytesOut: 10,
      alsoRead: [{ storageClass: 'STANDARD', reads: 1, retrievedBytes: 0 }],
    });
    expect([allowance.used, allowance.underWay]).toEqual([14, 14]);
    await new Promise((resolve) => setImmediate(resolve));
    await world.answerLate();
    await taken;
    expect([allowance.used, allowance.underWay]).toEqual([14, 0]);
  });
});
