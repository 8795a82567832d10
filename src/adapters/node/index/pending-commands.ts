// Commands that wait for the writer thread: how many, how heavy, and what becomes
// of each. Part of index-writer-client.ts, which sends them. A command leaves here
// once, with its outcome.
import { StorageError } from '../../../domain/errors.ts';
import { type CallOutcome, unwrapOutcome } from '../../../index/call-outcome.ts';
import type { WriterCall } from './writer-messages.ts';

/** What the writer needs to know of the disk. */
export type IndexRoom = {
  /**
   * Counts what a command adds to the index, and returns how much of the disk that
   * takes. StorageFull where it must not run.
   */
  takeIndex(lengthBytes: number): number;
  /** Counts bytes as on the disk by now, or as never coming there. */
  settle(lengthBytes: number): void;
  /**
   * Makes room for the others when the disk is full after all. False: there is none
   * to make.
   */
  releaseReserve(): boolean;
};

/** How a command is sent. */
export type CommandOptions = {
  /** What the command takes in memory, bytes. */
  readonly weightBytes: number;
  /**
   * Runs in the tick in which the promise is settled, before its caller goes on.
   */
  readonly onReply: () => void;
  /** Whether it adds to the index, and so must not use the disk's reserve. */
  readonly storesMore?: boolean;
};

type PendingCommand = {
  /**
   * Sent again when the disk was full and room was made; null: it must not use the
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

/**
 * Commands waiting at once. At 5,000 commits a second they are answered within a
 * second.
 */
const PENDING_MAX = 4096;
/** Bytes of bodies waiting at once; each exists here and, copied, in the writer. */
const PENDING_MAX_BYTES = 32 * 1024 * 1024;

export type PendingCommands = {
  count(): number;
  bytes(): number;
  /**
   * How long nothing has been answered although commands wait, milliseconds; 0:
   * none waits.
   */
  silentMs(): number;
  /**
   * Takes room for a command, and returns its bytes of the disk. SlowDown,
   * StorageFull.
   */
  requireRoom(options: CommandOptions): number;
  /** Adds a command that is being sent. The promise settles with its outcome. */
  add(call: WriterCall, options: CommandOptions, takenBytes: number): Promise<unknown>;
  /** A response has come: the writer makes progress. */
  noteProgress(): void;
  /** Makes room on a full disk, where there is some to make. */
  releaseReserve(): void;
  /**
   * The call to send once more after a full disk, if room was made since it was
   * sent. SQLite has rolled its group back, so it runs once all the same. Null:
   * StorageFull is its outcome.
   */
  takeRetry(id: number): WriterCall | null;
  /** Settles a command with its reply. */
  settle(id: number, reply: CallOutcome): void;
  reject(id: number, error: unknown): void;
  /** Rejects all: the writer is gone. */
  rejectAll(makeError: () => unknown): void;
};

export function createPendingCommands(room: IndexRoom): PendingCommands {
  const pending = new Map<number, PendingCommand>();
  let pendingBytes = 0;
  let waitingSinceMs = 0;
  let releases = 0;

  function finish(id: number, settleWith: (command: PendingCommand) => void): void {
    const command = pending.get(id);
    if (command === undefined) return;
    pending.delete(id);
    pendingBytes -= command.weightBytes;
    room.settle(command.takenBytes);
    command.onReply();
    settleWith(command);
  }

  function reject(id: number, error: unknown): void {
    finish(id, (command) => command.reject(error));
  }

  return {
    count: () => pending.size,
    bytes: () => pendingBytes,
    silentMs: () => (pending.size === 0 ? 0 : performance.now() - waitingSinceMs),

    requireRoom({ weightBytes, storesMore = false }) {
      if (pending.size >= PENDING_MAX || pendingBytes + weightBytes > PENDING_MAX_BYTES)
        throw new StorageError('SlowDown');
      return storesMore ? room.takeIndex(weightBytes) : 0;
    },

    add(call, { weightBytes, onReply, storesMore = false }, takenBytes) {
      if (pending.size === 0) waitingSinceMs = performance.now();
      pendingBytes += weightBytes;
      return new Promise((resolve, rejectPromise) => {
        pending.set(call.id, {
          retry: storesMore ? null : call,
          releasesBefore: releases,
          resolve,
          reject: rejectPromise,
          onReply,
          weightBytes,
          takenBytes,
        });
      });
    },

    noteProgress() {
      waitingSinceMs = performance.now();
    },

    releaseReserve() {
      if (room.releaseReserve()) releases += 1;
    },

    takeRetry(id) {
      const command = pending.get(id);
      if (command === undefined || command.retry === null) return null;
      if (command.releasesBefore === releases) return null;
      command.releasesBefore = releases;
      return command.retry;
    },

    settle(id, reply) {
      finish(id, (command) => {
        try {
          command.resolve(unwrapOutcome(reply));
        } catch (error) {
          command.reject(error);
        }
      });
    },

    reject,
    rejectAll(makeError) {
      for (const id of [...pending.keys()]) reject(id, makeError());
    },
  };
}
