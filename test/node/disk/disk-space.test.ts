// The room on the disk: writes end before it does, what gives room back goes on, and the operator
// hears of it once.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDiskAlarm } from '../../../src/adapters/node/disk/disk-alarm.ts';
import {
  boardRoom,
  createBoardMemory,
  openDiskBoard,
} from '../../../src/adapters/node/disk/disk-board.ts';
import {
  createDiskSpace,
  type DiskFigures,
  type DiskSpace,
} from '../../../src/adapters/node/disk/disk-space.ts';
import { openReserveFile, type ReserveFile } from '../../../src/adapters/node/disk/reserve-file.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const MiB = 2 ** 20;
const RESERVE_BYTES = 16 * MiB;
const FULL = expect.objectContaining({ code: 'StorageFull' });

/** What `work` throws; null for nothing. */
function thrownBy(work: () => unknown): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}

describe('the space of a disk', () => {
  let freeBytes: number;
  let nowMs: number;
  let space: DiskSpace;
  let reserve: ReserveFile;
  const figures = (): DiskFigures => ({
    totalBytes: 1024 * MiB,
    usedBytes: 1024 * MiB - freeBytes,
    freeBytes,
  });

  beforeEach(() => {
    freeBytes = 100 * MiB;
    nowMs = 0;
    reserve = openReserveFile(join(temporaryFolder(), 'reserve'), RESERVE_BYTES / 2);
    space = createDiskSpace(
      { reserve, first: figures(), measure: async () => figures() },
      RESERVE_BYTES,
      {
        nowMs: () => nowMs,
      },
    );
  });

  it('takes what fits beside the reserve, and refuses at once what does not', () => {
    expect(thrownBy(() => space.requireRoom(84 * MiB))).toBeNull();
    expect(thrownBy(() => space.requireRoom(84 * MiB + 1))).toEqual(FULL);
    expect(space.isFull()).toBe(false);
  });

  it('counts what has come in since the last look, so that no look is needed for a refusal', () => {
    for (let taken = 0; taken < 83; taken++) space.take(MiB);
    expect(thrownBy(() => space.take(2 * MiB))).toEqual(FULL);
    space.take(MiB);
    expect(thrownBy(() => space.take(1))).toEqual(FULL);
    expect(space.isFull()).toBe(true);
  });

  it('forgets at a look what was on the disk before, and nothing else', async () => {
    space.take(40 * MiB);
    space.settle(40 * MiB);
    space.take(20 * MiB);
    freeBytes -= 40 * MiB;
    await space.look(0);
    expect(thrownBy(() => space.requireRoom(24 * MiB))).toBeNull();
    expect(thrownBy(() => space.requireRoom(24 * MiB + 1))).toEqual(FULL);
  });

  it('takes writes again only when there is more room than the least', async () => {
    freeBytes = RESERVE_BYTES;
    await space.look(0);
    expect([space.isFull(), thrownBy(() => space.take(1))]).toEqual([true, FULL]);
    freeBytes = RESERVE_BYTES * 1.1;
    await space.look(0);
    expect(space.isFull()).toBe(true);
    freeBytes = RESERVE_BYTES * 1.2;
    await space.look(0);
    expect([space.isFull(), thrownBy(() => space.take(1))]).toEqual([false, null]);
  });

  it('lets the index use what rows have left in its file', async () => {
    freeBytes = 0;
    await space.look(5 * MiB);
    expect(thrownBy(() => space.takeIndex(4 * MiB))).toBeNull();
    expect(thrownBy(() => space.takeIndex(MiB))).toEqual(FULL);
  });

  it('releases the reserve once, and makes it again when there is room', async () => {
    await space.keepReserve();
    expect(reserve.bytes()).toBe(RESERVE_BYTES / 2);
    expect([space.releaseReserve(), space.releaseReserve(), reserve.bytes()]).toEqual([
      true,
      false,
      0,
    ]);
    freeBytes = RESERVE_BYTES * 1.1;
    await space.look(0);
    await space.keepReserve();
    expect(reserve.bytes()).toBe(0);
    freeBytes = RESERVE_BYTES * 2;
    await space.look(0);
    await space.keepReserve();
    expect(reserve.bytes()).toBe(RESERVE_BYTES / 2);
  });

  it('is unknown when the file system has not responded for long', async () => {
    nowMs = 30_000;
    expect(space.isUnknown()).toBe(false);
    nowMs += 1;
    expect(space.isUnknown()).toBe(true);
    await space.look(0);
    expect(space.isUnknown()).toBe(false);
  });

  it('shows other threads what is left, and counts what they took until it is seen', async () => {
    const memory = createBoardMemory(2);
    const board = openDiskBoard(memory);
    const other = boardRoom(memory, 1);
    const source = { reserve, first: figures(), measure: async () => figures() };
    space = createDiskSpace(source, RESERVE_BYTES, { nowMs: () => nowMs }, board);
    expect(thrownBy(() => other.requireRoom(84 * MiB))).toBeNull();
    expect(thrownBy(() => other.requireRoom(84 * MiB + 1))).toEqual(FULL);
    space.take(4 * MiB);
    space.takeIndex(10 * MiB - 8192);
    expect(thrownBy(() => other.requireRoom(70 * MiB + 1))).toEqual(FULL);
    other.take(70 * MiB);
    expect(thrownBy(() => space.take(1))).toEqual(FULL);
    expect(other.isFull()).toBe(true);

    other.settle(30 * MiB);
    freeBytes -= 30 * MiB;
    await space.look(0);
    freeBytes += 40 * MiB;
    await space.look(0);
    expect(thrownBy(() => other.requireRoom(40 * MiB))).toBeNull();
    expect(thrownBy(() => other.requireRoom(40 * MiB + 1))).toEqual(FULL);
    expect(thrownBy(() => space.requireRoom(40 * MiB + 1))).toEqual(FULL);
    const refused = space.families().find(({ name }) => name.includes('refused_writes'));
    expect(refused?.samples[0]?.value).toBe(5);

    freeBytes = RESERVE_BYTES;
    await space.look(0);
    expect([other.isFull(), thrownBy(() => other.requireRoom(0))]).toEqual([true, FULL]);
  });

  it('bounds no thread where nothing is reserved', async () => {
    const memory = createBoardMemory(2);
    const source = { reserve, first: figures(), measure: async () => figures() };
    space = createDiskSpace(source, 0, { nowMs: () => nowMs }, openDiskBoard(memory));
    const other = boardRoom(memory, 1);
    freeBytes = 0;
    await space.look(0);
    expect([thrownBy(() => other.take(MiB)), other.isFull()]).toEqual([null, false]);
  });

  it('makes no reserve on a disk that has not the room of it', async () => {
    freeBytes = RESERVE_BYTES - 1;
    await space.look(0);
    await space.keepReserve();
    expect(reserve.bytes()).toBe(0);
  });

  it('reserves nothing where the setting is 0', async () => {
    space = createDiskSpace({ reserve, first: figures(), measure: async () => figures() }, 0, {
      nowMs: () => 0,
    });
    freeBytes = 0;
    await space.look(0);
    expect([thrownBy(() => space.take(1)), space.isFull()]).toEqual([null, false]);
  });
});

describe('the reserve file', () => {
  it('continues after an earlier process, follows its setting, and has no zeros', async () => {
    const path = join(temporaryFolder(), 'reserve');
    writeFileSync(path, Buffer.alloc(MiB, 1));
    const reserve = openReserveFile(path, 2 * MiB);
    expect(reserve.bytes()).toBe(MiB);
    await reserve.fill();
    expect([reserve.bytes(), statSync(path).size]).toEqual([2 * MiB, 2 * MiB]);
    expect(new Set(readFileSync(path).subarray(MiB)).size).toBeGreaterThan(200);
    expect(openReserveFile(path, MiB).bytes()).toBe(MiB);
    expect(statSync(path).size).toBe(MiB);
    expect(openReserveFile(path, 0).bytes()).toBe(0);
    expect(() => statSync(path)).toThrow('ENOENT');
  });

  it('keeps nothing of what was being written when it was released', async () => {
    const path = join(temporaryFolder(), 'reserve');
    const reserve = openReserveFile(path, 8 * MiB);
    const filling = reserve.fill();
    while (reserve.bytes() === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(reserve.release()).toBe(true);
    await filling;
    expect([reserve.bytes(), statSync(path).size]).toEqual([0, 0]);
  });
});

describe('the alarm of a disk', () => {
  const path = () => join(temporaryFolder(), 'disk-alarm.json');
  const at = (usedPercent: number): DiskFigures => ({
    totalBytes: 1000,
    usedBytes: usedPercent * 10,
    freeBytes: 1000 - usedPercent * 10,
  });

  async function percentsReported(file: string, uses: readonly number[]) {
    const alarm = createDiskAlarm(file);
    const reported: number[] = [];
    for (const used of uses)
      await alarm.check(at(used), async ({ percent }) => reported.push(percent));
    return reported;
  }

  it('reports each level once, until the use has fallen well below it', async () => {
    expect(await percentsReported(path(), [84, 85, 86, 84, 86, 95, 94, 95, 100])).toEqual([85, 95]);
    expect(await percentsReported(path(), [90, 82, 85, 96, 92, 96, 50, 96])).toEqual([
      85, 85, 95, 95, 95,
    ]);
  });

  it('repeats nothing after a restart', async () => {
    const file = path();
    expect(await percentsReported(file, [96])).toEqual([95]);
    expect(await percentsReported(file, [96, 82, 86])).toEqual([85]);
  });

  it('repeats a report that failed', async () => {
    const alarm = createDiskAlarm(path());
    const failing = alarm.check(at(90), () => Promise.reject(new Error('no outbox')));
    await expect(failing).rejects.toThrow('no outbox');
    const reported: number[] = [];
    await alarm.check(at(90), async ({ percent }) => reported.push(percent));
    expect(reported).toEqual([85]);
  });
});
