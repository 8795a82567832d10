// Replies of the hot doors whose body is read only when it is sent, by `finished` of request.ts:
// how both doors make them.
import type { BorrowedBuffer, LendBytes } from '../ports/blob-store.ts';
import type { HotReply } from './request.ts';

/** The `finish` of a reply whose body is still to be read. */
export function finishLater(
  lend: LendBytes,
  replyWith: (borrowed: BorrowedBuffer) => HotReply,
): HotReply['finish'] {
  return (maySend) => {
    const borrowed = lend(maySend);
    return borrowed === null ? null : replyWith(borrowed);
  };
}
