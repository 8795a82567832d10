// The table of changes that all threads share: for each slot of names, how many
// commands on them were begun, and how many are under way. The first thread alone
// counts; all others compare.
//
// Race: a reader sees a commit, or the state before it, and another thread's cache
// still has the state before. Guard: a command counts up its slots before it is sent,
// so no cache answers from then on; until its response nothing of them is cached.
// What is cached later was read after the commit.
// test/node/threads/counter-model.test.ts explores all interleavings.
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import type { ChangeReader } from '../../shared/fill-epochs.ts';
import type { CommitWatcher } from './sqlite-metadata-index.ts';

/**
 * Slots of the table; two of four bytes each. Names of one slot share its counts, so a
 * write of one makes the others be read once more.
 */
const SLOTS = 1 << 16;
const SLOT_MASK = SLOTS - 1;

/** Bytes of the shared memory. */
export const CHANGE_COUNTERS_BYTES = 2 * SLOTS * Int32Array.BYTES_PER_ELEMENT;

/** FNV-1a. Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv-29 */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export type ChangeCounters = ChangeReader &
  CommitWatcher & {
    /** Begins a change of a name: before its command is sent. */
    begin(name: string): void;
    /** Ends it: before its caller gets a response. */
    end(name: string): void;
  };

/** The counters over shared memory, which is all zeros at first. */
export function createChangeCounters(memory: SharedArrayBuffer): ChangeCounters {
  const changes = new Int32Array(memory, 0, SLOTS);
  const underWay = new Int32Array(memory, SLOTS * Int32Array.BYTES_PER_ELEMENT, SLOTS);

  function begin(name: string): void {
    const slot = slotOf(name);
    // In this order: a reader that still sees nothing under way has read the count
    // before it goes up.
    Atomics.add(underWay, slot, 1);
    Atomics.add(changes, slot, 1);
  }

  function end(name: string): void {
    Atomics.sub(underWay, slotOf(name), 1);
  }

  return {
    begin,
    end,
    block(bucket, keys) {
      for (const name of namesOf(bucket, keys)) begin(name);
    },
    unblock(bucket, keys) {
      for (const name of namesOf(bucket, keys)) end(name);
    },
    read(name) {
      const slot = slotOf(name);
      const reading = { slot, changes: Atomics.load(changes, slot) };
      return Atomics.load(underWay, slot) === 0 ? reading : null;
    },
    isCurrent: (reading) => Atomics.load(changes, reading.slot) === reading.changes,
  };
}

/** Names as the caches have them: no bucket name holds a slash. */
function namesOf(bucket: BucketName, keys: readonly ObjectKey[] | null): readonly string[] {
  return keys === null ? [bucket] : keys.map((key) => `${bucket}/${key}`);
}

function slotOf(name: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), FNV_PRIME);
  // The low bits alone would leave the high ones unused.
  return (hash ^ (hash >>> 16)) & SLOT_MASK;
}
