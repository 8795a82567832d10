// Runs the dispatcher of this home: at once when something was enqueued, and when the next message
// is due. node.ts starts it and stops it. What waits is in the database, so nothing is lost with
// the timer.

import type { BucketName } from '../../../domain/nouns.ts';
import type { Directory } from '../../../ports/directory.ts';
import type { MetadataIndex } from '../../../ports/metadata-index.ts';
import { type Dispatcher, mayHaveEnqueued, type OutboxQueue } from '../../../ports/outbox.ts';
import type { Log } from '../../../ports/system.ts';

/** The outbox of this home, and who wants to be told that something may be due. */
export type OutboxSource = { readonly queue: OutboxQueue; onEnqueued(listener: () => void): void };

export type OutboxRunner = {
  /** Begins no further attempt; resolves when those under way have ended. */
  stop(): Promise<void>;
};

/**
 * The calls of a port that carries the outbox, told of after those that may have left something to
 * send.
 */
export function watchOutbox(index: MetadataIndex, directory: Directory) {
  let listener = () => {};
  const told = <Call extends (...given: never[]) => Promise<unknown>>(
    call: Call,
    nameAt: number,
  ): Call =>
    ((...given: never[]) => {
      const done = call(...given);
      if (mayHaveEnqueued(given[nameAt] ?? '', given[nameAt + 1]))
        void done.then(
          () => listener(),
          () => undefined,
        );
      return done;
    }) as Call;
  const source: OutboxSource = {
    // Which bucket is named does not matter: this home has one database.
    queue: {
      claimDeliveries: (input) => index.call(ANY_BUCKET, 'claimDeliveries', input),
      settleDeliveries: (input) => index.call(ANY_BUCKET, 'settleDeliveries', input),
    },
    onEnqueued(tell) {
      listener = tell;
    },
  };
  return {
    metadataIndex: { ...index, call: told(index.call, 1) } satisfies MetadataIndex,
    directory: { ...directory, call: told(directory.call, 0) } satisfies Directory,
    source,
  };
}
const ANY_BUCKET = 'any' as BucketName;

/**
 * Looked at that often at least, milliseconds: so late is a message at most whose kick was lost.
 */
const LOOK_AT_LEAST_MS = 30_000;
/** After a failure of the queue itself. */
const AFTER_FAILURE_MS = 1000;

/** Begins with what an earlier process left. */
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
