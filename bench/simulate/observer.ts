// Watches the answers of a run: how long readers waited, and how old what they got was.
import type { Truth } from './truth.ts';

export type Observations = {
  readonly answers: number;
  /** Answers that needed no I/O at all. */
  readonly immediate: number;
  readonly waitMs: { readonly median: number; readonly p99: number };
  /**
   * Staleness of responses that were stale when they were requested: seconds since the version had
   * been replaced.
   */
  readonly stale: {
    readonly answers: number;
    readonly median: number;
    readonly p99: number;
    readonly max: number;
  };
};

export type Observer = {
  /** An answer to a question of `askedAtMs`, or null for "no such key". */
  saw(etag: string | null, askedAtMs: number, answeredAtMs: number, isImmediate: boolean): void;
  report(): Observations;
};

export function createObserver(truth: Truth): Observer {
  const waits: number[] = [];
  const ages: number[] = [];
  let immediate = 0;
  return {
    saw(etag, askedAtMs, answeredAtMs, isImmediate) {
      waits.push(answeredAtMs - askedAtMs);
      if (isImmediate) immediate += 1;
      const age = etag === null ? null : truth.staleness(etag, askedAtMs);
      if (age !== null) ages.push(age / 1000);
    },
    report() {
      waits.sort((a, b) => a - b);
      ages.sort((a, b) => a - b);
      return {
        answers: waits.length,
        immediate,
        waitMs: { median: quantile(waits, 0.5), p99: quantile(waits, 0.99) },
        stale: {
          answers: ages.length,
          median: quantile(ages, 0.5),
          p99: quantile(ages, 0.99),
          max: ages.at(-1) ?? 0,
        },
      };
    },
  };
}

/** The value that the share `at` of sorted values does not exceed; 0 of none. */
export function quantile(sorted: readonly number[], at: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * at) - 1)] ?? 0;
}
