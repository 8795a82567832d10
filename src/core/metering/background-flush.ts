// When a Worker brings its usage to the ledger: work behind an answer waits for a
// mark of the clock, so that isolates everywhere flush at the same moments, and the
// ledger writes what comes together in one go. While answers follow each other the
// work is handed on from one to the next, and an interval goes by between flushes;
// the last of them flushes before the runtime may end it.

import type { Core } from '../core.ts';

export type BackgroundFlush = {
  /** Name of the process: spreads the isolates over the second behind a mark. */
  readonly source: string;
  /** Time between two flushes while answers follow each other. */
  readonly intervalMs: number;
  readonly flush: () => Promise<boolean>;
  readonly isAnythingLeft: () => boolean;
};

/**
 * Age at which a run counts as dead, milliseconds: the runtime ends work in the
 * background then, without a word. Source:
 * https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil
 */
const RUN_MAX_MS = 30_000;
/**
 * Time between two marks, milliseconds. A run lives two of them at least, so that
 * one that takes over after the first ends behind it.
 */
const MARK_MS = 10_000;
/**
 * Age up to which a run waits for marks, milliseconds: two flushes and the pause
 * between them fit between it and the end of the run.
 */
const WAIT_MAX_MS = 21_000;
/** Flushes of one run while they fail; then the next response begins another run. */
const ROUNDS = 3;
/** Pause after a flush that left something, milliseconds. */
const PAUSE_MAX_MS = 1_000;
/** Marks are followed by so much of them in which the isolates flush. */
const SPREAD_SHARE = 1 / 10;
/** Requests since the last flush from which a run does not wait for the interval. */
const USES_MAX = 1_000;

/** Work in the background that will flush what is used now. */
type Run = { readonly sinceMs: number };

/**
 * Makes `flushSoon`: one run at a time, which another replaces when it has died, or
 * takes over from.
 */
export function createBackgroundFlush(core: Core, options: BackgroundFlush): () => void {
  const { background, clock, meter } = core.ports;
  const { intervalMs, flush, isAnythingLeft } = options;
  const markMs = Math.min(intervalMs, MARK_MS);
  const pauseMs = Math.min(markMs, PAUSE_MAX_MS);
  const spreadMs = Math.floor(markMs * SPREAD_SHARE * shareOf(options.source));
  let current: Run | null = null;
  let flushed = { atMs: clock.nowMs(), uses: usesOf() };

  function usesOf(): number {
    const { A, B, free } = meter.totals().operations;
    return A + B + free;
  }

  /** Whether a response needs no run, because one will flush what it used. */
  function isFlushing({ sinceMs }: Run, nowMs: number): boolean {
    const lifeMs = intervalMs > markMs ? markMs : RUN_MAX_MS;
    return sinceMs <= nowMs && nowMs < sinceMs + lifeMs;
  }

  /** Whether an interval has ended since the last flush, or much was used. */
  function isDue(): boolean {
    if (intervalMs <= markMs) return true;
    const intervalAt = (ms: number) => Math.floor((ms - spreadMs) / intervalMs);
    const isOver = intervalAt(clock.nowMs()) > intervalAt(flushed.atMs);
    return isOver || usesOf() - flushed.uses >= USES_MAX;
  }

  /** Waits until what is counted has to be flushed; false: a younger run does that. */
  async function waitForFlush(own: Run): Promise<boolean> {
    for (;;) {
      const sinceMarkMs = (clock.nowMs() - spreadMs) % markMs;
      await wait(markMs - sinceMarkMs);
      if (isDue()) return true;
      const isLastMark = clock.nowMs() + markMs > own.sinceMs + WAIT_MAX_MS;
      if (isLastMark) return current === own;
    }
  }

  async function run(own: Run): Promise<void> {
    if (!(await waitForFlush(own))) return;

    // What is used during the flush begins a run of its own. One that was taken for
    // dead does not end its successor.
    if (current === own) current = null;
    for (let round = 1; round <= ROUNDS && isAnythingLeft(); round++) {
      if (round > 1) await wait(pauseMs);
      flushed = { atMs: clock.nowMs(), uses: usesOf() };
      await flush();
      if (current !== null) return;
    }
  }

  return () => {
    if (!isAnythingLeft()) return;
    const nowMs = clock.nowMs();
    if (current !== null && isFlushing(current, nowMs)) return;
    const own = { sinceMs: nowMs };
    current = own;
    background.run('usage', () => run(own));
  };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A share that hangs on a name, from 0 to below 1. */
function shareOf(name: string): number {
  let hash = 0;
  for (const character of name)
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash / 2 ** 32;
}
