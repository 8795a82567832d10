// The room on the disk as threads see it: they take from what the first one shows.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  boardRoom,
  createBoardMemory,
  type DiskBoard,
  openDiskBoard,
} from '../../../src/adapters/node/disk/disk-board.ts';

const FULL = expect.objectContaining({ code: 'StorageFull' });

describe('the board of a disk', () => {
  let memory: SharedArrayBuffer;
  let board: DiskBoard;
  beforeEach(() => {
    memory = createBoardMemory(3);
    board = openDiskBoard(memory);
  });

  it('has no bounds until some are shown, nor after they were taken away', () => {
    const room = boardRoom(memory, 1);
    for (const shown of ['nothing', 'bounds', 'none'] as const) {
      if (shown === 'bounds') board.show(10);
      if (shown === 'none') board.show(null);
      if (shown === 'bounds') expect(() => room.requireRoom(11)).toThrow(FULL);
      else expect(() => room.requireRoom(10 ** 12)).not.toThrow();
      expect(room.isFull()).toBe(false);
    }
  });

  it('lets threads have what is shown, to the byte and together', () => {
    board.show(100.9);
    const [one, other] = [boardRoom(memory, 1), boardRoom(memory, 2)];
    one.take(60);
    expect(() => other.requireRoom(41)).toThrow(FULL);
    expect(() => other.take(41)).toThrow(FULL);
    other.take(40);
    expect([one.isFull(), other.isFull()]).toEqual([true, true]);
    expect(() => one.requireRoom(0)).toThrow(FULL);
    expect([board.takenBytes(), board.refusedWrites()]).toEqual([100, 3]);
  });

  it('lessens it by what the first thread takes', () => {
    board.show(100);
    board.lessen(70);
    expect(() => boardRoom(memory, 1).requireRoom(31)).toThrow(FULL);
    boardRoom(memory, 1).take(30);
    expect(boardRoom(memory, 1).isFull()).toBe(true);
    expect(board.takenBytes()).toBe(30);
  });

  it('adds up what all threads took and settled, and settles for one that died', () => {
    board.show(1000);
    for (const thread of [0, 1, 2]) boardRoom(memory, thread).take(10 ** thread);
    boardRoom(memory, 2).settle(40);
    expect([board.takenBytes(), board.settledBytes()]).toEqual([111, 40]);
    board.forget(1);
    expect([board.takenBytes(), board.settledBytes()]).toEqual([111, 50]);
    board.forget(2);
    expect([board.takenBytes(), board.settledBytes()]).toEqual([111, 110]);
  });
});
