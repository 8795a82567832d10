// The sweep in batches, where one run can't go through all buckets: on Cloudflare
// an invocation may make only so many calls. A round goes through all buckets, one
// batch a run. Its cursor is stored between the runs, so that the last bucket is
// swept as often as the first. Called by the Worker.

import { SMALL_COMPRESSION_BUDGET } from '../compression/compression-budgets.ts';
import type { Core } from '../core.ts';
import { type SweepOptions, sweepBuckets } from './sweep.ts';

/** How much one run may do, and how often a round begins. */
export type BatchOptions = SweepOptions & {
  /** Buckets of one batch. */
  readonly bucketsMax: number;
  /** Time between the beginnings of two rounds, at least, milliseconds. */
  readonly everyMs: number;
};

/**
 * The options of a scheduled run of a Worker, which may make 1,000 calls on the
 * free plan. An idle bucket takes seven, a page of a lifecycle run one or two. Each
 * bucket is swept once an hour, or less often where there are many. Source:
 * https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
export const SMALL_BATCH: BatchOptions = {
  bucketsMax: 60,
  everyMs: 55 * 60_000,
  lifecyclePages: 300,
  // Four calls each.
  repacks: 32,
  compression: SMALL_COMPRESSION_BUDGET,
  // Its alarm does (adapters/cloudflare/durable-objects/bucket-object.ts).
  collectsStorage: false,
};

/**
 * Sweeps the next batch of the current round, or the first one of the next round,
 * or nothing when that is not due yet. A run that dies is resumed behind its last
 * swept bucket. Cost: two directory calls, and one with each bucket.
 */
export async function sweepInBatches(
  core: Core,
  { bucketsMax, everyMs, ...options }: BatchOptions,
): Promise<void> {
  const { clock, directory } = core.ports;
  const nowMs = clock.nowMs();
  const round = await directory.call('getSweepCursor', {});
  const isOver = round === null || round.after === null;
  if (isOver && round !== null && nowMs < round.startedAtMs + everyMs) return;

  const startedAtMs = isOver ? nowMs : round.startedAtMs;
  const storeCursor = (after: string | null) =>
    directory.call('setSweepCursor', { startedAtMs, after });
  const batch = { after: (isOver ? null : round.after) ?? '', bucketsMax, onSwept: storeCursor };
  const { isAll } = await sweepBuckets(core, batch, options);
  if (isAll) await storeCursor(null);
}
