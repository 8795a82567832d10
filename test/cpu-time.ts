// Processor time of a piece of work, for tests that no text makes it slow. A bound on it is
// generous: what is linear takes a millisecond for the longest text that a request can bring, what
// is quadratic takes seconds.

/** The longest header that the server takes, characters. */
export const LONGEST = 32 * 1024;
/** More than any linear work over such a text takes on the slowest machine, milliseconds. */
export const QUICK_MS = 100;

const TRIES = 3;

/**
 * Least time of three tries, milliseconds, of this thread alone: neither a busy machine nor a
 * collection of garbage counts.
 */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && least > QUICK_MS / 2; i++) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
