// Repeats what may be repeated: exponential backoff with full jitter, never sooner
// than the server wants, and bounded in attempts and in time. Source:
// https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
import { networkFailure, QuaysideError } from './errors.ts';

export type RetryPolicy = {
  /** Attempts in all; 1: nothing is repeated. */
  readonly attempts: number;
  /** Longest first wait, milliseconds; each further one may be twice as long. */
  readonly baseMs: number;
  /** Longest wait, milliseconds, unless the server wants a longer one. */
  readonly maxMs: number;
  /**
   * No wait begins that would end later than this after the first attempt,
   * milliseconds.
   */
  readonly totalMs: number;
};

export const RETRY_DEFAULTS: RetryPolicy = {
  attempts: 6,
  baseMs: 250,
  maxMs: 15_000,
  totalMs: 180_000,
};

export type Repeating = {
  readonly policy: RetryPolicy;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether it may be tried again after that error; by default whether the error
   * says so.
   */
  readonly mayRepeat?: (error: QuaysideError) => boolean;
};

/** The first result; rejects with the last error, or the signal's reason. */
export async function retrying<Result>(
  attempt: (index: number) => Promise<Result>,
  { policy, signal, mayRepeat = ({ retryable }) => retryable }: Repeating,
): Promise<Result> {
  const startedAtMs = Date.now();
  for (let index = 0; ; index++) {
    signal?.throwIfAborted();
    try {
      return await attempt(index);
    } catch (cause) {
      signal?.throwIfAborted();
      const error = asFailure(cause);
      if (index + 1 >= policy.attempts || !mayRepeat(error)) throw error;
      const waitMs = waitBefore(index, policy, error.retryAfterMs);
      if (Date.now() + waitMs - startedAtMs > policy.totalMs) throw error;
      await sleep(waitMs, signal);
    }
  }
}

function waitBefore(index: number, { baseMs, maxMs }: RetryPolicy, leastMs: number | null): number {
  const jitterMs = Math.random() * Math.min(maxMs, baseMs * 2 ** index);
  return (leastMs ?? 0) + jitterMs;
}

/**
 * What fetch throws without a response, as our error: a cut or a time limit. Throws
 * defects on.
 */
export function asFailure(cause: unknown): QuaysideError {
  if (cause instanceof RangeError || cause instanceof ReferenceError) throw cause;
  return cause instanceof QuaysideError ? cause : networkFailure(cause);
}

/** Resolves after that time; rejects with the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
