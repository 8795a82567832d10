// Whether the clock can be trusted. Called before all that goes by age: the
// scheduled work of both platforms, and the last bills of an account. A jump that
// steady time does not support pauses that work until the clock is right again, or
// the operator confirms it (confirm-time.ts). Requests are served meanwhile as
// ever.
import { StorageError } from '../../domain/errors.ts';
import { jumpSince, type SeenTime, type SteadyReading } from '../../domain/trusted-time.ts';
import type { Ports } from '../../ports/index.ts';
import type { Clock, SteadyClock } from '../../ports/system.ts';
import type { Core } from '../core.ts';

/**
 * Longest run on a platform without steady time, milliseconds. Source: Cloudflare,
 * cron triggers, 15 minutes.
 */
const RUN_MAX_MS = 15 * 60_000;

export type TimeState = {
  readonly nowMs: number;
  readonly steady: SteadyReading | null;
  /** The last time that was trusted; null: none yet. */
  readonly seen: SeenTime | null;
  /** By how much the clock has jumped since, milliseconds; 0: it is trusted. */
  readonly jumpMs: number;
};

/** What reading the clocks takes: a Durable Object has no more. */
export type TimePorts = Pick<Ports, 'clock' | 'steadyClock'> & {
  readonly directory: Pick<Ports['directory'], 'call'>;
};

/** Reads the clocks and the last trusted time. Cost: a directory read. */
export async function readTimeState(core: { readonly ports: TimePorts }): Promise<TimeState> {
  const { clock, directory, steadyClock } = core.ports;
  const seen = await directory.call('getSeenTime', {});
  const nowMs = clock.nowMs();
  const steady = steadyClock?.read() ?? null;
  return { nowMs, steady, seen, jumpMs: jumpSince(seen, nowMs, steady) };
}

/**
 * Returns a core whose clock goes on from this moment by steady time, so that a
 * jump during the work does nothing to it. Null, and a line in the log, while the
 * clock is in doubt. Cost: a read and a command of the directory.
 */
export async function trustTime(core: Core): Promise<Core | null> {
  const { clock, directory, log, steadyClock } = core.ports;
  const { nowMs, steady, seen, jumpMs } = await readTimeState(core);
  if (seen !== null && jumpMs !== 0) {
    log.error('clock-in-doubt', {
      ...describeJump({ nowMs, seen, jumpMs }),
      paused: 'bills, lifecycle rules, sweeping',
      mend: 'set the clock right, or confirm that it is: docs/running.md, Clock',
    });
    return null;
  }
  await directory.call('setSeenTime', { atMs: nowMs, steady });
  return { ...core, ports: { ...core.ports, clock: clockFrom(nowMs, clock, steadyClock) } };
}

/** Refuses what goes by age, ServiceUnavailable, while the clock is in doubt. */
export async function requireTrustedTime(core: { readonly ports: TimePorts }): Promise<void> {
  const { jumpMs } = await readTimeState(core);
  if (jumpMs === 0) return;
  throw new StorageError('ServiceUnavailable', {
    detail:
      "The server's clock has jumped, so nothing is billed until it is right " +
      'or the operator has confirmed it.',
  });
}

function describeJump({ nowMs, seen, jumpMs }: { nowMs: number; seen: SeenTime; jumpMs: number }) {
  const jumpSeconds = Math.round(jumpMs / 1000);
  return {
    clock: new Date(nowMs).toISOString(),
    lastBelieved: new Date(seen.atMs).toISOString(),
    jumpSeconds,
  };
}

/**
 * A clock that starts at a time and goes on by steady time, or within RUN_MAX_MS
 * without it.
 */
function clockFrom(startMs: number, clock: Clock, steadyClock: SteadyClock | null): Clock {
  if (steadyClock === null) {
    return { nowMs: () => Math.min(Math.max(clock.nowMs(), startMs), startMs + RUN_MAX_MS) };
  }
  const startAwakeMs = steadyClock.awakeMs();
  return { nowMs: () => startMs + Math.floor(steadyClock.awakeMs() - startAwakeMs) };
}
