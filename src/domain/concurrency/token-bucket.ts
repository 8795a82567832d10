// A token bucket: so much at once, and so much a second from then on. Pure; whoever has
// one says the time. Bounds what strangers may make a platform do in vain.

export type TokenBucket = {
  /** Whether there is a whole token. */
  has(nowMs: number): boolean;
  /** Takes a token, or what is left of one. */
  take(nowMs: number): void;
  /** Gives one back that was taken for nothing. */
  giveBack(): void;
};

/** Makes a full one. */
export function createTokenBucket(burst: number, perSecond: number, madeAtMs: number): TokenBucket {
  let tokens = burst;
  let filledAtMs = madeAtMs;

  function refill(nowMs: number): void {
    const seconds = Math.max(0, nowMs - filledAtMs) / 1000;
    tokens = Math.min(burst, tokens + seconds * perSecond);
    filledAtMs = nowMs;
  }

  return {
    has(nowMs) {
      refill(nowMs);
      return tokens >= 1;
    },
    take(nowMs) {
      refill(nowMs);
      tokens = Math.max(0, tokens - 1);
    },
    giveBack() {
      tokens += 1;
    },
  };
}
