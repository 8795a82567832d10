// Sweeping where one run can't go through all buckets: on Cloudflare, where an invocation may make
// so many calls. A turn goes through all of them in as many runs as it takes, and its place is kept
// between them, so that the last bucket has its turn as the first has.

import { SMALL_COMPRESSION_BUDGET } from '../compression/compression-budgets.ts';
import type { Core } from '../core.ts';
import { type SweepOptions, sweepBuckets } from './sweep.ts';

export type BatchOptions = SweepOptions & {
  /** Buckets of one run. */
  readonly bucketsMax: number;
  /** A turn begins no sooner than so long after the beginning of the one before, milliseconds. */
  readonly everyMs: number;
};

/**
 * Of a scheduled run of a Worker, which may make 1,000 calls on the free plan: seven for a bucket
 * where nothing happens, a call or two for a page of a lifecycle run. All buckets have their turn
 * once in an hour, or as the runs come by them. Source:
 * https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
export const SMALL_TURN: BatchOptions = {
  ...{ bucketsMax: 60, everyMs: 55 * 60_000 },
  ...{ lifecyclePages: 300, packing: SMALL_COMPRESSION_BUDGET },
};

/**
 * One run of the turn that is under way, or the first of the next. Nothing when that is not due
 * yet. A run that dies is gone on with behind the last bucket that it was through with. Cost: two
 * directory calls, and one with each bucket.
 */
export async function sweepInTurns(
  core: Core,
  { bucketsMax, everyMs, ...options }: BatchOptions,
): Promise<void> {
  const { clock, directory } = core.ports;
  const nowMs = clock.nowMs();
  const known = await directory.call('getSweepTurn', {});
  const isOver = known === null || known.after === null;
  if (isOver && known !== null && nowMs < known.startedAtMs + everyMs) return;
  const startedAtMs = isOver ? nowMs : known.startedAtMs;
  const note = (after: string | null) => directory.call('setSweepTurn', { startedAtMs, after });
  const stretch = { after: (isOver ? null : known.after) ?? '', bucketsMax, onSwept: note };
  const { isAll } = await sweepBuckets(core, stretch, options);
  if (isAll) await note(null);
}
