// When the outbox is looked at: at once for what is new, else when the next message is due.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runOutbox, watchOutbox } from '../../../src/adapters/node/services/outbox-runner.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type { BucketName } from '../../../src/domain/nouns.ts';
import type { Directory } from '../../../src/ports/directory.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';

describe('the runner of the outbox', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Starts it over a dispatcher whose runs end as `outcome` says. */
  async function start(outcome: (run: number) => Promise<number | null>) {
    const lines: string[] = [];
    const log = createConsoleLog(systemClock, 'info', (line) => lines.push(line));
    let enqueued = () => {};
    let stopping: AbortSignal | undefined;
    const counts = { runs: 0, kicks: 0 };
    const dispatcher = {
      run(signal?: AbortSignal) {
        stopping = signal;
        counts.runs += 1;
        return outcome(counts.runs);
      },
      kick() {
        counts.kicks += 1;
      },
    };
    const source = {
      onEnqueued(listener: () => void) {
        enqueued = listener;
      },
    };
    const runner = runOutbox(dispatcher, source, log);
    const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
    await pass(0);
    return { runner, counts, lines, pass, enqueue: () => enqueued(), signal: () => stopping };
  }

  it.each([
    ['in five seconds', 5000, 5000],
    ['in an hour, so it looks in 30 s', 3_600_000, 30_000],
    ['overdue, so it looks in a millisecond', -10, 1],
  ])('looks at once, and when the next is due: %s', async (_, dueInMs, waitMs) => {
    const { counts, pass } = await start(async () => Date.now() + dueInMs);
    expect(counts.runs).toBe(1);
    await pass(waitMs - 1);
    expect(counts.runs).toBe(1);
    await pass(1);
    expect(counts.runs).toBe(2);
  });

  it('looks every 30 s while nothing is due, and a second after a failure', async () => {
    const { counts, lines, pass } = await start(async (run) => {
      if (run === 2) throw new Error('locked');
      return null;
    });
    await pass(29_999);
    expect([counts.runs, lines.length]).toEqual([1, 0]);
    await pass(1);
    expect([counts.runs, lines.length]).toEqual([2, 1]);
    expect(lines[0]).toContain('outbox-failed');
    await pass(999);
    expect(counts.runs).toBe(2);
    await pass(1);
    expect(counts.runs).toBe(3);
  });

  it('looks at once for what is new, and not again for it later', async () => {
    const { counts, enqueue, pass } = await start(async () => null);
    await pass(10_000);
    enqueue();
    await pass(0);
    expect(counts).toEqual({ runs: 2, kicks: 0 });
    await pass(29_999);
    expect(counts.runs).toBe(2);
    await pass(1);
    expect(counts.runs).toBe(3);
  });

  it('has the run under way look again, and one more behind it', async () => {
    const first = Promise.withResolvers<null>();
    const { counts, enqueue, pass } = await start((run) =>
      run === 1 ? first.promise : Promise.resolve(null),
    );
    enqueue();
    enqueue();
    expect(counts).toEqual({ runs: 1, kicks: 2 });
    first.resolve(null);
    await pass(0);
    expect(counts.runs).toBe(2);
    await pass(29_999);
    expect(counts.runs).toBe(2);
  });

  it('ends with the run under way, and looks no more', async () => {
    const first = Promise.withResolvers<null>();
    const { counts, enqueue, pass, runner, signal } = await start(() => first.promise);
    enqueue();
    let isStopped = false;
    const stopped = runner.stop().then(() => {
      isStopped = true;
    });
    await pass(0);
    expect([isStopped, signal()?.aborted, counts.kicks]).toEqual([false, true, 2]);
    first.resolve(null);
    await stopped;
    enqueue();
    await pass(100_000);
    expect(counts).toEqual({ runs: 1, kicks: 2 });
  });

  it('ends while it waits', async () => {
    const { counts, enqueue, pass, runner } = await start(async () => null);
    await runner.stop();
    enqueue();
    await pass(100_000);
    expect(counts.runs).toBe(1);
  });
});

describe('the watch over both ports', () => {
  function open(call: () => Promise<unknown>) {
    const calls: unknown[][] = [];
    const port = {
      call: (...args: unknown[]) => {
        calls.push(args);
        return call();
      },
    };
    const watched = watchOutbox(port as unknown as MetadataIndex, port as unknown as Directory);
    let heard = 0;
    watched.source.onEnqueued(() => {
      heard += 1;
    });
    return { ...watched, calls, heard: () => heard };
  }
  const name = 'b' as BucketName;
  const input = { deliveries: [] } as never;

  it('hears of calls that may have left a message, of no others', async () => {
    const { metadataIndex, directory, heard } = open(async () => 'done');
    expect(await metadataIndex.call(name, 'enqueueDeliveries', input)).toBe('done');
    expect(heard()).toBe(1);
    expect(await directory.call('enqueueDeliveries' as never, input)).toBe('done');
    expect(heard()).toBe(2);
    await metadataIndex.call(name, 'listObjects', input);
    await directory.call('findAccount' as never, input);
    expect(heard()).toBe(2);
  });

  it('hears of none that failed', async () => {
    const { metadataIndex, heard } = open(() => Promise.reject(new Error('full')));
    await expect(metadataIndex.call(name, 'enqueueDeliveries', input)).rejects.toThrow('full');
    expect(heard()).toBe(0);
  });

  it('claims and settles in the one database', async () => {
    const { source, calls } = open(async () => []);
    await source.queue.claimDeliveries(input);
    await source.queue.settleDeliveries(input);
    expect(calls.map(([, call]) => call)).toEqual(['claimDeliveries', 'settleDeliveries']);
  });
});
