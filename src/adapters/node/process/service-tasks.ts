// Repeated work beside the server: the sweep, messages, usage, logs of buckets,
// upkeep; and the order in which all of it ends. node.ts starts it when the server
// listens and closes it on a signal. It decides nothing: what a task does is handed
// in.
import type { Config } from '../../../config.ts';
import type { Dispatcher } from '../../../ports/outbox.ts';
import type { Background, Log } from '../../../ports/system.ts';
import { type OutboxSource, runOutbox } from '../services/outbox-runner.ts';
import { repeat } from './repeat.ts';
import { runUpkeep, type UpkeepCalls } from './upkeep.ts';

/**
 * Logs of buckets are looked at at least this often, ms; oftener where they may
 * wait for less.
 */
const LOG_CHECK_MAX_MS = 5_000;
/**
 * The first sweep begins at most this long after the start, ms, and so leaves the
 * start alone.
 */
const FIRST_SWEEP_MS = 10_000;
/** Milliseconds that work behind responses gets to finish at the end. */
export const BACKGROUND_LIMIT_MS = 5_000;

/** What an app counts and collects in memory. */
type FlushedApp = {
  flushBucketLogs(all?: boolean): Promise<void>;
  readonly usage: { flush(): Promise<unknown>; close(): Promise<unknown> };
};

/** What the tasks call, and what ends with them. */
export type ServiceParts = {
  readonly config: Pick<
    Config,
    'sweepIntervalSeconds' | 'meterFlushSeconds' | 'bucketLogSeconds' | 'drainSeconds'
  >;
  readonly log: Log;
  readonly background: Background;
  /** One pass of the core's maintenance. */
  readonly maintain: (stopping: AbortSignal) => Promise<void>;
  readonly dispatcher: Dispatcher;
  readonly outbox: OutboxSource;
  readonly upkeep: UpkeepCalls;
  readonly app: FlushedApp;
  /**
   * Lets requests finish for so long, and resolves with how many connections were
   * cut.
   */
  endWaits(): void;
  closeServer(limitMs: number): Promise<number>;
  /** Waits that long for background work, then closes the index. */
  closePorts(backgroundMs: number): Promise<void>;
};

export type ServiceTasks = {
  /** Milliseconds that `close` takes at most, where no task hangs. */
  readonly closeLimitMs: number;
  /**
   * Ends tasks, server and ports in that order, and loses nothing that was
   * acknowledged.
   */
  close(): Promise<void>;
};

/**
 * Brings what an app counts and collects to its place again and again, in each thread
 * that runs one; `end` brings the rest, after the last request.
 */
export function startFlushing({ app, config, log }: Pick<ServiceParts, 'app' | 'config' | 'log'>): {
  end(): Promise<void>;
} {
  const logCheckMs = Math.min(LOG_CHECK_MAX_MS, config.bucketLogSeconds * 1000);
  const meterReader = repeat('usage', app.usage.flush, {
    everyMs: config.meterFlushSeconds * 1000,
    log,
  });
  const logWriter = repeat('bucket-logs', () => app.flushBucketLogs(), {
    everyMs: logCheckMs,
    log,
  });
  return {
    async end() {
      await logWriter.stop();
      await app.flushBucketLogs(true);
      await meterReader.stop();
      await app.usage.close();
    },
  };
}

/** Starts the tasks. */
export function startServiceTasks(parts: ServiceParts): ServiceTasks {
  const { background, config, log } = parts;
  const drainMs = config.drainSeconds * 1000;
  const sweepEveryMs = config.sweepIntervalSeconds * 1000;

  const sweeper = repeat('sweep', parts.maintain, {
    firstMs: Math.min(FIRST_SWEEP_MS, sweepEveryMs),
    everyMs: sweepEveryMs,
    log,
  });
  const outbox = runOutbox(parts.dispatcher, parts.outbox, log);
  const flushing = startFlushing(parts);
  const upkeep = runUpkeep(parts.upkeep, log);

  return {
    closeLimitMs: drainMs + BACKGROUND_LIMIT_MS,
    async close() {
      background.run('last-sweep', sweeper.stop);
      background.run('last-deliveries', outbox.stop);
      parts.endWaits();
      const cutConnections = await parts.closeServer(drainMs);

      await upkeep.stop();
      await flushing.end();

      if (cutConnections > 0) log.error('connections-cut', { cutConnections });
      await parts.closePorts(BACKGROUND_LIMIT_MS);
    },
  };
}
