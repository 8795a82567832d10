// When an isolate flushes: alone within a mark of the clock, busy once an interval, and always by
// some work that the runtime lets finish.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import type { AccountId, BucketId } from '../../../src/domain/nouns.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import { createTestCore } from '../memory-core.ts';

/** In the middle of a minute, 7 s behind a mark of the clock. */
const START_MS = Date.UTC(2026, 10, 21, 12, 0, 27);
const INTERVAL_MS = 60_000;
/** What the runtime lets work behind an answer take. */
const WAIT_UNTIL_MS = 30_000;

function createWorker() {
  const clock = { nowMs: () => Date.now() };
  const meter = createUsageMeter(clock);
  const records: { atMs: number; reads: number }[] = [];
  let isFailing = false;
  const ledger = {
    async call(_name: 'record', { batches }: { batches: readonly { rows: readonly unknown[] }[] }) {
      if (isFailing) throw new Error('away');
      const rows = batches.flatMap(({ rows: of }) => of) as { meter: string; quantity: bigint }[];
      const reads = rows.filter((row) => row.meter === 'class-b/STANDARD');
      const sum = reads.reduce((total, { quantity }) => total + Number(quantity), 0);
      records.push({ atMs: Date.now() - START_MS, reads: sum });
    },
  } as unknown as Ledger;
  let longestMs = 0;
  let begun = 0;
  const background = {
    run(_label: string, work: () => Promise<unknown>) {
      const sinceMs = Date.now();
      begun += 1;
      void work().finally(() => {
        longestMs = Math.max(longestMs, Date.now() - sinceMs);
      });
    },
  };
  const log = { info: () => undefined, error: () => undefined };
  const core = createTestCore({ background, clock, ledger, log, meter }, { tierLimitMs: 3000 });
  const flusher = createUsageFlusher(core, { source: 'isolate', intervalMs: INTERVAL_MS });
  meter.whenUsed(flusher.flushSoon);
  const counter = meter.of({
    accountId: 'alice' as AccountId,
    bucketId: 'a~1' as BucketId,
    accessKeyId: null,
  });
  const answer = () => {
    counter.count('B', 1, 'memory', 'STANDARD');
    flusher.flushSoon();
  };
  return {
    answer,
    records,
    setFailing: (next: boolean) => {
      isFailing = next;
    },
    begun: () => begun,
    longestMs: () => longestMs,
    recorded: () => records.reduce((sum, { reads }) => sum + reads, 0),
  };
}

describe('an isolate', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: START_MS });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('that is asked once flushes at the next mark, within its time', async () => {
    const worker = createWorker();
    worker.answer();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(worker.records).toMatchObject([{ reads: 1 }]);
    expect(worker.records[0]?.atMs).toBeGreaterThanOrEqual(13_000);
    expect(worker.records[0]?.atMs).toBeLessThanOrEqual(14_000);
    expect(worker.longestMs()).toBeLessThan(WAIT_UNTIL_MS);
  });

  it('that is asked all the time flushes once an interval, and at its end', async () => {
    const worker = createWorker();
    for (let second = 0; second < 300; second++) {
      worker.answer();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(worker.records.length).toBe(5);
    expect(worker.longestMs()).toBeLessThan(WAIT_UNTIL_MS);
    expect(worker.begun()).toBeLessThan(40);
    // Nobody asks it any more.
    await vi.advanceTimersByTimeAsync(WAIT_UNTIL_MS);
    expect(worker.recorded()).toBe(300);
  });

  it('flushes at a mark when much was used, not at the interval', async () => {
    const worker = createWorker();
    for (let second = 0; second < 60; second++) {
      for (let at = 0; at < 100; at++) worker.answer();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(worker.records.length).toBeGreaterThanOrEqual(3);
    await vi.advanceTimersByTimeAsync(WAIT_UNTIL_MS);
    expect(worker.recorded()).toBe(6000);
  });

  it('keeps what a ledger refused for the next answer, and counts it once', async () => {
    const worker = createWorker();
    worker.setFailing(true);
    worker.answer();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(worker.recorded()).toBe(0);
    expect(worker.longestMs()).toBeLessThan(WAIT_UNTIL_MS);
    worker.setFailing(false);
    worker.answer();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(worker.recorded()).toBe(2);
  });
});
