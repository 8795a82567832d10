import type { LendBytes, LentBytes } from '../../ports/blob-store.ts';
import type { HotReply } from '../request.ts';

/** The `finish` of a reply whose body is still to be read. Shared by both hot doors. */
export function finishLater(lend: LendBytes, replyWith: (lent: LentBytes) => HotReply): HotReply['finish'] {
  return () => {
    const lent = lend();
    return lent === null ? null : replyWith(lent);
  };
}
