// What the script of drop pages tries again: requests that a broken connection or a busy
// server ended, after ever longer waits.

/** Waits between tries, milliseconds. */
export const RETRY_MS = [1000, 3000, 9000, 27_000, 60_000];
/** Statuses after which the same may be sent again. */
const PASSING = new Set([0, 408, 409, 423, 425, 429, 500, 502, 503, 504]);

/** A request that was refused; status 0: the connection broke. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Whether another try may do. fetch says TypeError where the connection broke. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Refusal ? PASSING.has(error.status) : error instanceof TypeError;

/**
 * Calls until it succeeds, fails for good, or no wait is left. 429 is for good: the
 * limits of new senders and wrong codes last longer than all waits.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  onBreak: () => void,
): Promise<Result> {
  for (const waitMs of RETRY_MS) {
    try {
      return await attempt();
    } catch (error) {
      const isLimit = error instanceof Refusal && error.status === 429;
      if (isLimit || !isPassing(error)) throw error;
      onBreak();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
  return attempt();
}
