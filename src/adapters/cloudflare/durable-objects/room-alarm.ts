// Reports that the database of a bucket's object fills up, by the object's alarm
// (object-alarm.ts): once for each level that is passed. The level is stored beside
// the tables, so that an object that begins anew repeats no report.

import { levelAfter } from '../../../domain/room/fill-levels.ts';
import { ROOM_LEVELS } from '../../../index/index-room.ts';
import type { RoomReport } from '../../../ports/operator-work.ts';
import type { DatabaseRoom } from '../../../ports/sql.ts';
import type { Log } from '../../../ports/system.ts';
import type { AlarmSlot } from './object-alarm.ts';

export type RoomAlarm = {
  /**
   * A command may have passed a level: sets the alarm if so. Cost: a property of the
   * storage; the alarm is a row written.
   */
  look(): void;
  /** The alarm went off: reports what was passed. Never throws. */
  run(): Promise<void>;
};

/** Wait after a failure, milliseconds. */
const AFTER_FAILURE_MS = 60_000;

export function createRoomAlarm(options: {
  readonly bucket: string;
  readonly slot: AlarmSlot;
  readonly room: () => DatabaseRoom;
  /** The level as it is stored; `storeLevel` stores another. */
  readonly level: number;
  readonly storeLevel: (level: number) => Promise<void>;
  readonly report: (crossing: RoomReport) => Promise<void>;
  readonly nowMs: () => number;
  readonly log: Log;
}): RoomAlarm {
  const { bucket, slot, room, storeLevel, report, nowMs, log } = options;
  let { level } = options;
  let isRunning = false;

  function look(): { readonly next: number; readonly crossing: RoomReport } {
    const { usedBytes, maxBytes } = room();
    const usedPercent = (100 * usedBytes) / maxBytes;
    const next = levelAfter(ROOM_LEVELS, level, usedPercent);
    return { next, crossing: { percent: next, usedPercent, usedBytes, maxBytes } };
  }

  return {
    look() {
      if (!isRunning && slot.atMs() === null && look().next !== level) slot.set(nowMs());
    },
    async run() {
      const { next, crossing } = look();
      if (next === level || isRunning) return;
      isRunning = true;
      try {
        // A crash in between repeats the report.
        if (next > level) await report(crossing);
        await storeLevel(next);
        level = next;
      } catch (cause) {
        log.error('room-not-reported', { bucket, cause });
        slot.set(nowMs() + AFTER_FAILURE_MS);
      } finally {
        isRunning = false;
      }
    },
  };
}
