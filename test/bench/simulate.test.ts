// The pieces of the simulator, and the simulator as a whole on a trace of a few seconds.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  createLru,
  createSecondRequest,
  createSegmented,
  createTinyLfu,
} from '../../bench/simulate/admission-policies.ts';
import { createByteLru } from '../../bench/simulate/byte-lru.ts';
import { quantile } from '../../bench/simulate/observer.ts';
import { createCountedSql } from '../../bench/simulate/platform/counted-sql.ts';
import { createPlaceCache } from '../../bench/simulate/platform/place-cache.ts';
import { createSimulatedKv } from '../../bench/simulate/platform/simulated-kv.ts';
import { costOf, createUsage, LOG_SETTINGS, usedSince } from '../../bench/simulate/prices.ts';
import { createQuayside, TODAY } from '../../bench/simulate/quayside-design.ts';
import { createRandom, createZipf, drawSize } from '../../bench/simulate/random.ts';
import { runDesign, type Scenario } from '../../bench/simulate/run-design.ts';
import {
  createBucketAlone,
  createCacheApiFront,
  createWorkersCacheFront,
} from '../../bench/simulate/simple-designs.ts';
import { createTimeline, type Timeline } from '../../bench/simulate/timeline.ts';
import { makeTrace } from '../../bench/simulate/trace.ts';
import { createTruth } from '../../bench/simulate/truth.ts';
import { openSqlite } from '../../src/adapters/node/index/node-sqlite.ts';

const MiB = 2 ** 20;

/** Runs events until the promise is settled. */
async function finish<Result>(timeline: Timeline, promise: Promise<Result>): Promise<Result> {
  let isDone = false;
  const mark = () => {
    isDone = true;
  };
  promise.then(mark, mark);
  while (!isDone && (await timeline.step()));
  return promise;
}

describe('chance', () => {
  it('draws ranks by the law of Zipf', () => {
    const draw = createZipf(1000, 1, createRandom(1));
    const counts = new Float64Array(1000);
    for (let i = 0; i < 200_000; i++) {
      const rank = draw();
      counts[rank] = (counts[rank] ?? 0) + 1;
    }
    const harmonic = Array.from({ length: 1000 }, (_, rank) => 1 / (rank + 1)).reduce(
      (sum, weight) => sum + weight,
      0,
    );
    for (const rank of [0, 1, 9, 99, 999]) {
      const expected = 200_000 / harmonic / (rank + 1);
      expect(Math.abs((counts[rank] ?? 0) - expected)).toBeLessThan(4 * Math.sqrt(expected));
    }
  });

  it('draws sizes around the median and within the bound', () => {
    const random = createRandom(2);
    const sizes = Array.from({ length: 10_000 }, () =>
      drawSize({ medianBytes: 32 * 1024, sigma: 1.7, maxBytes: MiB }, random),
    ).sort((a, b) => a - b);
    expect(sizes.at(-1)).toBe(MiB);
    expect(quantile(sizes, 0.5)).toBeGreaterThan(28 * 1024);
    expect(quantile(sizes, 0.5)).toBeLessThan(37 * 1024);
    expect(new Set(sizes).size).toBeLessThan(150);
  });

  it('is the same for the same seed', () => {
    const take = () => [...makeTrace({ ...SCENARIO.trace, requests: 200 })];
    expect(take()).toEqual(take());
    const times = take().map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});

describe('the timeline', () => {
  it('runs events by time, then by order, and what follows from one before the next', async () => {
    const timeline = createTimeline(1000);
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name}@${timeline.nowMs()}`);
    timeline.at(1500, note('b'));
    timeline.at(1200, note('a'));
    timeline.at(1500, note('c'));
    void (async () => {
      await timeline.sleep(500);
      for (let depth = 0; depth < 50; depth++) await null;
      note('deep')();
    })();
    while (await timeline.step());
    expect(seen).toEqual(['a@1200', 'b@1500', 'c@1500', 'deep@1500']);
  });
});

describe('simulated KV', () => {
  const text = { type: 'text', cacheTtl: 30 } as const;

  function makeKv(propagationMaxMs: number) {
    const timeline = createTimeline(0);
    const usage = createUsage();
    const kv = createSimulatedKv({ timeline, usage, propagationMaxMs });
    const read = (place: number) => finish(timeline, kv.at(place).get('n', text));
    const write = (value: string) =>
      finish(timeline, kv.writer.put('n', value, { expirationTtl: 3600 }));
    const goTo = (atMs: number) => finish(timeline, timeline.sleep(atMs - timeline.nowMs()));
    return { timeline, usage, read, write, goTo };
  }

  it('repeats what a place has read, absence included, until its time is over', async () => {
    const { read, write, goTo, usage } = makeKv(0);
    expect(await read(0)).toBeNull();
    await write('one');
    expect(await read(0)).toBeNull();
    expect(await read(1)).toBe('one');
    await goTo(31_000);
    expect(await read(0)).toBe('one');
    expect(usage).toMatchObject({ kvReads: 4, kvWrites: 1 });
  });

  it('shows a write to each colo at its own time, within the bound, never going back', async () => {
    const { read, write, goTo } = makeKv(60_000);
    await write('one');
    await goTo(100_000);
    await write('two');
    const seen: string[] = [];
    for (const second of [101, 132, 163, 194]) {
      await goTo(second * 1000);
      const texts: (string | null | undefined)[] = [];
      for (let place = 0; place < 40; place++) texts.push(await read(place));
      seen.push(texts.map((value) => (value === 'two' ? '2' : '1')).join(''));
    }
    const [first = '', second = '', third = ''] = seen.map((marks) => marks.replaceAll('1', ''));
    expect(first.length).toBeLessThan(8);
    expect(second.length).toBeGreaterThan(8);
    expect(second.length).toBeLessThan(32);
    expect(third.length).toBe(40);
    for (const [at, marks] of seen.entries()) {
      const before = seen[at - 1] ?? '';
      expect([...before].every((mark, place) => mark !== '2' || marks[place] === '2')).toBe(true);
    }
  });

  it('takes one write a second to one name', async () => {
    const { write, goTo, usage, timeline } = makeKv(0);
    await write('one');
    await goTo(timeline.nowMs() + 500);
    await expect(write('two')).rejects.toThrow('429');
    await goTo(timeline.nowMs() + 1000);
    await write('three');
    expect(usage).toMatchObject({ kvWrites: 2, refusedWrites: 1 });
  });
});

describe('caches of places', () => {
  it('drop what was unused for longest, by bytes', () => {
    const lru = createByteLru<{ name: string }>(100);
    lru.set('a', { name: 'a' }, 40);
    lru.set('b', { name: 'b' }, 40);
    lru.get('a');
    lru.set('c', { name: 'c' }, 40);
    expect(['a', 'b', 'c'].filter((key) => lru.get(key) !== undefined)).toEqual(['a', 'c']);
    lru.set('huge', { name: 'huge' }, 101);
    expect(lru.get('huge')).toBeUndefined();
    expect(lru.get('a')).toBeDefined();
  });

  function makeCache(upperBytes: number | null) {
    const timeline = createTimeline(0);
    const usage = createUsage();
    const cache = createPlaceCache({ timeline, usage, places: 2, placeBytes: 1000, upperBytes });
    const entry = (etag: string) => ({ etag, sizeBytes: 10, storedAtMs: timeline.nowMs() });
    const match = (place: number) => finish(timeline, cache.match(place, 'k', 60_000));
    return { timeline, usage, cache, entry, match };
  }

  it('are alone when flat', async () => {
    const { cache, entry, match } = makeCache(null);
    expect(await match(0)).toBeNull();
    cache.put(0, 'k', entry('one'));
    expect((await match(0))?.etag).toBe('one');
    expect(await match(1)).toBeNull();
  });

  it('share an upper tier, and one fill for concurrent misses, when tiered', async () => {
    const { timeline, usage, cache, entry, match } = makeCache(MiB);
    expect(await match(0)).toBeNull();
    const waiting = [cache.match(0, 'k', 60_000), cache.match(1, 'k', 60_000)];
    timeline.at(timeline.nowMs() + 500, () => cache.put(0, 'k', entry('one')));
    const found = await finish(timeline, Promise.all(waiting));
    expect(found.map((hit) => hit?.etag)).toEqual(['one', 'one']);
    expect(usage.upperHits).toBe(1);
    expect(timeline.nowMs()).toBeLessThan(700);
  });

  it('let the age of a copy go on from tier to tier', async () => {
    const { timeline, cache, entry, match } = makeCache(MiB);
    cache.put(0, 'k', entry('one'));
    await finish(timeline, timeline.sleep(40_000));
    expect((await match(1))?.etag).toBe('one');
    await finish(timeline, timeline.sleep(25_000));
    expect(await match(1)).toBeNull();
  });
});

describe('the truth', () => {
  it('knows since when a version is not the current one', () => {
    const truth = createTruth();
    truth.commit('o', 'one', 0);
    truth.commit('o', 'two', 1000);
    expect(truth.staleness('one', 900)).toBeNull();
    expect(truth.staleness('one', 1000)).toBeNull();
    expect(truth.staleness('one', 1700)).toBe(700);
    expect(truth.staleness('two', 1700)).toBeNull();
  });
});

describe('prices', () => {
  it('add up to what the pages say of a million', () => {
    const used = usedSince(
      { ...createUsage(), workerRequests: 3e6, classB: 1e6, kvReads: 2e6 },
      createUsage(),
    );
    const cost = costOf(used);
    expect(
      [cost.workers, cost.kv, cost.objects, cost.r2, cost.total].map((usd) => usd.toFixed(4)),
    ).toEqual(['0.9000', '1.0000', '0.0000', '0.3600', '2.2600']);
    // 128 MB for a million seconds.
    expect(costOf({ ...createUsage(), objectActiveMs: 1e9 }).objects).toBeCloseTo(1.6);
    expect(costOf({ ...createUsage(), ledgerRowsWritten: 2e6 }).ledger).toBeCloseTo(2);
    const invoked = { ...createUsage(), invocations: 1e6 };
    const sampled = { headSamplingRate: 0.1, areInvocationsLogged: true };
    expect(costOf(invoked, sampled).logs).toBeCloseTo(0.06);
    expect(costOf(invoked, { ...sampled, areInvocationsLogged: false }).logs).toBe(0);
  });
});

it('logs are billed as wrangler.toml has them', () => {
  const text = readFileSync(new URL('../../wrangler.toml', import.meta.url), 'utf8');
  const logs = text.slice(text.indexOf('[observability.logs]'));
  expect(Number(/^head_sampling_rate = (.+)$/m.exec(logs)?.[1])).toBe(
    LOG_SETTINGS.headSamplingRate,
  );
  expect(/^invocation_logs = (.+)$/m.exec(logs)?.[1]).toBe(`${LOG_SETTINGS.areInvocationsLogged}`);
  expect(Number(/^head_sampling_rate = (.+)$/m.exec(text)?.[1])).toBe(
    LOG_SETTINGS.headSamplingRate,
  );
});

describe('rows written', () => {
  it('are those that a Durable Object counts', () => {
    const sql = createCountedSql(openSqlite(':memory:', { readOnly: false }));
    sql.all('CREATE TABLE t (k TEXT PRIMARY KEY, a INTEGER, b INTEGER) STRICT, WITHOUT ROWID');
    sql.all('CREATE INDEX t_by_a ON t (a)');
    const rowsOf = (statement: string) => {
      const before = sql.rowsWritten();
      sql.all(statement);
      return sql.rowsWritten() - before;
    };
    // The numbers are workerd's own, by `rowsWritten` of the same statements.
    expect(rowsOf("INSERT INTO t (k, a, b) VALUES ('x', 1, 1), ('y', 1, 1)")).toBe(4);
    expect(rowsOf("UPDATE t SET b = 5 WHERE k = 'x'")).toBe(1);
    expect(rowsOf("UPDATE t SET a = 6 WHERE k = 'x'")).toBe(2);
    expect(rowsOf("DELETE FROM t WHERE k = 'y'")).toBe(1);
    expect(rowsOf("DELETE FROM t WHERE k = 'y'")).toBe(0);
    expect(rowsOf('SELECT * FROM t')).toBe(0);
  });
});

describe('candidates of admission', () => {
  const policies = { createLru, createSecondRequest, createSegmented, createTinyLfu };

  /**
   * Hits on seven hot keys that nearly fill the budget, after they were asked for often and a scan
   * went by.
   */
  function hitsAfterScan(
    create: (maxBytes: number) => (key: number, sizeBytes: number) => boolean,
  ): number {
    const policy = create(10 * MiB);
    for (let ask = 0; ask < 140; ask++) policy(Math.floor(ask / 2) % 7, MiB);
    for (let cold = 1000; cold < 1100; cold++) policy(cold, MiB);
    return Array.from({ length: 7 }, (_, key) => policy(key, MiB)).filter(Boolean).length;
  }

  it('keep the hot set through a scan, which plain LRU does not', () => {
    expect(hitsAfterScan(policies.createLru)).toBe(0);
    expect(hitsAfterScan(policies.createSecondRequest)).toBe(7);
    expect(hitsAfterScan(policies.createSegmented)).toBe(7);
    expect(hitsAfterScan(policies.createTinyLfu)).toBe(7);
  });
});

const SCENARIO: Scenario = {
  isolates: 6,
  isolateLifeSeconds: 100,
  isCapped: false,
  placeBytes: 16 * MiB,
  upperBytes: 64 * MiB,
  warmUpShare: 0,
  trace: {
    objects: 20,
    exponent: 0.9,
    requests: 1500,
    requestsPerSecond: 20,
    rampSeconds: 0,
    buckets: 1,
    places: 3,
    sizes: { medianBytes: 32 * 1024, sigma: 1.7, maxBytes: 4 * MiB },
    overwriteShare: 0.02,
    regionalSkew: 0.2,
    missingShare: 0.02,
    seed: 5,
  },
};

describe('a run', () => {
  it('is the same each time, through our own code', async () => {
    const make = createQuayside(TODAY);
    expect(await runDesign(make, SCENARIO)).toEqual(await runDesign(make, SCENARIO));
  });

  it('bills what isolates bring to the ledger, in one visit of each too', async () => {
    const dense = { ...SCENARIO, trace: { ...SCENARIO.trace, requests: 100 } };
    const lone = { ...dense, isolateLifeSeconds: 0 };
    const { usage, answers } = await runDesign(createQuayside(TODAY), lone);
    expect(answers).toBe(100);
    // All but those of keys that are not there, which nobody pays for.
    expect(usage.ledgerRequests).toBeGreaterThan(90);
    expect(usage.ledgerRowsWritten).toBeGreaterThan(0);
    const { usage: denseUsage } = await runDesign(createQuayside(TODAY), dense);
    expect(denseUsage.ledgerRequests).toBeLessThan(usage.ledgerRequests / 3);
  });

  it('asks the ledger for leases where the account has a cap', async () => {
    const plain = await runDesign(createQuayside(TODAY), SCENARIO);
    const capped = await runDesign(createQuayside(TODAY), { ...SCENARIO, isCapped: true });
    expect(plain.usage.refusedReads).toBe(0);
    expect(capped.usage.ledgerRequests).toBeGreaterThan(plain.usage.ledgerRequests);
  });

  it('spreads a catalogue over many buckets, each with an index of its own', async () => {
    const trace = { ...SCENARIO.trace, buckets: 20, requests: 200 };
    const { usage, answers } = await runDesign(createQuayside(TODAY), { ...SCENARIO, trace });
    expect(answers).toBe(200);
    expect(usage.refusedReads).toBe(0);
  });

  it('finds R2 alone exact, and a read for each request', async () => {
    const report = await runDesign(createBucketAlone, SCENARIO);
    expect(report.stale.answers).toBe(0);
    expect(report.answers).toBe(1500);
    expect(report.usage).toMatchObject({ classB: 1500, kvReads: 0, objectRequests: 0 });
    expect(report.usage.workerRequests).toBe(1500 + report.usage.classA);
  });

  it('finds each design within its own bound of staleness', async () => {
    // An answer is under way for a moment after its version was read, and a copy is stored when it
    // has arrived.
    const slackSeconds = 0.5;
    const bounds = [
      [createCacheApiFront(10), 10],
      [createWorkersCacheFront(10, { isPurging: false }), 10],
      [createQuayside(TODAY), 5],
      [createQuayside({ ...TODAY, staleWhileRevalidateSeconds: 12 }), 15],
    ] as const;
    for (const [make, maxSeconds] of bounds) {
      const { stale } = await runDesign(make, SCENARIO);
      expect(stale.answers).toBeGreaterThan(0);
      expect(stale.max).toBeLessThan(maxSeconds + slackSeconds);
      expect(stale.max).toBeGreaterThan(maxSeconds / 3);
    }
  });

  it('finds each setting of a bucket within its bound, and asks the object so', async () => {
    const bounds = [
      ['strict', 1],
      [null, 5],
      ['kv', 60],
    ] as const;
    const calls: number[] = [];
    for (const [metadata, maxSeconds] of bounds) {
      const { stale, usage } = await runDesign(createQuayside({ ...TODAY, metadata }), SCENARIO);
      expect(stale.max).toBeLessThan(maxSeconds + 0.5);
      expect(stale.max).toBeGreaterThan(maxSeconds / 5);
      calls.push(usage.indexReads);
      expect(usage.placeAnswers > 0).toBe(metadata !== 'strict');
    }
    expect(calls).toEqual(calls.toSorted((a, b) => b - a));
  });

  it('reads through KV where a bucket is set so', async () => {
    const { usage } = await runDesign(createQuayside({ ...TODAY, metadata: 'kv' }), SCENARIO);
    expect(usage.kvWrites).toBeGreaterThan(0);
    expect(usage.kvReads).toBeGreaterThan(0);
  });

  it('bills a cached entrypoint as a request', async () => {
    const flat = await runDesign(createQuayside({ ...TODAY, bodies: ['cache-api'] }), SCENARIO);
    const tiered = await runDesign(
      createQuayside({ ...TODAY, bodies: ['workers-cache'] }),
      SCENARIO,
    );
    expect(tiered.usage.workerRequests).toBeGreaterThan(flat.usage.workerRequests);
    expect(tiered.usage.classB).toBeLessThan(flat.usage.classB);
  });
});
