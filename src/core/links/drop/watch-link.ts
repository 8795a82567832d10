// Cuts uploads that run when their link ends. Called by receive-bytes.ts.

import type { StorageError } from '../../../domain/errors.ts';
import { closedError, closedStateOf } from '../../../domain/links/drop-link.ts';
import { DROP_WATCH_MS } from '../../../domain/links/link-limits.ts';
import type { DropLinkState } from '../../../ports/index-calls/drop-link-calls.ts';
import type { Core } from '../../core.ts';
import type { OpenedDropLink } from './open-drop-link.ts';

/**
 * Looks now and then whether the link still takes files, and calls `cut` once when it
 * does not. Gives what ends that. Cost: one query each time.
 */
export function watchLink(
  core: Core,
  { bucket, link }: Pick<OpenedDropLink, 'bucket' | 'link'>,
  cut: (error: StorageError) => void,
): () => void {
  let isLooking = false;
  const look = async () => {
    const nowMs = core.ports.clock.nowMs();
    const state: DropLinkState | null = await bucket.call('getDropLink', { id: link.id, nowMs });
    const reason = state === null ? 'revoked' : closedStateOf(state.link, nowMs);
    if (reason === null) return;
    clearInterval(timer);
    cut(closedError(reason));
  };
  // An index that is slow is not asked again before it has answered. A look that fails
  // is repeated: the commit of the next piece is exact anyway.
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  }, DROP_WATCH_MS);
  return () => clearInterval(timer);
}
