// The main thread's end of the writer thread: sends commands, resolves them when they are durable,
// and bounds how many wait. It knows no command; sqlite-metadata-index.ts does.
import { Worker } from 'node:worker_threads';
import { StorageError } from '../../../domain/errors.ts';
import { type IndexReply, unwrapReply } from '../../../index/call-outcome.ts';
import { createHistogram, type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { WriterCall, WriterMessage, WriterRequest } from './writer-messages.ts';

export type IndexWriter = {
  /**
   * Runs a command in the writer. `onReply` runs in the same tick as the promise is settled, before
   * whoever waits for it goes on, whatever came of the command. SlowDown (too many waiting),
   * InternalError (the writer died: the command may be committed or not), StorageFull (also before
   * the disk is full, for one that `storesMore`), and what the command throws.
   */
  call(
    command: Omit<WriterCall, 'id'>,
    options: {
      readonly weightBytes: number;
      readonly onReply: () => void;
      readonly storesMore?: boolean;
    },
  ): Promise<unknown>;
  /** How long nothing has been answered although commands wait, milliseconds; 0 when none waits. */
  silentMs(): number;
  /**
   * Commands sent, and messages of replies received: each message is one transaction. For tests.
   */
  counts(): { readonly commands: number; readonly transactions: number };
  families(): readonly MetricFamily[];
  /** Takes no more commands, waits for those under way, and ends the thread. */
  close(): Promise<void>;
};

/** What the writer needs to know of the disk. */
export type IndexRoom = {
  /**
   * StorageFull where a command that adds to the index must not run; else how much of the disk it
   * takes.
   */
  takeIndex(lengthBytes: number): number;
  /** What was taken is on the disk, or will not come there. */
  settle(lengthBytes: number): void;
  /** Makes room for the others when the disk is full after all. False: there is none to make. */
  releaseReserve(): boolean;
};

/** A disk without bounds of our own. */
const UNBOUNDED: IndexRoom = {
  takeIndex: () => 0,
  settle: () => undefined,
  releaseReserve: () => false,
};

type Pending = {
  /**
   * Sent again when the disk was full and room could be made; null for what must not use the
   * reserve.
   */
  readonly retry: WriterCall | null;
  /** How often room had been made when it was sent. */
  releasesBefore: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onReply: () => void;
  readonly weightBytes: number;
  /** What it takes of the disk. */
  readonly takenBytes: number;
};

/** Commands waiting at once. At 5,000 commits a second they are answered within a second. */
const PENDING_MAX = 4096;
/** Bytes of bodies waiting at once; each exists here and, copied, in the writer. */
const PENDING_MAX_BYTES = 32 * 1024 * 1024;

/** Commands of one transaction: powers of two up to the writer's GROUP_MAX. */
const GROUP_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Source files run as they are; the published package is JavaScript. */
const WRITER_FILE = import.meta.url.endsWith('.ts') ? './index-writer.ts' : './index-writer.js';

/** The thread for the database at `path`; it opens it at once. */
export function createWriterThread(path: string): Worker {
  return new Worker(new URL(WRITER_FILE, import.meta.url), {
    workerData: { path },
    name: 'index-writer',
  });
}

/**
 * Starts the thread; resolves when the database is open and migrated, rejects when it can't be.
 * `onCrash` is called once when the thread ends unasked; all waiting commands have been rejected by
 * then.
 */
export async function startIndexWriter(
  path: string,
  onCrash: (error: unknown) => void,
  worker: Worker = createWriterThread(path),
  room: IndexRoom = UNBOUNDED,
): Promise<IndexWriter> {
  const pending = new Map<number, Pending>();
  let pendingBytes = 0;
  let waitingSinceMs = 0;
  let releases = 0;
  let outbox: WriterCall[] = [];
  let state: 'starting' | 'open' | 'closing' | 'closed' = 'starting';
  let lastId = 0;
  let transactions = 0;
  const groups = createHistogram(GROUP_BOUNDS);
  let crash: unknown = null;

  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();

  function settle(id: number, finish: (command: Pending) => void): void {
    const command = pending.get(id);
    if (command === undefined) return;
    pending.delete(id);
    pendingBytes -= command.weightBytes;
    room.settle(command.takenBytes);
    command.onReply();
    finish(command);
  }

  function answer(id: number, reply: IndexReply): void {
    settle(id, ({ resolve, reject }) => {
      try {
        resolve(unwrapReply(reply));
      } catch (error) {
        reject(error);
      }
    });
  }

  /**
   * Sends what met a full disk once more, if room was made since it was sent. SQLite has taken its
   * group back, so it runs once all the same. False: that is its answer.
   */
  function sendAgain(id: number): boolean {
    const command = pending.get(id);
    if (state !== 'open' || command === undefined || command.retry === null) return false;
    if (command.releasesBefore === releases) return false;
    command.releasesBefore = releases;
    send(command.retry);
    return true;
  }

  function send(call: WriterCall): void {
    if (outbox.push(call) === 1) setImmediate(flush);
  }

  worker.on('message', (message: WriterMessage) => {
    if (message.kind === 'ready') return ready.resolve();
    transactions += 1;
    groups.observe(message.replies.length);
    waitingSinceMs = performance.now();
    if (message.replies.some(([, reply]) => isFull(reply)) && room.releaseReserve()) releases += 1;
    for (const [id, reply] of message.replies)
      if (!isFull(reply) || !sendAgain(id)) answer(id, reply);
  });
  worker.on('error', (error) => {
    crash = error;
  });
  worker.on('exit', (exitCode) => {
    const wasAsked = state === 'closing' && pending.size === 0 && crash === null;
    const wasStarting = state === 'starting';
    state = 'closed';
    const cause = crash ?? new Error(`The index writer ended with exit code ${exitCode}.`);
    for (const id of [...pending.keys()]) {
      settle(id, ({ reject }) =>
        reject(new StorageError('InternalError', { detail: 'The index writer died.', cause })),
      );
    }
    ended.resolve();
    if (wasStarting) ready.reject(cause);
    else if (!wasAsked) onCrash(cause);
  });

  function post(request: WriterRequest): void {
    worker.postMessage(request);
  }
  /**
   * One message for all commands of this turn of the event loop: a message costs more than a
   * command.
   */
  function flush(): void {
    const calls = outbox;
    outbox = [];
    if (state === 'closed' || calls.length === 0) return;
    try {
      post(calls);
    } catch (cause) {
      // Something in a command was no plain data. None of this message's commands has been sent.
      for (const { id } of calls)
        settle(id, ({ reject }) => reject(new StorageError('InternalError', { cause })));
    }
  }

  await ready.promise;
  state = 'open';

  return {
    async call(command, { weightBytes, onReply, storesMore = false }) {
      let takenBytes = 0;
      try {
        if (state !== 'open')
          throw new StorageError('ServiceUnavailable', { detail: 'The server is shutting down.' });
        if (pending.size >= PENDING_MAX || pendingBytes + weightBytes > PENDING_MAX_BYTES)
          throw new StorageError('SlowDown');
        if (storesMore) takenBytes = room.takeIndex(weightBytes);
      } catch (error) {
        onReply();
        throw error;
      }
      lastId += 1;
      const id = lastId;
      const call = { ...command, id };
      const retry = storesMore ? null : call;
      if (pending.size === 0) waitingSinceMs = performance.now();
      send(call);
      pendingBytes += weightBytes;
      return new Promise((resolve, reject) => {
        pending.set(id, {
          retry,
          releasesBefore: releases,
          resolve,
          reject,
          onReply,
          weightBytes,
          takenBytes,
        });
      });
    },
    silentMs: () => (pending.size === 0 ? 0 : performance.now() - waitingSinceMs),
    counts: () => ({ commands: lastId, transactions }),
    families: () => [
      metricFamily(
        'gauge',
        'quayside_index_queue_commands',
        'Commands that wait for their commit.',
        [[{}, pending.size]],
      ),
      metricFamily('gauge', 'quayside_index_queue_bytes', 'Bytes of bodies in them.', [
        [{}, pendingBytes],
      ]),
      metricFamily('counter', 'quayside_index_commands_total', 'Commands sent to the writer.', [
        [{}, lastId],
      ]),
      {
        name: 'quayside_index_commit_commands',
        help: 'Commands that one transaction, and one fsync, took together.',
        type: 'histogram',
        samples: groups.samples({}),
      },
    ],
    async close() {
      if (state === 'open') {
        state = 'closing';
        flush();
        post('close');
      }
      await ended.promise;
    },
  };
}

function isFull(reply: IndexReply): boolean {
  return !reply.isOk && reply.code === 'StorageFull';
}
