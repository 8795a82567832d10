// What the hot doors have answered, for metrics: hot-answer.ts and s3/hot-read.ts count,
// observe/app-families.ts shows it.
import type { HotReply } from '../request.ts';

/** Answers given since the start, by kind; the numbers grow in place. */
export type HotCounts = {
  getWhole: number;
  getPart: number;
  /** Parts that memory had not. */
  getPartRead: number;
  /**
   * Of signed reads: bodies that stood in the row of the index. The other doors count these as
   * memory's.
   */
  getInRow: number;
  getNotModified: number;
  headWhole: number;
  headNotModified: number;
};
/** By what the other door would count them as. */
export type HotCountsBySurface = Readonly<Record<HotReply['surface'], HotCounts>>;

export function newHotCounts(): HotCountsBySurface {
  const zero = {
    getWhole: 0,
    getPart: 0,
    getPartRead: 0,
    getInRow: 0,
    getNotModified: 0,
    headWhole: 0,
    headNotModified: 0,
  };
  return { delivery: { ...zero }, website: { ...zero }, s3: { ...zero } };
}
