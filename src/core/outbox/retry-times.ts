// Retries of failed messages: exponential backoff with jitter, and a circuit
// breaker for each endpoint. Called by the dispatcher.
import { HOUR_MS } from '../../domain/time.ts';

/** Growth of the wait from attempt to attempt. */
const FACTOR = 3;
/**
 * Attempts after which the wait no longer grows, so that its power stays finite.
 */
const EXPONENT_MAX = 40;
/** Longest wait between two attempts, milliseconds. */
const DELAY_MAX_MS = 6 * HOUR_MS;
/**
 * Longest cooldown of an endpoint, milliseconds: it gets new messages within that
 * once it is back.
 */
const COOLDOWN_MAX_MS = 60_000;

/**
 * Computes the wait before the next attempt, milliseconds: three times as long each
 * time, less up to half of it as jitter. So messages that failed together do not
 * retry together. `random`: 0 to 1.
 */
export function retryDelayMs(attempts: number, baseMs: number, random: number): number {
  const full = Math.min(baseMs * FACTOR ** Math.min(attempts - 1, EXPONENT_MAX), DELAY_MAX_MS);
  return Math.ceil(full * (1 - random / 2));
}

/**
 * A circuit breaker for each endpoint, whose cooldown doubles with each failure;
 * ports/circuit-breaker.ts has one of a constant cooldown.
 */
export type EndpointBreaker = {
  /**
   * Opens the breaker after a failed attempt: the endpoint rests twice as long as
   * last time.
   */
  add(endpointId: string, nowMs: number, baseMs: number): void;
  /** Closes the breaker after a successful attempt. */
  clear(endpointId: string): void;
  /** Lists the endpoints that rest now. */
  now(nowMs: number): string[];
  /** Finds when the first of them may be tried again; null: none rests. */
  firstEndMs(nowMs: number): number | null;
};

/** Endpoints with an open breaker; beyond it all are closed. Our own limit. */
const BREAKERS_MAX = 10_000;
/** Doublings of a cooldown, so that its power stays finite. */
const DOUBLINGS_MAX = 30;

/**
 * Creates the breakers, in memory alone: after a restart every endpoint gets a new
 * chance.
 */
export function createEndpointBreaker(): EndpointBreaker {
  const breakers = new Map<string, { failures: number; untilMs: number }>();
  return {
    add(endpointId, nowMs, baseMs) {
      const current = breakers.get(endpointId);
      // Failures of concurrent attempts count as one.
      if (current !== undefined && current.untilMs > nowMs) return;
      if (breakers.size >= BREAKERS_MAX) breakers.clear();

      const failures = (current?.failures ?? 0) + 1;
      const doublings = Math.min(failures - 1, DOUBLINGS_MAX);
      const cooldownMs = Math.min((baseMs / 2) * 2 ** doublings, COOLDOWN_MAX_MS);
      breakers.set(endpointId, { failures, untilMs: nowMs + cooldownMs });
    },
    clear: (endpointId) => void breakers.delete(endpointId),
    now: (nowMs) => [...breakers].filter(([, { untilMs }]) => untilMs > nowMs).map(([id]) => id),
    firstEndMs(nowMs) {
      const ends = [...breakers.values()]
        .map(({ untilMs }) => untilMs)
        .filter((untilMs) => untilMs > nowMs);
      return ends.length === 0 ? null : Math.min(...ends);
    },
  };
}
