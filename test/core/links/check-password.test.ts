// Passwords of share links: wrong ones are counted by source, and what one source has shown to know
// lets no other guess without being counted.
import { expect, it } from 'vitest';
import { createCheckSharePassword } from '../../../src/core/links/share/check-password.ts';
import { hashPassword } from '../../../src/crypto/password.ts';
import { LINK_PASSWORD_TRIES } from '../../../src/domain/links/link-limits.ts';
import type { ShareLink } from '../../../src/domain/links/share-links.ts';
import { createMemoryCore } from '../memory-core.ts';

const OWNER = '198.51.100.1';
const GUESSER = '203.0.113.9';
/** Time for a dozen hashes on a busy machine, milliseconds. */
const HASHES_MS = 60_000;

it(
  'makes a source wait that has guessed too often, also for what another one knows',
  async () => {
    const core = createMemoryCore();
    const check = createCheckSharePassword(core, 'a secret of the server');
    const passwordHash = await hashPassword('right one');
    const link = { id: 'A'.repeat(22), passwordHash, passwordRevision: 1 } as ShareLink;
    expect(await check(link, 'right one', OWNER)).toEqual({ kind: 'right' });

    for (let at = 0; at < LINK_PASSWORD_TRIES; at++)
      expect(await check(link, `wrong ${at}`, GUESSER)).toEqual({ kind: 'wrong' });
    const waiting = await check(link, 'wrong again', GUESSER);
    expect(waiting.kind).toBe('wait');
    expect((await check(link, 'right one', GUESSER)).kind).toBe('wait');

    expect(await check(link, 'right one', OWNER)).toEqual({ kind: 'right' });
  },
  HASHES_MS,
);
