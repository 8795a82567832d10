// When a message that failed is tried again, and how long an endpoint that fails is left alone.
// Called by the dispatcher.
import { HOUR_MS } from '../../domain/time.ts';

const FACTOR = 3;
/** Longest wait between two attempts, milliseconds. */
const DELAY_MAX_MS = 6 * HOUR_MS;
/**
 * Longest pause of an endpoint, milliseconds: it hears of new messages within that once it is back.
 */
const PAUSE_MAX_MS = 60_000;

/**
 * The wait before the next attempt, milliseconds: three times as long each time, less up to half of
 * it, so that messages that failed together do not come back together. `random`: 0 to 1.
 */
export function retryDelayMs(attempts: number, baseMs: number, random: number): number {
  const full = Math.min(baseMs * FACTOR ** Math.min(attempts - 1, 40), DELAY_MAX_MS);
  return Math.ceil(full * (1 - random / 2));
}

/**
 * Pauses of endpoints that fail, longer each time; ports/circuit-breaker.ts has those of one
 * length.
 */
export type EndpointBreaker = {
  /** An attempt failed: the endpoint rests, twice as long as last time. */
  add(endpointId: string, nowMs: number, baseMs: number): void;
  /** An attempt succeeded. */
  clear(endpointId: string): void;
  /** Endpoints that rest now. */
  now(nowMs: number): string[];
  /** When the first of them may be tried again; null: none rests. */
  firstEndMs(nowMs: number): number | null;
};

/** Endpoints remembered; one that is forgotten is tried again at once. */
const PAUSES_MAX = 10_000;

/** Pauses live in memory alone: after a restart every endpoint gets a new chance. */
export function createEndpointBreaker(): EndpointBreaker {
  const breaker = new Map<string, { failures: number; untilMs: number }>();
  return {
    add(endpointId, nowMs, baseMs) {
      const known = breaker.get(endpointId);
      // Attempts that ran beside each other are one failure.
      if (known !== undefined && known.untilMs > nowMs) return;
      if (breaker.size >= PAUSES_MAX) breaker.clear();
      const failures = (known?.failures ?? 0) + 1;
      const pauseMs = Math.min((baseMs / 2) * 2 ** Math.min(failures - 1, 30), PAUSE_MAX_MS);
      breaker.set(endpointId, { failures, untilMs: nowMs + pauseMs });
    },
    clear: (endpointId) => void breaker.delete(endpointId),
    now: (nowMs) => [...breaker].filter(([, { untilMs }]) => untilMs > nowMs).map(([id]) => id),
    firstEndMs(nowMs) {
      const ends = [...breaker.values()]
        .map(({ untilMs }) => untilMs)
        .filter((untilMs) => untilMs > nowMs);
      return ends.length === 0 ? null : Math.min(...ends);
    },
  };
}
