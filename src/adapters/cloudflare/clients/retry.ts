// Repeats a call to R2, KV or a Durable Object after a passing failure. Used by the
// adapters of Cloudflare, and only for calls that may safely happen twice.

/**
 * Attempts in all: the first and two more. A failure that lasts longer than their
 * waits is not a passing one.
 */
const ATTEMPTS = 3;
/**
 * Wait before the second attempt, milliseconds; each further wait is four times as
 * long.
 */
const FIRST_DELAY_MS = 50;

/**
 * Runs `work` until it succeeds, fails for good or has failed three times; throws
 * the last failure. Waits about 50 ms and then 200 ms, each between half and the
 * whole of it, so that many clients do not come back at once.
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  isPassing: (error: unknown) => boolean,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) throw error;
    }
    await scheduler.wait(FIRST_DELAY_MS * 4 ** (attempt - 1) * (0.5 + Math.random() / 2));
  }
}
