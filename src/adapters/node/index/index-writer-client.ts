// The main thread's end of the writer thread: sends commands in batches, settles
// them when they are durable, and notices when the thread dies. It knows no
// command; sqlite-metadata-index.ts does.
import { Worker } from 'node:worker_threads';
import { StorageError } from '../../../domain/errors.ts';
import type { CallOutcome } from '../../../index/call-outcome.ts';
import {
  createHistogram,
  type Histogram,
  type MetricFamily,
  metricFamily,
} from '../../../ports/metrics.ts';
import {
  type CommandOptions,
  createPendingCommands,
  type IndexRoom,
  type PendingCommands,
} from './pending-commands.ts';
import type { WriterCall, WriterMessage, WriterRequest } from './writer-messages.ts';

export type { IndexRoom } from './pending-commands.ts';

export type IndexWriter = {
  /**
   * Runs a command in the writer. Rejects with what the command throws, and with
   * SlowDown: too many wait; StorageFull: also before the disk is full, for one
   * that `storesMore`; InternalError: the writer died, and the command may be
   * committed or not.
   */
  call(command: Omit<WriterCall, 'id'>, options: CommandOptions): Promise<unknown>;
  /**
   * How long nothing has been answered although commands wait, milliseconds; 0:
   * none waits.
   */
  silentMs(): number;
  /**
   * Commands sent, and messages of replies received: one for each transaction. For
   * tests.
   */
  counts(): { readonly commands: number; readonly transactions: number };
  families(): readonly MetricFamily[];
  /** Takes no more commands, waits for those under way, and ends the thread. */
  close(): Promise<void>;
};

/** A disk without bounds of our own. */
const UNBOUNDED: IndexRoom = {
  takeIndex: () => 0,
  settle: () => undefined,
  releaseReserve: () => false,
};

/** Commands of one transaction: powers of two up to the writer's GROUP_MAX. */
const GROUP_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Source files run as they are; the published package is JavaScript. */
const WRITER_FILE = import.meta.url.endsWith('.ts') ? './index-writer.ts' : './index-writer.js';

/** Makes the thread for the database at `path`, which it opens at once. */
export function createWriterThread(path: string): Worker {
  return new Worker(new URL(WRITER_FILE, import.meta.url), {
    workerData: { path },
    name: 'index-writer',
  });
}

/**
 * Starts the thread; resolves when the database is open and migrated, rejects when
 * it can't be. `onCrash` is called once when the thread ends unasked, after all
 * waiting commands were rejected.
 */
export async function startIndexWriter(
  path: string,
  onCrash: (error: unknown) => void,
  worker: Worker = createWriterThread(path),
  room: IndexRoom = UNBOUNDED,
): Promise<IndexWriter> {
  const pending = createPendingCommands(room);
  const outbox = createOutbox(worker, pending);
  const groups = createHistogram(GROUP_BOUNDS);
  let state: 'starting' | 'open' | 'closing' | 'closed' = 'starting';
  let lastId = 0;
  let transactions = 0;
  let crash: unknown = null;
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();

  /** Whether a command that met a full disk is sent once more. */
  function sendAgain(id: number): boolean {
    const retry = state === 'open' ? pending.takeRetry(id) : null;
    if (retry !== null) outbox.send(retry);
    return retry !== null;
  }

  worker.on('message', (message: WriterMessage) => {
    if (message.kind === 'ready') return ready.resolve();
    transactions += 1;
    groups.observe(message.replies.length);
    pending.noteProgress();
    if (message.replies.some(([, reply]) => isFull(reply))) pending.releaseReserve();
    for (const [id, reply] of message.replies)
      if (!isFull(reply) || !sendAgain(id)) pending.settle(id, reply);
  });
  worker.on('error', (error) => {
    crash = error;
  });
  worker.on('exit', (exitCode) => {
    const wasAsked = state === 'closing' && pending.count() === 0 && crash === null;
    const wasStarting = state === 'starting';
    state = 'closed';
    outbox.close();
    const cause = crash ?? new Error(`The index writer ended with exit code ${exitCode}.`);
    pending.rejectAll(
      () => new StorageError('InternalError', { detail: 'The index writer died.', cause }),
    );
    ended.resolve();
    if (wasStarting) ready.reject(cause);
    else if (!wasAsked) onCrash(cause);
  });

  await ready.promise;
  state = 'open';

  return {
    async call(command, options) {
      let takenBytes: number;
      try {
        if (state !== 'open')
          throw new StorageError('ServiceUnavailable', { detail: 'The server is shutting down.' });
        takenBytes = pending.requireRoom(options);
      } catch (error) {
        options.onReply();
        throw error;
      }
      lastId += 1;
      const call = { ...command, id: lastId };
      outbox.send(call);
      return pending.add(call, options, takenBytes);
    },
    silentMs: pending.silentMs,
    counts: () => ({ commands: lastId, transactions }),
    families: () => writerFamilies(pending, lastId, groups),
    async close() {
      if (state === 'open') {
        state = 'closing';
        outbox.flush();
        outbox.post('close');
      }
      await ended.promise;
    },
  };
}

/**
 * Sends all commands of one tick of the event loop as one message: a message costs
 * more than a command.
 */
function createOutbox(worker: Worker, pending: PendingCommands) {
  let waiting: WriterCall[] = [];
  let isClosed = false;

  function post(request: WriterRequest): void {
    worker.postMessage(request);
  }

  function flush(): void {
    const calls = waiting;
    waiting = [];
    if (isClosed || calls.length === 0) return;
    try {
      post(calls);
    } catch (cause) {
      // Something in a command was no plain data. None of this message's commands
      // has been sent.
      for (const { id } of calls) pending.reject(id, new StorageError('InternalError', { cause }));
    }
  }

  return {
    send(call: WriterCall): void {
      if (waiting.push(call) === 1) setImmediate(flush);
    },
    flush,
    post,
    close(): void {
      isClosed = true;
    },
  };
}

function writerFamilies(
  pending: PendingCommands,
  commands: number,
  groups: Histogram,
): readonly MetricFamily[] {
  return [
    metricFamily('gauge', 'quayside_index_queue_commands', 'Commands that wait for their commit.', [
      [{}, pending.count()],
    ]),
    metricFamily('gauge', 'quayside_index_queue_bytes', 'Bytes of bodies in them.', [
      [{}, pending.bytes()],
    ]),
    metricFamily('counter', 'quayside_index_commands_total', 'Commands sent to the writer.', [
      [{}, commands],
    ]),
    {
      name: 'quayside_index_commit_commands',
      help: 'Commands that one transaction, and one fsync, took together.',
      type: 'histogram',
      samples: groups.samples({}),
    },
  ];
}

function isFull(reply: CallOutcome): boolean {
  return !reply.isOk && reply.code === 'StorageFull';
}
