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
  const places = createSemaphore({
    max: LINK_RUNNING_IN_PROCESS,
    idleMs: LINK_PERMIT_MS,
    nowMs: clock.nowMs,
  });
  return async (part) => {
    const { link, remoteAddress } = part;
    const name = `${link.id} ${networkOf(remoteAddress)}`;
    const shares = [{ name, max: LINK_RUNNING_PER_SOURCE }];
    const place = places.tryTake({ tenant: link.id, shares });
    if (place === null) return { kind: 'busy' };

    const outcome = await takePermit(part).catch((error: unknown) => {
      place.release();
      throw error;
    });
    if (isRefusal(outcome)) {
      place.release();
      return outcome;
    }
    return {
      ...outcome,
      progress(sentBytes) {
        place.renew();
        outcome.progress(sentBytes);
      },
      settle(sentBytes) {
        place.release();
        return outcome.settle(sentBytes);
      },
    };
  };
}
