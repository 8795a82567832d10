// Waits for public reads to catch up with a write: not at all on Node, elsewhere no longer than the
// target promises.
import type { Reply } from './clients/http.ts';
import { client } from './clients/suite.ts';

const { target } = client;

/** Time that a slow machine may add to the bound. */
const SLACK_MS = 5000;
const POLL_MS = 200;

/** Reads until the answer is right: at once on Node, within the bound of the target elsewhere. */
export async function eventually<T = Reply>(
  read: () => Promise<T>,
  isRight: (reply: T) => boolean,
): Promise<T> {
  const endsAtMs = performance.now() + target.stalenessSeconds * 1000 + SLACK_MS;
  for (;;) {
    const reply = await read();
    if (isRight(reply) || target.stalenessSeconds === 0 || performance.now() > endsAtMs)
      return reply;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
