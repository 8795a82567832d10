// How many parts are under way at once: a semaphore whose permits follow the speed of the
// line. After each round of parts there is one permit more if the round was faster, one
// fewer if it was slower, and half as many if a part failed (additive increase,
// multiplicative decrease).

const START = 3;
/** A round counts as faster or slower beyond this share. */
const NOISE = 0.1;

export type Parallel = {
  /** Resolves when there is a permit. */
  enter(): Promise<void>;
  /**
   * Gives the permit back; `bytes` is what went through, 0: nothing was to be sent.
   */
  leave(bytes: number): void;
  /** An attempt failed: the line may be full. */
  slow(): void;
  limit(): number;
};

export function createParallel(max: number, nowMs: () => number = () => Date.now()): Parallel {
  const waiting: (() => void)[] = [];
  let limit = Math.min(START, max);
  let running = 0;
  let round = { parts: 0, bytes: 0, startedAtMs: nowMs() };
  let lastRate = 0;

  function adapt(): void {
    const rate = round.bytes / Math.max(1, nowMs() - round.startedAtMs);
    if (rate > lastRate * (1 + NOISE)) limit = Math.min(max, limit + 1);
    else if (rate < lastRate * (1 - NOISE)) limit = Math.max(1, limit - 1);
    lastRate = rate;
    round = { parts: 0, bytes: 0, startedAtMs: nowMs() };
  }

  return {
    enter() {
      if (running < limit) {
        running++;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    leave(bytes) {
      running--;
      if (bytes > 0) {
        round.parts++;
        round.bytes += bytes;
        if (round.parts >= limit) adapt();
      }
      while (running < limit && waiting.length > 0) {
        running++;
        waiting.shift()?.();
      }
    },
    slow() {
      limit = Math.max(1, Math.floor(limit / 2));
    },
    limit: () => limit,
  };
}
