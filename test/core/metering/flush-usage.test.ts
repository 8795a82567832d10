// What is counted reaches the ledger once, whatever becomes of a flush: an answer that is lost, a ledger that is away for
// hours, uses that come while it is asked.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDirectLedger } from '../../../src/adapters/memory/direct-metadata-index.ts';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { priceReceipt } from '../../../src/core/billing/price-receipt.ts';
import type { Core } from '../../../src/core/core.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import { toUsage } from '../../../src/core/metering/query-usage.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../src/index/ledger-schema.ts';
import type { AccessKeyId, AccountId, BucketId } from '../../../src/ports/domain.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import { HOUR_MS } from '../../../src/ports/time.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { openMigrated } from '../../index/open-migrated.ts';

type Fate = 'works' | 'fails' | 'answer lost';

function createWorld() {
  let nowMs = Date.UTC(2026, 10, 21, 12, 59);
  let fate: Fate = 'works';
  const clock = { nowMs: () => nowMs };
  const sql = openMigrated(LEDGER_SCHEMA);
  const api = createLedgerIndex(sql, priceReceipt);
  const direct = createDirectLedger(api);
  const ledger: Ledger = {
    async call(name, input) {
      const now = fate;
      if (now === 'fails') throw new Error('away');
      const answer = await direct.call(name, input);
      if (now === 'answer lost') throw new Error('lost');
      return answer;
    },
  };
  const meter = createUsageMeter(clock);
  const log = { info: () => undefined, error: () => undefined };
  const core = { ports: { clock, ledger, log, meter } } as unknown as Core;
  const flusher = createUsageFlusher(core, { source: 'test', intervalMs: 1 });
  const use = (account: string, bytes = 1) =>
    meter
      .of({ accountId: account as AccountId, bucketId: `${account}~1` as BucketId, accessKeyId: null })
      .count('B', bytes, 'memory', 'STANDARD');
  const recorded = (account: string) =>
    toUsage(api.query({ accountId: account as AccountId, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: [] }));
  return {
    flusher,
    use,
    recorded,
    api,
    meter,
    setFate(next: Fate) {
      fate = next;
    },
    advance(ms: number) {
      nowMs += ms;
    },
  };
}

describe('flushing usage', () => {
  it('records every use once, however flushes end', async () => {
    const step = fc.oneof(
      fc.record({ use: fc.constantFrom('alice', 'bob') }),
      fc.record({ flush: fc.constantFrom<Fate>('works', 'fails', 'answer lost') }),
      fc.record({ advanceMs: fc.constantFrom(1000, HOUR_MS, 60 * HOUR_MS) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const world = createWorld();
        const used = { alice: 0n, bob: 0n };
        for (const next of steps) {
          if ('use' in next) {
            world.use(next.use, 7);
            used[next.use as 'alice' | 'bob'] += 1n;
          } else if ('flush' in next) {
            world.setFate(next.flush);
            await world.flusher.flush();
          } else world.advance(next.advanceMs);
        }
        world.setFate('works');
        // What waited goes first; what was counted meanwhile with the next.
        await world.flusher.flush();
        expect(await world.flusher.flush()).toBe(true);
        for (const name of ['alice', 'bob'] as const) {
          expect(world.recorded(name).get('class-b/STANDARD') ?? 0n).toBe(used[name]);
          expect(world.recorded(name).get('egress/memory') ?? 0n).toBe(7n * used[name]);
        }
      }),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('tells requests by their names apart from classes; bills have the classes alone', async () => {
    const world = createWorld();
    const [bucketId, accountId] = ['alice~1' as BucketId, 'alice' as AccountId];
    const byKey = world.meter.of({ accountId, bucketId, accessKeyId: 'k' as AccessKeyId });
    byKey.count('A', 0, 'none', 'STANDARD');
    byKey.note('PutObject', false);
    byKey.note('GetObject', false);
    byKey.count('B', 0, 'memory', 'STANDARD');
    // A stranger's three reads, one of which came by S3's own door.
    for (const _ of [1, 2, 3]) world.use('alice');
    world.meter.of({ accountId, bucketId, accessKeyId: null }).note('GetObject', true);
    await world.flusher.flush();
    const sums = world.api.query({ accountId, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: ['accessKey'] });
    const named = sums.filter(({ meter }) => meter.startsWith('operation/'));
    expect(named.map(({ accessKeyId, meter, quantity }) => [accessKeyId, meter, quantity])).toEqual([
      [null, 'operation/GetObject', 1n],
      [null, 'operation/PublicRead', 2n],
      ['k', 'operation/GetObject', 1n],
      ['k', 'operation/PutObject', 1n],
      ['k', 'operation/SignedRead', 1n],
    ]);
    expect(toUsage(sums)).toEqual(
      new Map([
        ['class-b/STANDARD', 4n],
        ['egress/memory', 3n],
        ['class-a/STANDARD', 1n],
      ]),
    );
  });

  it('counts uses into the hour in which they began', async () => {
    const world = createWorld();
    world.use('alice');
    world.advance(HOUR_MS);
    world.use('alice');
    await world.flusher.flush();
    world.use('alice');
    await world.flusher.flush();
    const accountId = 'alice' as AccountId;
    const hours = world.api.query({ accountId, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: ['hour'] });
    const reads = hours.filter((sum) => sum.meter === 'class-b/STANDARD');
    expect(reads.map((sum) => [new Date(sum.timeMs ?? 0).getUTCHours(), sum.quantity])).toEqual([
      [12, 2n],
      [13, 1n],
    ]);
  });

  it('loses nothing that is used while a flush is under way', async () => {
    const world = createWorld();
    world.use('alice');
    const first = world.flusher.flush();
    world.use('alice');
    await Promise.all([first, world.flusher.flush(), world.flusher.flush()]);
    await world.flusher.flush();
    expect(world.recorded('alice').get('class-b/STANDARD')).toBe(2n);
  });

  it('ends what a use began, also when the first attempt fails', async () => {
    const world = createWorld();
    world.use('alice');
    world.setFate('fails');
    const after = world.flusher.afterUse();
    await world.flusher.flush();
    world.setFate('works');
    await after;
    expect(world.recorded('alice').get('class-b/STANDARD')).toBe(1n);
  });
});
