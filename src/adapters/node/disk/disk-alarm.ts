// Reports to the operator that the disk fills up: once for each level that is
// passed, and again only after the use had fallen well below it. The level is
// stored in the data folder, so that a restart repeats no report.

import { levelAfter } from '../../../domain/room/fill-levels.ts';
import type { DiskReport } from '../../../ports/operator-work.ts';
import type { DiskFigures } from './disk-space.ts';
import { readStateFile, writeStateFile } from './state-file.ts';

export type DiskAlarm = {
  /**
   * Calls `report` when a higher level is passed. It is passed only once `report`
   * has resolved.
   */
  check(figures: DiskFigures, report: (crossing: DiskReport) => Promise<unknown>): Promise<void>;
};

/** Percent of the disk in use, ascending. */
const LEVELS = [85, 95] as const;

/** `path`: file of the level. */
export function createDiskAlarm(path: string): DiskAlarm {
  const note = readStateFile(path);
  let level = typeof note?.level === 'number' ? note.level : 0;

  async function setLevel(next: number): Promise<void> {
    level = next;
    await writeStateFile(path, { level });
  }

  return {
    async check(figures, report) {
      const usedPercent = percentOf(figures);
      const next = levelAfter(LEVELS, level, usedPercent);
      if (next > level) {
        const { totalBytes, freeBytes } = figures;
        await report({ percent: next, usedPercent, totalBytes, freeBytes });
      }
      if (next !== level) await setLevel(next);
    },
  };
}

/**
 * Percent in use, as `df` counts it: blocks reserved for root are neither used nor
 * free.
 */
function percentOf({ usedBytes, freeBytes }: DiskFigures): number {
  const bytes = usedBytes + freeBytes;
  return bytes === 0 ? 100 : (100 * usedBytes) / bytes;
}
