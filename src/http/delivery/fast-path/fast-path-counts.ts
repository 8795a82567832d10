// What the fast path has answered, for metrics: answer-at-once.ts and
// s3/fast-read/fast-read.ts count, and observe/app-families.ts shows it.
import type { ResponseOwner } from './fast-response.ts';

/** Responses given since the start, by kind; the numbers grow in place. */
export type FastPathCounts = {
  getWhole: number;
  /** Whole objects that memory had not. */
  getWholeRead: number;
  getPart: number;
  /** Ranges that memory had not. */
  getPartRead: number;
  /**
   * Signed reads whose body stood in the row of the index. Delivery counts these as
   * memory's.
   */
  getInRow: number;
  getNotModified: number;
  headWhole: number;
  headNotModified: number;
  /** Redirects of sites. */
  getRedirected: number;
  headRedirected: number;
  /** Failures: 403, 404, 412, 416. */
  getRefused: number;
  headRefused: number;
};
/** Counts by the surface that the full path would count them for. */
export type FastPathCountsBySurface = Readonly<Record<ResponseOwner['surface'], FastPathCounts>>;

export function newFastPathCounts(): FastPathCountsBySurface {
  const zero = {
    getWhole: 0,
    getWholeRead: 0,
    getPart: 0,
    getPartRead: 0,
    getInRow: 0,
    getNotModified: 0,
    headWhole: 0,
    headNotModified: 0,
    getRedirected: 0,
    headRedirected: 0,
    getRefused: 0,
    headRefused: 0,
  };
  return { delivery: { ...zero }, website: { ...zero }, s3: { ...zero }, links: { ...zero } };
}
