// When a pack of small bodies is sparse, so that it is worth writing what lives of it
// anew: when that would take less than half of its bytes.

/** Whether what lives of a pack, with its directory, is less than half of it. */
export const isSparse = (livingBytes: number, packBytes: number): boolean =>
  livingBytes * 2 < packBytes;

/**
 * How many bodies have to go, at least, before a pack can be sparse: if the largest
 * went first. `sizes`: of those that live, with their entries in the directory.
 */
export function goneUntilSparse(sizes: readonly number[], packBytes: number): number {
  const largestFirst = sizes.toSorted((a, b) => b - a);
  let livingBytes = sizes.reduce((sum, size) => sum + size, 0);
  let gone = 0;
  for (const size of largestFirst) {
    if (isSparse(livingBytes, packBytes)) break;
    livingBytes -= size;
    gone += 1;
  }
  return gone;
}
