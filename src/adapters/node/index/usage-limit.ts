// The latest time that the writer of the index counts usage by. While steady time
// supports the clock, that is the clock's; after a jump it is the last trusted
// time, moved on by steady time. The clock counts again when it is right, or when
// the operator has confirmed it in the directory.

import { JUMP_MAX_MS, jumpSince, type SeenTime } from '../../../domain/trusted-time.ts';
import type { Clock, SteadyClock } from '../../../ports/system.ts';

/** A trusted time, and this process's steady time then. */
type Anchor = { readonly atMs: number; readonly awakeMs: number };

/**
 * Returns a function that reads that time. Cost: two clocks; the system's uptime
 * too (some 20 µs) where they differ, and a row while the clock is in doubt.
 * `readSeen`: the directory's last time.
 */
export function createUsageLimit(
  clock: Clock,
  steadyClock: SteadyClock,
  readSeen: () => SeenTime | null,
): () => number {
  /** From where the time goes on by itself. */
  let anchor: Anchor | null = null;
  /** The last time of the clock that was trusted here. */
  let trusted: SeenTime | null = null;

  return () => {
    const nowMs = clock.nowMs();
    const awakeMs = steadyClock.awakeMs();
    const expectedMs = anchor === null ? null : anchor.atMs + awakeMs - anchor.awakeMs;
    if (expectedMs !== null && Math.abs(nowMs - expectedMs) <= JUMP_MAX_MS) return nowMs;
    const steady = steadyClock.read();
    const seen = readSeen();
    // A directory that has seen nothing yet says nothing against a time that was
    // trusted here.
    const known = [trusted, seen].filter((time) => time !== null);
    if (known.length === 0 || known.some((time) => jumpSince(time, nowMs, steady) === 0)) {
      trusted = { atMs: nowMs, steady };
      anchor = { atMs: nowMs, awakeMs };
      return nowMs;
    }
    // In doubt since before this process: the time goes on from where it was seen
    // last.
    anchor ??= { atMs: seen?.atMs ?? nowMs, awakeMs };
    return Math.floor(expectedMs ?? anchor.atMs);
  };
}
