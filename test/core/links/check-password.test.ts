// Passwords of share links: wrong ones are counted by source, and what one source has shown to know
// lets no other guess without being counted.
import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCheckSharePassword } from '../../../src/core/links/share/check-password.ts';
import {
  LINK_PASSWORD_CHECKS_AT_ONCE,
  LINK_PASSWORD_CHECKS_OF_ACCOUNT,
  LINK_PASSWORD_CHECKS_OF_LINK,
  LINK_PASSWORD_TRIES,
} from '../../../src/domain/links/link-limits.ts';
import type { ShareLink } from '../../../src/domain/links/share-links.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import { createMemoryCore } from '../memory-core.ts';

const ACCOUNT = 'owner' as AccountId;
const OWNER = '198.51.100.1';
const GUESSER = '203.0.113.9';
/**
 * A hash in the form of `hashPassword`, of cost 2^10, r=8, p=1: a check takes 3 ms in place of 210.
 * How slow the service's own hashes are is tested in crypto/password.test.ts.
 */
function quickHash(password: string): string {
  const salt = Buffer.alloc(16, 7);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  return ['scrypt', 10, 8, 1, salt.toString('base64'), hash.toString('base64')].join('$');
}

it('a source that has guessed too often must wait, also for what another one knows', async () => {
  const core = createMemoryCore();
  const check = createCheckSharePassword(core, 'a secret of the server');
  const passwordHash = quickHash('right one');
  const link = { id: 'A'.repeat(22), passwordHash, passwordRevision: 1 } as ShareLink;
  expect(await check(link, ACCOUNT, 'right one', OWNER)).toEqual({ kind: 'right' });

  for (let at = 0; at < LINK_PASSWORD_TRIES; at++)
    expect(await check(link, ACCOUNT, `wrong ${at}`, GUESSER)).toEqual({ kind: 'wrong' });
  const waiting = await check(link, ACCOUNT, 'wrong again', GUESSER);
  expect(waiting.kind).toBe('wait');
  expect((await check(link, ACCOUNT, 'right one', GUESSER)).kind).toBe('wait');

  expect(await check(link, ACCOUNT, 'right one', OWNER)).toEqual({ kind: 'right' });
});

it('a source that must wait costs no call of the directory', async () => {
  const core = createMemoryCore();
  let asked = 0;
  const directory = {
    ...core.ports.directory,
    call: async (name: string) => {
      if (name === 'countAttempt') asked += 1;
      return { waitMs: 5000 };
    },
  } as unknown as typeof core.ports.directory;
  const waiting = { ...core, ports: { ...core.ports, directory } };
  const check = createCheckSharePassword(waiting, 'a secret of the server');
  const link = { id: 'A'.repeat(22), passwordHash: 'none', passwordRevision: 1 } as ShareLink;
  for (const seconds of [5, 5, 5])
    expect(await check(link, ACCOUNT, 'guess', GUESSER)).toEqual({ kind: 'wait', seconds });
  expect(asked).toBe(1);
  core.advanceSeconds(5);
  await check(link, ACCOUNT, 'guess', GUESSER);
  expect(asked).toBe(2);
});

describe('places of checks', () => {
  /** Begins checks of wrong passwords, each from a source of its own; how many are refused. */
  async function flood(count: number, linkOf: (at: number) => string) {
    const core = createMemoryCore();
    const check = createCheckSharePassword(core, 'a secret of the server');
    const passwordHash = quickHash('right one');
    const of = (id: string) => ({ id, passwordHash, passwordRevision: 1 }) as ShareLink;
    const all = Array.from({ length: count }, (_, at) =>
      check(of(linkOf(at)), ACCOUNT, 'wrong', `10.0.0.${at}`),
    );
    const other = check(of('other'), 'another' as AccountId, 'right one', OWNER);
    const settled = await Promise.allSettled(all);
    const refused = settled.filter(({ status }) => status === 'rejected').length;
    return { refused, other: await other };
  }

  it('are never all of one link', async () => {
    const mine = LINK_PASSWORD_CHECKS_OF_LINK + LINK_PASSWORD_CHECKS_AT_ONCE;
    const { refused, other } = await flood(mine + 5, () => 'attacked');
    expect([refused, other]).toEqual([5, { kind: 'right' }]);
  });

  it('are never all of one account, however many links it has', async () => {
    const mine = LINK_PASSWORD_CHECKS_OF_ACCOUNT + LINK_PASSWORD_CHECKS_AT_ONCE;
    const { refused, other } = await flood(mine + 10, (at) => `link ${at}`);
    expect([refused, other]).toEqual([10, { kind: 'right' }]);
  });
});
