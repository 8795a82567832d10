// Caps against what was really used: processes that lease, use and flush in any order never pass a
// cap together, and lose no more of it than their leases while they live.
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createDirectLedger } from '../../../src/adapters/memory/direct-metadata-index.ts';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { createReceipts } from '../../../src/core/billing/receipts/take-receipt.ts';
import { createCapGuard } from '../../../src/core/caps/cap-guard.ts';
import { LEDGER_RULES } from '../../../src/core/ledger-rules.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import type { ReportCrossing } from '../../../src/core/metering/report-crossing.ts';
import type { Cap } from '../../../src/domain/billing/caps.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type {
  AccessKeyId,
  AccountId,
  BucketId,
  BucketReadPolicy,
} from '../../../src/domain/nouns.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../src/index/tables/ledger-schema.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import type { OperationClass, UsageOwner } from '../../../src/ports/metering.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { openMigrated } from '../../index/kit/open-migrated.ts';
import { createTestCore } from '../memory-core.ts';
import { bytesCap } from './cap-samples.ts';

afterEach(() => {
  vi.useRealTimers();
});

const accountId = 'alice' as AccountId;
/** Large enough for shares of what is left to count. */
const UNIT = 100_000;
const MIB = 1024 * 1024;

const owner = (bucket = 'a~1', key: string | null = null): UsageOwner => ({
  accountId,
  bucketId: bucket as BucketId,
  accessKeyId: key as AccessKeyId | null,
});

/**
 * A card of the operator's own: 100 reads are free, each further one costs 1,000 micro-units, each
 * byte 10.
 */
const OWN_CARD = {
  ...{
    id: 'ours',
    name: 'Ours',
    currency: 'EUR',
    source: 'https://example.com/',
    asOf: '2026-11-21',
    monthHours: 720,
  },
  lines: [
    {
      ...{ label: 'Reads', meters: ['class-b/STANDARD'], unit: { name: 'request', size: 1 } },
      ...{ free: '100', tiers: [{ price: '0.001' }] },
    },
    {
      ...{
        label: 'Traffic',
        meters: ['egress/memory', 'egress/bucket'],
        unit: { name: 'byte', size: 1 },
      },
      tiers: [{ price: '0.00001' }],
    },
  ],
};

function createWorld(cap: Cap) {
  let nowMs = Date.UTC(2026, 10, 21, 12);
  const clock = { nowMs: () => nowMs };
  const sql = openMigrated(LEDGER_SCHEMA);
  const api = createLedgerIndex(sql, LEDGER_RULES);
  api.putCap({ accountId, cap, known: null });
  const state: {
    isAway: boolean;
    hangs: number | null;
    receipts: Promise<void> | null;
    leases: number;
    records: number;
  } = {
    isAway: false,
    receipts: null,
    leases: 0,
    records: 0,
    /** How often it was asked since it says nothing; null: it answers. */
    hangs: null,
  };
  const direct = createDirectLedger(api);
  const ledger: Ledger = {
    async call(name, input) {
      if (state.isAway) throw new Error('away');
      if (state.hangs !== null) {
        state.hangs += 1;
        return new Promise<never>(() => undefined);
      }
      if (name === 'takeReceipt') await state.receipts;
      if (name === 'leaseCaps') state.leases += 1;
      if (name === 'record') state.records += 1;
      // Calls of several processes come in between each other.
      await Promise.resolve();
      return direct.call(name, input);
    },
  };
  const crossed: number[] = [];
  const log = { info: () => undefined, error: () => undefined };
  let made = 0;
  const background = { run: () => undefined };
  const shared = createTestCore({ background, clock, ledger, log });
  const createProcess = () => {
    made += 1;
    const meter = createUsageMeter(clock);
    const core = { ...shared, ports: { ...shared.ports, meter } };
    const report: ReportCrossing = (_account, _cap, { percent }) => crossed.push(percent);
    const options = { source: `p${made}`, intervalMs: 1, reportCrossing: report };
    const flusher = createUsageFlusher(core, options);
    const guard = createCapGuard(core, flusher, `p${made}`, report);
    const takeReceipt = createReceipts(core, flusher, `p${made}`);
    /** Does what the surfaces do: ask, look again when it goes out, count. Whether it went out. */
    async function use(
      bytesOut: number,
      of = owner(),
      operationClass: OperationClass = 'B',
      { fromMemory = false, hasReceipt = false } = {},
    ) {
      const wanted = { operationClass, bytesOut, fromMemory };
      try {
        await guard.require(of, wanted);
      } catch (error) {
        if (error instanceof StorageError) return error.code;
        throw error;
      }
      if (guard.refusalNow(of, wanted) !== null) return 'late';
      if (hasReceipt) {
        await takeReceipt(of, {
          operationClass,
          bytesOut,
          tier: 'bucket',
          storageClass: 'STANDARD',
          alsoRead: [],
        });
      } else meter.of(of).count(operationClass, bytesOut, 'bucket', 'STANDARD');
      return 'served';
    }
    return { guard, flusher, meter, use };
  };
  return {
    createProcess,
    api,
    state,
    crossed,
    nowMs: clock.nowMs,
    advance(ms: number) {
      nowMs += ms;
    },
  };
}

describe('caps', () => {
  it('have back what an answer held whose reader vanished without a word', async () => {
    const world = createWorld(bytesCap(BigInt(1000 * UNIT)));
    const { guard, meter, use } = world.createProcess();
    for (let bytes = 200 * UNIT, reader = 0; reader < 5; reader++) {
      await guard.require(owner(), { operationClass: 'B', bytesOut: bytes, fromMemory: false });
      meter
        .of(owner())
        .countOpen('B', bytes, 'bucket', 'STANDARD')
        .sent(10 * UNIT);
      world.advance(60_000);
    }
    expect(await use(200 * UNIT)).toBe('served');
  });

  it('are never passed, by however many processes and clients at once', async () => {
    const step = fc.record({
      process: fc.nat({ max: 3 }),
      bytes: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 250, max: 700 })),
      clients: fc.integer({ min: 1, max: 8 }),
      waitMs: fc.constantFrom(0, 0, 500, 10_000, 50_000),
      flush: fc.boolean(),
      hasReceipt: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
        const world = createWorld(bytesCap(BigInt(1000 * UNIT)));
        const processes = [0, 1, 2, 3].map(() => world.createProcess());
        let used = 0;
        for (const { process: at, bytes, clients, waitMs, flush, hasReceipt } of steps) {
          // Their timers do so: what was used is recorded long before a lease ends.
          if (waitMs >= 10_000) for (const { flusher } of processes) await flusher.flush();
          world.advance(waitMs);
          // Others work at the same time.
          const asks = Array.from({ length: clients }, (_, n) =>
            processes[(at + (n % 2)) % 4]?.use(bytes * UNIT, owner(), 'B', {
              hasReceipt: hasReceipt && n % 3 > 0,
            }),
          );
          const outcomes = await Promise.all(asks);
          used += bytes * outcomes.filter((outcome) => outcome === 'served').length;
          if (flush) await processes[at]?.flusher.flush();
          expect(used).toBeLessThanOrEqual(1000);
        }
      }),
      { numRuns: fuzzRuns(25) },
    );
  });

  it('let everything be used when one process alone uses it', async () => {
    const world = createWorld(bytesCap(10_000_000n));
    const { use } = world.createProcess();
    let served = 0;
    for (let at = 0; at < 10_050; at++) if ((await use(1000)) === 'served') served += 1;
    expect(served).toBe(10_000);
  });

  it('let through an answer of any size for which enough is left', async () => {
    const { use } = createWorld(bytesCap(BigInt(100 * MIB))).createProcess();
    const outcomes = [];
    for (const size of [26, 60, 14, 1]) outcomes.push(await use(size * MIB));
    expect(outcomes).toEqual(['served', 'served', 'served', 'UsageCapReached']);
  });

  it('let through all that wait at once and fit, around one that does not', async () => {
    const { use } = createWorld(bytesCap(BigInt(100 * MIB))).createProcess();
    const outcomes = await Promise.all([30, 90, 30, 40].map((size) => use(size * MIB)));
    expect(outcomes.map((outcome) => outcome === 'served')).toEqual([true, false, true, true]);
  });

  it('let through small answers beside a large one that is still on its way', async () => {
    const world = createWorld(bytesCap(BigInt(100 * MIB)));
    const { guard, meter, use } = world.createProcess();
    await guard.require(owner(), { operationClass: 'B', bytesOut: 60 * MIB, fromMemory: false });
    const open = meter.of(owner()).countOpen('B', 60 * MIB, 'bucket', 'STANDARD');
    world.advance(46_000);
    open.sent(1);
    expect([await use(MIB), await use(39 * MIB)]).toEqual(['served', 'served']);
    expect(await use(1)).not.toBe('served');
  });

  it('serve one of two processes that want more than there is together', async () => {
    const world = createWorld(bytesCap(BigInt(100 * MIB)));
    const processes = [world.createProcess(), world.createProcess()];
    const outcomes = await Promise.all(processes.map(({ use }) => use(60 * MIB)));
    expect(outcomes.sort()).toEqual(['UsageCapReached', 'served']);
  });

  it('serve a refused process when an unused lease of another came back', async () => {
    const world = createWorld(bytesCap(BigInt(100 * MIB)));
    const [first, second] = [world.createProcess(), world.createProcess()];
    await first.guard.require(owner(), {
      operationClass: 'B',
      bytesOut: 90 * MIB,
      fromMemory: false,
    });
    expect(await second.use(50 * MIB)).toBe('UsageCapReached');
    // The first goes on with little: what it was granted beyond that is no longer its own.
    world.advance(46_000);
    expect(await first.use(1)).toBe('served');
    expect(await second.use(50 * MIB)).toBe('served');
  });

  it('refuse at once what is more than a whole limit, and leave the rest to others', async () => {
    const world = createWorld(bytesCap(BigInt(100 * MIB)));
    const { guard } = world.createProcess();
    const huge = { operationClass: 'B', bytesOut: 101 * MIB, fromMemory: false } as const;
    const refused = await guard.require(owner(), huge).catch((error: StorageError) => error);
    expect(refused).toMatchObject({ code: 'UsageCapReached', fields: { Cap: 'cap' } });
    expect(refused?.message).toMatch(/more than the whole cap.*only a higher cap/);
    expect(refused?.fields.RetryAfterSeconds).toBeUndefined();
    expect(await world.createProcess().use(70 * MIB)).toBe('served');
  });

  it('are not called reached where only a smaller answer fits', async () => {
    const world = createWorld(bytesCap(BigInt(100 * MIB)));
    const { guard, use } = world.createProcess();
    const refusalOf = (bytesOut: number) =>
      guard
        .require(owner(), { operationClass: 'B', bytesOut, fromMemory: false })
        .catch((error: StorageError) => error.message);
    expect(await use(60 * MIB)).toBe('served');
    expect(await refusalOf(60 * MIB)).toContain('smaller ones may still pass');
    expect(await use(40 * MIB)).toBe('served');
    world.advance(46_000);
    expect(await refusalOf(1)).toContain('is reached. It ends at');
  });

  it('know of answers whose receipts are on their way to the ledger', async () => {
    const world = createWorld(bytesCap(1000n));
    const { use } = world.createProcess();
    let arrive = () => {};
    world.state.receipts = new Promise((resolve) => {
      arrive = resolve;
    });
    const first = use(600, owner(), 'B', { hasReceipt: true });
    await new Promise((resolve) => setImmediate(resolve));
    // The lease is old, and the new one is made from what the ledger knows.
    world.advance(46_000);
    expect(await use(500)).toBe('UsageCapReached');
    arrive();
    expect(await first).toBe('served');
    world.advance(46_000);
    expect([await use(401), await use(400)]).toEqual(['UsageCapReached', 'served']);
  });

  it('give back what a dead process had leased, soon or a minute later', async () => {
    const world = createWorld(bytesCap(1000n));
    const wanted = { operationClass: 'B', bytesOut: 900, fromMemory: false } as const;
    await world.createProcess().guard.require(owner(), wanted);
    const heir = world.createProcess();
    expect(await heir.use(200)).toBe('UsageCapReached');
    expect(await heir.use(100)).toBe('served');
    world.advance(16_000);
    expect(await heir.use(900)).toBe('served');
  });

  it('are open to a thousand processes while nothing is used of them', async () => {
    const world = createWorld(bytesCap(BigInt(100 * MIB)));
    const processes = Array.from({ length: 1000 }, () => world.createProcess());
    const outcomes = await Promise.all(processes.map(({ use }) => use(10 * 1024)));
    expect(
      Map.groupBy(outcomes, (outcome) => outcome)
        .keys()
        .toArray(),
    ).toEqual(['served']);
  });

  it('let two hundred busy processes use nearly all, and no more', async () => {
    const world = createWorld(bytesCap(BigInt(200 * MIB)));
    const processes = Array.from({ length: 200 }, () => world.createProcess());
    let used = 0;
    let isRefused = false;
    while (!isRefused) {
      const outcomes = await Promise.all(processes.map(({ use }) => use(20_000)));
      used += 20_000 * outcomes.filter((outcome) => outcome === 'served').length;
      isRefused = outcomes.some((outcome) => outcome !== 'served');
      world.advance(1000);
    }
    expect(used).toBeLessThanOrEqual(200 * MIB);
    expect(used).toBeGreaterThan(180 * MIB);
  });

  it('ask the ledger once for all that wait in one process', async () => {
    const world = createWorld(bytesCap(BigInt(100 * MIB)));
    const { use } = world.createProcess();
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => use(1000)));
    expect(outcomes.every((outcome) => outcome === 'served')).toBe(true);
    expect(world.state.leases).toBeLessThanOrEqual(2);
  });

  it('bring what was used along with the lease, in one call', async () => {
    const world = createWorld(bytesCap(BigInt(100 * MIB)));
    const { use } = world.createProcess();
    for (const bytes of [1000, 2000]) {
      expect(await use(bytes)).toBe('served');
      world.advance(46_000);
    }
    const [cap] = world.api.readCaps({ accountId, holder: '', nowMs: world.nowMs() });
    expect(cap?.usage.find(({ meter }) => meter === 'egress/bucket')?.quantity).toBe(1000n);
    expect([world.state.leases, world.state.records]).toEqual([2, 0]);
  });

  it('lease by use: more to who uses more, and less again when less is used', async () => {
    const world = createWorld(bytesCap(10n ** 12n));
    const { guard, use } = world.createProcess();
    const leaseOf = () => world.api.readCaps({ accountId, holder: '', nowMs: world.nowMs() });
    const leased = () => leaseOf()[0]?.leasedToOthers ?? 0;
    await use(1000);
    expect(leased()).toBe(MIB);
    // 10 MB/s for a minute, then next to nothing.
    for (let second = 0; second < 60; second++) {
      for (let at = 0; at < 10; at++) expect(await use(1_000_000)).toBe('served');
      world.advance(1000);
    }
    expect(leased()).toBeGreaterThan(300_000_000);
    expect(leased()).toBeLessThan(2_000_000_000);
    for (let renewal = 0; renewal < 3; renewal++) {
      world.advance(46_000);
      expect(await use(1000)).toBe('served');
    }
    expect(leased()).toBe(MIB);
    expect(guard.refusalNow(owner(), { operationClass: 'B', bytesOut: 1, fromMemory: false })).toBe(
      null,
    );
  });

  it('say when they end, begin anew with the period, and report each alert once', async () => {
    const world = createWorld(bytesCap(1000n, { period: 'day', alertPercents: [50, 80] }));
    const { use, guard } = world.createProcess();
    expect(await use(600)).toBe('served');
    expect(await use(300)).toBe('served');
    world.advance(46_000);
    expect(await use(500)).toBe('UsageCapReached');
    await expect(
      guard.require(owner(), { operationClass: 'B', bytesOut: 500, fromMemory: true }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('2026-11-22T00:00:00.000Z'),
      // Noon, and 46 s; too much is wanted of a cap that has something left for others.
      fields: { EndsAt: '2026-11-22T00:00:00.000Z', RetryAfterSeconds: '60' },
    });
    expect(world.crossed).toEqual([50, 80]);
    world.advance(12 * 3_600_000);
    expect(await use(500)).toBe('served');
  });

  it('report an alert when the use is recorded, though nothing is leased after it', async () => {
    const alertPercents = [50, 60, 100];
    const world = createWorld(bytesCap(1000n, { alertPercents }));
    const [first, second] = [world.createProcess(), world.createProcess()];
    expect(await first.use(300)).toBe('served');
    expect(await second.use(300)).toBe('served');
    await first.flusher.flush();
    expect(world.crossed).toEqual([]);
    // Only both uses together are more than half.
    await second.flusher.flush();
    expect(world.crossed).toEqual([50, 60]);
    // What the second has leased and not used comes back.
    world.advance(61_000);
    expect(await first.use(400)).toBe('served');
    for (const { flusher } of [first, second, first]) await flusher.flush();
    expect(world.crossed).toEqual([50, 60, 100]);
  });

  it('report an alert behind a use that has a receipt, and is never flushed', async () => {
    const world = createWorld(bytesCap(1000n, { alertPercents: [50] }));
    const { use, flusher } = world.createProcess();
    expect(await use(600, owner(), 'B', { hasReceipt: true })).toBe('served');
    expect(await flusher.flush()).toBe(true);
    expect(world.crossed).toEqual([50]);
    await flusher.flush();
    expect(world.state.records).toBe(1);
  });

  it('report no alert while they are lifted, and the same one when that ends', async () => {
    const liftedUntilMs = Date.UTC(2026, 10, 21, 13);
    const world = createWorld(bytesCap(1000n, { alertPercents: [50], liftedUntilMs }));
    const { use, flusher } = world.createProcess();
    expect(await use(900)).toBe('served');
    await flusher.flush();
    expect(world.crossed).toEqual([]);
    world.advance(2 * 3_600_000);
    await use(1);
    await flusher.flush();
    expect(world.crossed).toEqual([50]);
  });

  it('say when to come back: at the end of the period, and within a day', async () => {
    const wanted = { operationClass: 'B', bytesOut: 1, fromMemory: true } as const;
    const waitOf = async (period: 'day' | 'month') => {
      const world = createWorld(bytesCap(10n, { period }));
      const { use, guard } = world.createProcess();
      expect(await use(10)).toBe('served');
      world.advance(46_000);
      const refused = await guard.require(owner(), wanted).catch((error: StorageError) => error);
      expect(guard.refusalNow(owner(), wanted)?.fields).toEqual(refused?.fields);
      return refused?.fields.RetryAfterSeconds;
    };
    expect(await waitOf('day')).toBe(`${12 * 3600 - 46}`);
    expect(await waitOf('month')).toBe('86400');
  });

  it('let pass what is free, whatever is reached', async () => {
    const world = createWorld(bytesCap(1n));
    const { use } = world.createProcess();
    expect(await use(5)).toBe('UsageCapReached');
    expect(await use(5, owner(), 'free')).toBe('served');
  });

  it('serve only what memory holds from their percentage on', async () => {
    const world = createWorld(bytesCap(1000n, { cachedFromPercent: 50 }));
    const { use, guard, meter } = world.createProcess();
    expect(await use(500)).toBe('served');
    world.advance(46_000);
    expect(await use(10)).toBe('UsageCapReached');
    expect(await use(10, owner(), 'B', { fromMemory: true })).toBe('served');
    const readPolicy = { ownerId: accountId, bucketId: 'a~1' } as BucketReadPolicy;
    expect(guard.mayServe(readPolicy, 10)).toBe(true);
    meter.ofReadPolicy(readPolicy).count('B', 490, 'memory', 'STANDARD');
    expect(guard.mayServe(readPolicy, 10)).toBe(false);
  });

  it('hold for their bucket, or their key, alone', async () => {
    const ofBucket = createWorld(
      bytesCap(10n, { scope: { kind: 'bucket', bucketId: 'a~1' as BucketId } }),
    ).createProcess();
    expect(await ofBucket.use(11)).toBe('UsageCapReached');
    expect(await ofBucket.use(11, owner('b~1'))).toBe('served');
    const scope = { kind: 'accessKey', accessKeyId: 'k' as AccessKeyId } as const;
    const ofKey = createWorld(bytesCap(10n, { scope })).createProcess();
    expect(await ofKey.use(11, owner('a~1', 'k'))).toBe('UsageCapReached');
    expect(await ofKey.use(11, owner('a~1', 'other'))).toBe('served');
    expect(await ofKey.use(11)).toBe('served');
  });

  it('in money stop before the bill is higher, by a card with a free allowance', async () => {
    // R2: a million reads of class A are free, each million begun after that costs 4.50.
    const world = createWorld(bytesCap(4_000_000n, { unit: 'money', cardId: 'aws-s3-us-east-1' }));
    const { use, flusher } = world.createProcess();
    // 0.005 for 1,000 requests of class A: 800,000 of them for 4.
    world.api.record({
      accountId,
      batches: [
        {
          source: 'before',
          sequence: 1,
          rows: [
            {
              hourMs: Date.UTC(2026, 10, 3),
              bucketId: 'a~1' as BucketId,
              accessKeyId: null,
              meter: 'class-a/STANDARD',
              quantity: 799_900n,
            },
          ],
        },
      ],
      nowMs: 0,
    });
    let served = 0;
    for (let at = 0; at < 200; at++) if ((await use(0, owner(), 'A')) === 'served') served += 1;
    await flusher.flush();
    // The dearest class A is twice as dear, so that at most half of the last lease is left over.
    expect(served).toBeGreaterThanOrEqual(50);
    expect(served).toBeLessThanOrEqual(100);
    expect(await use(0, owner(), 'A')).toBe('SpendingCapReached');
  });

  it('in money count what an upload and what is stored cost until the month ends', async () => {
    const world = createWorld(bytesCap(5_000_000n, { unit: 'money', cardId: 'aws-s3-us-east-1' }));
    const outcomes = async (sizes: readonly number[]) => {
      const { guard } = world.createProcess();
      await guard.require(owner(), { operationClass: 'A', bytesOut: 0, fromMemory: false });
      const upload = (gib: number) => guard.requireStorage(owner(), gib * 1024 * MIB);
      return Promise.all(
        sizes.map((gib) =>
          upload(gib).then(
            () => 'stored',
            ({ code }: StorageError) => code,
          ),
        ),
      );
    };
    // 0.023 a GiB and month of 720 hours, of which 228 are left: 500 GiB cost 3.64, 700 cost 5.10.
    expect(await outcomes([0, 500, 700])).toEqual(['stored', 'stored', 'SpendingCapReached']);
    const hourMs = Date.UTC(2026, 10, 21, 10);
    const quantity = BigInt(500 * 1024 * MIB) * 3_600_000n;
    const row = {
      hourMs,
      bucketId: 'a~1' as BucketId,
      accessKeyId: null,
      meter: 'storage/STANDARD',
      quantity,
    } as const;
    world.api.record({
      accountId,
      batches: [{ source: 'before', sequence: 1, rows: [row] }],
      nowMs: 0,
    });
    world.advance(61_000);
    expect(await outcomes([100, 200])).toEqual(['stored', 'SpendingCapReached']);
    // Half a day before its end the month has room for much more.
    world.advance(9 * 24 * 3_600_000);
    expect(await outcomes([700, 14_000])).toEqual(['stored', 'SpendingCapReached']);
  });

  it('in money go by the operator’s card, for two processes over one ledger', async () => {
    const world = createWorld(
      bytesCap(1_000_000n, { unit: 'money', cardId: OWN_CARD.id, card: OWN_CARD }),
    );
    const processes = [world.createProcess(), world.createProcess()];
    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, client) => {
        const { use } = processes[client % 2] ?? world.createProcess();
        let served = 0;
        for (let at = 0; at < 30; at++) if ((await use(7)) === 'served') served += 1;
        return served;
      }),
    );
    for (const { flusher } of processes) await flusher.flush();
    const served = answers.reduce((sum, count) => sum + count, 0);
    // By hand: a read of 7 bytes costs 1,070, the first hundred 70.
    const spent = 1_070 * served - 100_000;
    expect(spent).toBeLessThanOrEqual(1_000_000);
    // What is not used is less than what one use may take in each process, and the free reads that
    // leases can't know of.
    expect(spent).toBeGreaterThan(1_000_000 - 100_000 - 2 * 1_070 * 100);
    for (const { use } of processes) expect(await use(7)).toBe('SpendingCapReached');
    const caps = world.api.readCaps({
      accountId,
      holder: 'x',
      nowMs: Date.UTC(2026, 10, 21, 12),
    });
    const recorded = caps[0]?.usage.find(({ meter }) => meter === 'class-b/STANDARD')?.quantity;
    expect(recorded).toBe(BigInt(served));
  });

  it('are not passed while the ledger is away: what is leased is used, then nothing', async () => {
    const world = createWorld(bytesCap(1_000_000n));
    const { use } = world.createProcess();
    expect(await use(10)).toBe('served');
    world.state.isAway = true;
    expect(await use(10)).toBe('served');
    // It holds all there is, and knows that.
    expect(await use(999_985)).toBe('UsageCapReached');
    world.advance(46_000);
    expect(await use(10)).toBe('ServiceUnavailable');
    world.state.isAway = false;
    expect(await use(10)).toBe('served');
  });

  it('hold when the ledger hangs: one request waits for its timeout, others do not', async () => {
    vi.useFakeTimers();
    const world = createWorld(bytesCap(1000n));
    const { use } = world.createProcess();
    world.state.hangs = 0;
    const waiting = use(10);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toBe('ServiceUnavailable');
    expect([await use(10), await use(10), world.state.hangs]).toEqual([
      'ServiceUnavailable',
      'ServiceUnavailable',
      1,
    ]);
    world.advance(2_001);
    const [first, second] = [use(10), use(10)];
    expect(await second).toBe('ServiceUnavailable');
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await first, world.state.hangs]).toEqual(['ServiceUnavailable', 2]);
    world.state.hangs = null;
    world.advance(2_001);
    expect([await use(10), await use(10)]).toEqual(['served', 'served']);
  });

  it('are heard no more when they are lifted', async () => {
    const known = bytesCap(10n);
    const world = createWorld(known);
    const { use } = world.createProcess();
    expect(await use(11)).toBe('UsageCapReached');
    world.api.putCap({
      accountId,
      known,
      cap: bytesCap(10n, { liftedUntilMs: Date.UTC(2026, 10, 22) }),
    });
    world.advance(3_000);
    expect(await use(11)).toBe('served');
  });
});
