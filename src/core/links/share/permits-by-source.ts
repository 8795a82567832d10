// Leaves every visitor of a limited link a part of its running downloads: one source
// has a tenth of them at most in a process, however it calls its programs. Called by
// http/links/share.
import { createSemaphore } from '../../../domain/concurrency/semaphore.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import {
  LINK_PERMIT_MS,
  LINK_RUNNING_IN_PROCESS,
  LINK_RUNNING_PER_SOURCE,
} from '../../../domain/links/link-limits.ts';
import type { Core } from '../../core.ts';
import { isRefusal, type TakeSharePermit } from './take-permit.ts';

/** Takes permits as `takePermit` does; `busy` where the source has all of its own. */
export function boundBySource(
  { ports: { clock } }: Core,
  takePermit: TakeSharePermit,
): TakeSharePermit {
  const permits = createSemaphore({
    max: LINK_RUNNING_IN_PROCESS,
    idleMs: LINK_PERMIT_MS,
    nowMs: clock.nowMs,
  });
  return async (part) => {
    const { link, remoteAddress } = part;
    const name = `${link.id} ${networkOf(remoteAddress)}`;
    const shares = [{ name, max: LINK_RUNNING_PER_SOURCE }];
    const permit = permits.tryTake({ tenant: link.id, shares });
    if (permit === null) return { kind: 'busy' };

    const outcome = await takePermit(part).catch((error: unknown) => {
      permit.release();
      throw error;
    });
    if (isRefusal(outcome)) {
      permit.release();
      return outcome;
    }
    return {
      ...outcome,
      progress(sentBytes) {
        permit.renew();
        outcome.progress(sentBytes);
      },
      settle(sentBytes) {
        permit.release();
        return outcome.settle(sentBytes);
      },
    };
  };
}
