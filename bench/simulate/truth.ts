// What is true at each moment: which version of each object is the current one, and since when the
// others are not. It judges answers; no design may ask it.

export type Truth = {
  /** A version has become the current one of its object, now. Etags are never used twice. */
  commit(object: string, etag: string, nowMs: number): void;
  /**
   * How long before `askedAtMs` that version had been replaced, milliseconds; null when it was
   * current then.
   */
  staleness(etag: string, askedAtMs: number): number | null;
};

export function createTruth(): Truth {
  const current = new Map<string, string>();
  const replacedAtMs = new Map<string, number>();
  return {
    commit(object, etag, nowMs) {
      const before = current.get(object);
      if (before !== undefined) replacedAtMs.set(before, nowMs);
      current.set(object, etag);
    },
    staleness(etag, askedAtMs) {
      const endMs = replacedAtMs.get(etag) ?? Number.POSITIVE_INFINITY;
      return endMs < askedAtMs ? askedAtMs - endMs : null;
    },
  };
}
