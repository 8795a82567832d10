// Permits for bodies of drop links: what the senders of one link, of one source or of one account
// may hold, and that all others always find some.
import { expect, it } from 'vitest';
import { hasCode } from '../../../../src/domain/errors.ts';
import type { LinkId } from '../../../../src/domain/links/link-ids.ts';
import {
  DROP_BODIES_MAX,
  DROP_BODIES_PER_ACCOUNT,
  DROP_BODIES_PER_SOURCE,
  DROP_BODY_IDLE_MS,
} from '../../../../src/domain/links/link-limits.ts';
import type { AccountId } from '../../../../src/domain/nouns.ts';
import { createDropBodies } from '../../../../src/http/links/drop/drop-bodies.ts';

const EMPTY = { lengthBytes: 0, pump: async () => {} };

function open() {
  let nowMs = 0;
  const bodies = createDropBodies({ nowMs: () => nowMs });
  /** Takes a permit and keeps it; whether there was one. */
  async function stall(link: string, account: string, source: string): Promise<boolean> {
    const sent = {
      request: { remoteAddress: source },
      entry: { id: link as LinkId, accountId: account as AccountId },
    };
    let isTaken = false;
    const work = bodies.during(sent, EMPTY, () => {
      isTaken = true;
      return new Promise<never>(() => {});
    });
    work.catch((error: unknown) => {
      if (!hasCode(error, 'TooManyRequests')) throw error;
    });
    await Promise.resolve();
    return isTaken;
  }
  /** How many of so many requests, each from an address of its own, find a permit. */
  async function flood(count: number, linkOf: (at: number) => string, account: string) {
    let taken = 0;
    for (let at = 0; at < count; at++)
      if (await stall(linkOf(at), account, `10.0.${at >> 8}.${at & 255}`)) taken += 1;
    return taken;
  }
  const passMs = (ms: number) => (nowMs += ms);
  return { stall, flood, passMs };
}

it('one link never has all, whoever sends to it', async () => {
  const { flood, stall } = open();
  expect(await flood(2 * DROP_BODIES_MAX, () => 'attacked', 'owner')).toBe(DROP_BODIES_MAX / 2);
  expect(await stall('other', 'owner', '192.0.2.1')).toBe(true);
});

it('one account never has all, however many links it makes', async () => {
  const { flood, stall } = open();
  expect(await flood(400, (at) => `link ${at}`, 'attacker')).toBe(DROP_BODIES_PER_ACCOUNT);
  expect(await stall('other', 'owner', '192.0.2.1')).toBe(true);
});

it('one source has few, at all links together', async () => {
  const { stall } = open();
  for (let at = 0; at < DROP_BODIES_PER_SOURCE; at++)
    expect(await stall(`link ${at}`, 'owner', '192.0.2.1')).toBe(true);
  expect(await stall('another', 'owner', '192.0.2.1')).toBe(false);
  expect(await stall('another', 'owner', '192.0.2.2')).toBe(true);
});

it('a body of which nothing comes gives its permit to others', async () => {
  const { flood, passMs, stall } = open();
  await flood(DROP_BODIES_MAX, () => 'attacked', 'owner');
  expect(await stall('attacked', 'owner', '192.0.2.1')).toBe(false);
  passMs(DROP_BODY_IDLE_MS);
  expect(await stall('attacked', 'owner', '192.0.2.1')).toBe(true);
});
