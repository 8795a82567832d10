// Places for the bodies that a process reads at once for drop links. A source has few
// of them, no link more than half, and no account all: those who send to one link
// nothing but first bytes hold up nobody's senders elsewhere. Called by tus.ts and
// drop-form.ts.
import { createSemaphore } from '../../../domain/concurrency/semaphore.ts';
import { StorageError } from '../../../domain/errors.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import type { LinkEntry } from '../../../domain/links/link-ids.ts';
import {
  DROP_BODIES_MAX,
  DROP_BODIES_PER_ACCOUNT,
  DROP_BODIES_PER_SOURCE,
  DROP_BODY_IDLE_MS,
} from '../../../domain/links/link-limits.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import type { Clock } from '../../../ports/system.ts';
import type { HttpRequest } from '../../request.ts';

/** Whose body it is, and for which link. */
type Sent = {
  readonly request: Pick<HttpRequest, 'remoteAddress'>;
  readonly entry: Pick<LinkEntry, 'id' | 'accountId'>;
};

export type DropBodies = {
  /**
   * Runs the work while it holds a permit, and gives it the body, whose bytes renew
   * that. TooManyRequests where the source, the link or the account has its own.
   */
  during<Result>(
    sent: Sent,
    body: ByteSource,
    work: (body: ByteSource) => Promise<Result>,
  ): Promise<Result>;
};

/** Makes the permits of a process. */
export function createDropBodies(clock: Clock): DropBodies {
  const permits = createSemaphore({
    max: DROP_BODIES_MAX,
    idleMs: DROP_BODY_IDLE_MS,
    nowMs: clock.nowMs,
  });
  return {
    async during({ request, entry }, body, work) {
      const permit = permits.tryTake({
        tenant: entry.id,
        shares: [
          { name: `source ${networkOf(request.remoteAddress)}`, max: DROP_BODIES_PER_SOURCE },
          { name: `account ${entry.accountId}`, max: DROP_BODIES_PER_ACCOUNT },
        ],
      });
      if (permit === null) {
        throw new StorageError('TooManyRequests', {
          detail: 'Too many files are being sent at once.',
          fields: { RetryAfterSeconds: '5' },
        });
      }
      const renewing: ByteSource = {
        lengthBytes: body.lengthBytes,
        pump: (onChunk) =>
          body.pump((chunk) => {
            permit.renew();
            return onChunk(chunk);
          }),
      };
      try {
        return await work(renewing);
      } finally {
        permit.release();
      }
    },
  };
}
