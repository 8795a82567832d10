// What all threads of the process share: counters in memory that each of them sees at
// once. The first thread makes it; node-ports.ts and thread-ports.ts open it.
import type { AccountId, BlobId } from '../../../domain/nouns.ts';
import type { Directory } from '../../../ports/directory.ts';
import type { Meter } from '../../../ports/metering.ts';
import type { UsageMeter } from '../../shared/usage-meter.ts';
import { createBoardMemory, type DiskBoard, openDiskBoard } from '../disk/disk-board.ts';
import {
  CHANGE_COUNTERS_BYTES,
  type ChangeCounters,
  createChangeCounters,
} from '../index/change-counters.ts';
import { type CommitWatcher, directoryNameOf } from '../index/sqlite-metadata-index.ts';
import { createCountsMemory, openSharedCounts, type SharedCounts } from './shared-counts.ts';

/** The memory itself, as it goes to a thread. */
export type SharedMemory = {
  readonly changes: SharedArrayBuffer;
  readonly connections: SharedArrayBuffer;
  readonly disk: SharedArrayBuffer;
};

/** The shared memory as the first thread uses it. */
export type SharedState = {
  readonly memory: SharedMemory;
  readonly changes: ChangeCounters;
  readonly connections: SharedCounts;
  readonly disk: DiskBoard;
  /** Called with the blobs that this thread is about to delete. */
  onDelete: (ids: readonly BlobId[]) => void;
};

/** The name under which changes of caps are counted: no bucket has such a one. */
const CAPS_NAME = '/caps';

export function createSharedState(threads: number): SharedState {
  const memory: SharedMemory = {
    changes: new SharedArrayBuffer(CHANGE_COUNTERS_BYTES),
    connections: createCountsMemory(threads),
    disk: createBoardMemory(threads),
  };
  return {
    memory,
    changes: createChangeCounters(memory.changes),
    connections: openSharedCounts(memory.connections),
    disk: openDiskBoard(memory.disk),
    onDelete: () => undefined,
  };
}

/** Wraps a watcher so that each command is counted for the other threads too. */
export function withCountedChanges(
  watcher: CommitWatcher,
  shared: SharedState | null,
): CommitWatcher {
  if (shared === null) return watcher;
  const { changes } = shared;
  return {
    block(bucket, keys) {
      watcher.block(bucket, keys);
      changes.block(bucket, keys);
    },
    unblock(bucket, keys) {
      watcher.unblock(bucket, keys);
      changes.unblock(bucket, keys);
    },
  };
}

/** Counts the changes of the directory, from before each until its response. */
export function countDirectoryChanges(directory: Directory, shared: SharedState | null): Directory {
  if (shared === null) return directory;
  const { changes } = shared;
  return {
    ...directory,
    async call(name, input) {
      const counted = directoryNameOf(name);
      if (counted === null) return directory.call(name, input);
      changes.begin(counted);
      try {
        return await directory.call(name, input);
      } finally {
        changes.end(counted);
      }
    },
  };
}

/** Wraps the first thread's meter: a changed cap is counted, so that others reload it. */
export function countCapChanges(meter: UsageMeter, shared: SharedState | null): UsageMeter {
  if (shared === null) return meter;
  const { changes } = shared;
  return {
    ...meter,
    forgetAllowances(accountId: AccountId) {
      meter.forgetAllowances(accountId);
      changes.begin(CAPS_NAME);
      changes.end(CAPS_NAME);
    },
  };
}

/** Wraps another thread's meter: it forgets allowances once a cap was changed elsewhere. */
export function heedCapChanges(
  meter: UsageMeter,
  changes: Pick<ChangeCounters, 'read' | 'isCurrent'>,
): Meter {
  let reading = changes.read(CAPS_NAME);
  function heed(): void {
    if (reading !== null && changes.isCurrent(reading)) return;
    reading = changes.read(CAPS_NAME);
    meter.forgetAllAllowances();
  }
  return {
    ...meter,
    of(owner) {
      heed();
      return meter.of(owner);
    },
    ofReadPolicy(readPolicy) {
      heed();
      return meter.ofReadPolicy(readPolicy);
    },
    forgotten() {
      heed();
      return meter.forgotten();
    },
  };
}
