// What is counted reaches the ledger once, whatever becomes of a flush: an answer that is lost, a
// ledger that is away for hours, uses that come while it is asked.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDirectLedger } from '../../../src/adapters/memory/direct-metadata-index.ts';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { LEDGER_RULES } from '../../../src/core/ledger-rules.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import { toUsage } from '../../../src/core/metering/query-usage.ts';
import type { AccessKeyId, AccountId, BucketId } from '../../../src/domain/nouns.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../src/index/tables/ledger-schema.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { openMigrated } from '../../index/kit/open-migrated.ts';
import { createTestCore } from '../memory-core.ts';

type Fate = 'works' | 'fails' | 'answer lost' | 'hangs';

/** A ledger that says nothing for so long has failed, milliseconds. */
const LIMIT_MS = 5;
/** No run behind an answer is believed in for longer. */
const RUN_MAX_MS = 30_000;

function createWorld() {
  let nowMs = Date.UTC(2026, 10, 21, 12, 59);
  let fates: (account: string) => Fate = () => 'works';
  const hanging: (() => void)[] = [];
  let isDying = false;
  const clock = { nowMs: () => nowMs };
  const sql = openMigrated(LEDGER_SCHEMA);
  const api = createLedgerIndex(sql, LEDGER_RULES);
  const direct = createDirectLedger(api);
  const ledger: Ledger = {
    async call(name, input) {
      const now = fates(input.accountId);
      if (now === 'fails') throw new Error('away');
      if (now === 'hangs') await new Promise<void>((resolve) => hanging.push(resolve));
      const answer = await direct.call(name, input);
      if (now === 'answer lost') throw new Error('lost');
      return answer;
    },
  };
  const meter = createUsageMeter(clock);
  const log = { info: () => undefined, error: () => undefined };
  const runs: Promise<unknown>[] = [];
  let begun = 0;
  const background = {
    run(_label: string, work: () => Promise<unknown>) {
      begun += 1;
      // A runtime that ends work tells nobody.
      if (!isDying) runs.push(work());
    },
  };
  const core = createTestCore({ background, clock, ledger, log, meter }, { tierLimitMs: LIMIT_MS });
  const flusher = createUsageFlusher(core, { source: 'test', intervalMs: 1 });
  const use = (account: string, bytes = 1) =>
    meter
      .of({
        accountId: account as AccountId,
        bucketId: `${account}~1` as BucketId,
        accessKeyId: null,
      })
      .count('B', bytes, 'memory', 'STANDARD');
  const recorded = (account: string) =>
    toUsage(
      api.query({
        accountId: account as AccountId,
        fromMs: 0,
        toMs: Date.UTC(2100, 0),
        groupBy: [],
      }),
    );
  return {
    flusher,
    use,
    recorded,
    reads: (account: string) => recorded(account).get('class-b/STANDARD') ?? 0n,
    api,
    meter,
    setFate(next: Fate, account: string | null = null) {
      const before = fates;
      fates = (asked) => (account === null || account === asked ? next : before(asked));
    },
    setDying(next: boolean) {
      isDying = next;
    },
    begun: () => begun,
    /** What hung is done after all, when nobody waits for it any more. */
    async answerLate() {
      for (const resolve of hanging.splice(0)) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    },
    /** Until no work is under way behind an answer. */
    async settle() {
      while (runs.length > 0) await runs.shift();
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
    const sums = world.api.query({
      accountId,
      fromMs: 0,
      toMs: Date.UTC(2100, 0),
      groupBy: ['accessKey'],
    });
    const named = sums.filter(({ meter }) => meter.startsWith('operation/'));
    expect(named.map(({ accessKeyId, meter, quantity }) => [accessKeyId, meter, quantity])).toEqual(
      [
        [null, 'operation/GetObject', 1n],
        [null, 'operation/PublicRead', 2n],
        ['k', 'operation/GetObject', 1n],
        ['k', 'operation/PutObject', 1n],
        ['k', 'operation/SignedRead', 1n],
      ],
    );
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
    const hours = world.api.query({
      accountId,
      fromMs: 0,
      toMs: Date.UTC(2100, 0),
      groupBy: ['hour'],
    });
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

  it('waits no longer for a ledger that hangs, and counts once what it does late', async () => {
    const world = createWorld();
    world.use('alice');
    world.use('bob');
    world.setFate('hangs', 'alice');
    expect(await world.flusher.flush()).toBe(false);
    expect(world.reads('bob')).toBe(1n);
    world.setFate('works');
    world.use('alice');
    expect(await world.flusher.flush()).toBe(false);
    expect(await world.flusher.flush()).toBe(true);
    await world.answerLate();
    expect(world.reads('alice')).toBe(2n);
  });
});

describe('flushing behind answers', () => {
  const createWorker = () => {
    const world = createWorld();
    world.meter.whenUsed(world.flusher.flushSoon);
    return world;
  };

  it('goes on after one failure, also with what was used meanwhile', async () => {
    const world = createWorker();
    world.use('alice');
    world.setFate('fails');
    await world.flusher.flush();
    world.use('alice');
    world.setFate('works');
    await world.settle();
    expect(world.reads('alice')).toBe(2n);
    expect(world.begun()).toBe(1);
  });

  for (const fate of ['fails', 'hangs'] as const)
    it(`begins again after a ledger that ${fate}, and others do not wait`, async () => {
      const world = createWorker();
      world.setFate(fate, 'alice');
      world.use('alice');
      await world.settle();
      world.use('alice');
      world.use('bob');
      await world.settle();
      expect(world.reads('bob')).toBe(1n);
      world.setFate('works');
      for (let at = 0; at < 50; at++) for (const account of ['alice', 'bob']) world.use(account);
      await world.settle();
      expect([world.reads('alice'), world.reads('bob')]).toEqual([52n, 51n]);
    });

  it('begins again with the next response, when the runtime has ended its work', async () => {
    const world = createWorker();
    world.setDying(true);
    world.use('alice');
    world.setDying(false);
    world.use('alice');
    world.flusher.flushSoon();
    world.advance(RUN_MAX_MS);
    world.flusher.flushSoon();
    await world.settle();
    expect(world.reads('alice')).toBe(2n);
    expect(world.begun()).toBe(2);
  });

  it('is one work at a time, and none where nothing is left', async () => {
    const world = createWorker();
    for (let round = 1; round <= 3; round++) {
      for (let at = 0; at < 10; at++) world.use(`account ${at}`);
      world.flusher.flushSoon();
      await world.settle();
      world.flusher.flushSoon();
      expect(world.begun()).toBe(round);
    }
  });

  it('loses nothing, whatever becomes of ledgers and of work', async () => {
    const accounts = ['alice', 'bob'] as const;
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ use: fc.constantFrom(...accounts) }) },
      fc.record({
        fate: fc.constantFrom<Fate>('works', 'fails', 'answer lost', 'hangs'),
        of: fc.constantFrom(...accounts),
      }),
      fc.record({ dying: fc.boolean() }),
      fc.record({ advanceMs: fc.constantFrom(1000, RUN_MAX_MS, HOUR_MS) }),
      fc.constant('settle' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const world = createWorker();
        const used = { alice: 0n, bob: 0n };
        for (const next of steps) {
          if (next === 'settle') await world.settle();
          else if ('use' in next) {
            world.use(next.use);
            used[next.use] += 1n;
          } else if ('fate' in next) world.setFate(next.fate, next.of);
          else if ('dying' in next) world.setDying(next.dying);
          else world.advance(next.advanceMs);
        }
        world.setFate('works');
        world.setDying(false);
        world.advance(RUN_MAX_MS);
        world.flusher.flushSoon();
        await world.settle();
        await world.answerLate();
        for (const name of accounts) expect(world.reads(name)).toBe(used[name]);
      }),
      { numRuns: fuzzRuns(50) },
    );
  });
});
