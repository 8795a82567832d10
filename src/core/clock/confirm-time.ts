// Takes the operator's word that the clock is right, after a jump that steady time
// does not support: the machine was off for weeks or stood still, or the clock was
// wrong and has been set. Called by the JSON API.
import { StorageError } from '../../domain/errors.ts';
import { startOfDay } from '../../domain/time.ts';
import { JUMP_MAX_MS } from '../../domain/trusted-time.ts';
import { monthOf, monthsLater, monthText } from '../billing/month.ts';
import type { Core } from '../core.ts';
import { readTimeState } from './trust-time.ts';

/**
 * Trusts the clock from now on. `statedMs` is the time as the operator reads it
 * elsewhere; InvalidInput when the clock differs. Where a clock that was ahead has
 * brought the cursors of bills or daily usage into the future, they go back to
 * today. Idempotent. Cost: some directory calls.
 */
export async function confirmTime(core: Core, statedMs: number): Promise<void> {
  const { directory, log } = core.ports;
  const { nowMs, steady, jumpMs } = await readTimeState(core);
  if (Math.abs(statedMs - nowMs) > JUMP_MAX_MS) {
    throw new StorageError('InvalidInput', {
      detail:
        `The server's clock says ${new Date(nowMs).toISOString()}. ` +
        'Set it right first, then confirm it.',
    });
  }
  await rewindCursors(core, nowMs);
  await directory.call('setSeenTime', { atMs: nowMs, steady });
  log.info('clock-confirmed', {
    clock: new Date(nowMs).toISOString(),
    jumpSeconds: Math.round(jumpMs / 1000),
  });
}

/**
 * Takes cursors that are in the future back to today; bills made already are found
 * again.
 */
async function rewindCursors(core: Core, nowMs: number): Promise<void> {
  const { directory } = core.ports;
  const month = monthOf(nowMs);
  const closing = await directory.call('getClosing', {});
  if (closing !== null && closing.period > monthText(month)) {
    await directory.call('setClosing', { period: monthText(monthsLater(month, -1)), after: '' });
  }

  const dayMs = startOfDay(nowMs);
  const reported = await directory.call('getUsageReported', {});
  if (reported !== null && reported.dayMs > dayMs)
    await directory.call('setUsageReported', { dayMs, after: '' });
}
