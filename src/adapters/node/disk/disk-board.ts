// The room on the disk as all threads of the process see it, in shared memory. The
// first thread shows what is left (disk-space.ts); all of them take from that, and it
// counts what the others took until the file system shows it.
import { StorageError } from '../../../domain/errors.ts';
import type { BlobRoom } from '../blobs/blob-writer.ts';

/** Fields of the board; behind them two for each thread. */
const ROOM = 0;
const IS_BOUNDED = 1;
const REFUSED = 2;
const FIELDS = 3;
const takenOf = (thread: number): number => FIELDS + 2 * thread;
const settledOf = (thread: number): number => takenOf(thread) + 1;

/** The first thread's side. */
export type DiskBoard = {
  /** Shows the room for writes; null: it has no bounds of our own. */
  show(roomBytes: number | null): void;
  /** Lessens what is shown: this thread has taken some. */
  lessen(lengthBytes: number): void;
  /** What the other threads took, settled and were refused since the start. */
  takenBytes(): number;
  settledBytes(): number;
  refusedWrites(): number;
  /** Settles what a thread took that has died. */
  forget(thread: number): void;
};

/** Memory for so many threads. */
export function createBoardMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(takenOf(threads) * BigInt64Array.BYTES_PER_ELEMENT);
}

/** The board over shared memory, for the first thread. */
export function openDiskBoard(memory: SharedArrayBuffer): DiskBoard {
  const fields = new BigInt64Array(memory);

  function sum(firstField: number): number {
    let total = 0n;
    for (let at = firstField; at < fields.length; at += 2) total += Atomics.load(fields, at);
    return Number(total);
  }

  return {
    show(roomBytes) {
      Atomics.store(fields, ROOM, BigInt(Math.floor(roomBytes ?? 0)));
      Atomics.store(fields, IS_BOUNDED, roomBytes === null ? 0n : 1n);
    },
    lessen: (lengthBytes) => void Atomics.sub(fields, ROOM, BigInt(lengthBytes)),
    takenBytes: () => sum(takenOf(0)),
    settledBytes: () => sum(settledOf(0)),
    refusedWrites: () => Number(Atomics.load(fields, REFUSED)),
    forget(thread) {
      Atomics.store(fields, settledOf(thread), Atomics.load(fields, takenOf(thread)));
    },
  };
}

/** The room for blobs by that board, for another thread. */
export function boardRoom(
  memory: SharedArrayBuffer,
  thread: number,
): BlobRoom & { isFull(): boolean } {
  const fields = new BigInt64Array(memory);
  const isBounded = () => Atomics.load(fields, IS_BOUNDED) === 1n;

  function requireRoom(lengthBytes: number): void {
    if (!isBounded()) return;
    const room = Atomics.load(fields, ROOM);
    if (room > 0n && BigInt(lengthBytes) <= room) return;
    Atomics.add(fields, REFUSED, 1n);
    throw new StorageError('StorageFull');
  }

  return {
    requireRoom,
    take(lengthBytes) {
      requireRoom(lengthBytes);
      Atomics.add(fields, takenOf(thread), BigInt(lengthBytes));
      Atomics.sub(fields, ROOM, BigInt(lengthBytes));
    },
    settle: (lengthBytes) => void Atomics.add(fields, settledOf(thread), BigInt(lengthBytes)),
    isFull: () => isBounded() && Atomics.load(fields, ROOM) <= 0n,
  };
}
