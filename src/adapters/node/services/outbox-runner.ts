// Runs the dispatcher of the Node platform: at once when a message was enqueued,
// and when the next one is due. Messages wait in the database, so nothing is lost
// with the timer. service-tasks.ts starts and stops it.

import type { BucketName } from '../../../domain/nouns.ts';
import type { Directory } from '../../../ports/directory.ts';
import type { MetadataIndex } from '../../../ports/metadata-index.ts';
import { type Dispatcher, mayHaveEnqueued, type OutboxQueue } from '../../../ports/outbox.ts';
import type { Log } from '../../../ports/system.ts';

/** The outbox, and the listener for messages that may be due. */
export type OutboxSource = { readonly queue: OutboxQueue; onEnqueued(listener: () => void): void };

export type OutboxRunner = {
  /** Begins no further attempt; resolves when those under way have ended. */
  stop(): Promise<void>;
};

/**
 * Wraps both ports: the listener hears of each call that may have enqueued a
 * message.
 */
export function watchOutbox(index: MetadataIndex, directory: Directory) {
  let listener = () => {};

  const watched = <Call extends (...args: never[]) => Promise<unknown>>(
    call: Call,
    nameAt: number,
  ): Call =>
    ((...args: never[]) => {
      const outcome = call(...args);
      if (mayHaveEnqueued(args[nameAt] ?? '', args[nameAt + 1]))
        void outcome.then(
          () => listener(),
          () => undefined,
        );
      return outcome;
    }) as Call;

  const source: OutboxSource = {
    // Any bucket will do: the Node platform has one database.
    queue: {
      claimDeliveries: (input) => index.call(ANY_BUCKET, 'claimDeliveries', input),
      settleDeliveries: (input) => index.call(ANY_BUCKET, 'settleDeliveries', input),
    },
    onEnqueued(newListener) {
      listener = newListener;
    },
  };
  return {
    metadataIndex: { ...index, call: watched(index.call, 1) } satisfies MetadataIndex,
    directory: { ...directory, call: watched(directory.call, 0) } satisfies Directory,
    source,
  };
}
const ANY_BUCKET = 'any' as BucketName;

/**
 * Longest time between two looks, ms: bounds how late a message is whose kick was
 * lost.
 */
const LOOK_AT_LEAST_MS = 30_000;
/** Wait after a failure of the queue itself, milliseconds. */
const AFTER_FAILURE_MS = 1000;

/** Starts the runner, with the messages that an earlier process left. */
export function runOutbox(
  dispatcher: Dispatcher,
  source: Pick<OutboxSource, 'onEnqueued'>,
  log: Log,
): OutboxRunner {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let isKicked = false;
  let timer: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    let waitMs = AFTER_FAILURE_MS;
    try {
      const nextDueAtMs = await dispatcher.run(stopping.signal);
      waitMs = nextDueAtMs === null ? LOOK_AT_LEAST_MS : Math.max(1, nextDueAtMs - Date.now());
    } catch (cause) {
      log.error('outbox-failed', { cause });
    }
    running = null;
    if (stopping.signal.aborted) return;
    if (isKicked) start();
    else timer = setTimeout(start, Math.min(waitMs, LOOK_AT_LEAST_MS)).unref();
  }

  function start(): void {
    clearTimeout(timer);
    isKicked = false;
    running ??= run();
  }

  source.onEnqueued(() => {
    if (stopping.signal.aborted) return;
    if (running === null) return start();
    isKicked = true;
    dispatcher.kick();
  });
  start();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      dispatcher.kick();
      await running;
    },
  };
}
