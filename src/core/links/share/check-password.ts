// Whether a password of a share link is right. A check costs 16 MiB and 0.2 s of a
// core, so few run at once; wrong ones are counted in the directory for each pair of
// link and source, over all processes; a source that must wait asks nobody. Links
// take turns, and none of them, nor all of one account, has all places. What was
// right is remembered for a while, as a keyed digest, for programs that send it with
// each request, and for their source alone: of any other a guess that is remembered
// would cost nothing and never wait.
import { createKeyedHash, sha256Hex } from '../../../crypto/hash.ts';
import { deriveKey } from '../../../crypto/key-wrap.ts';
import { isPassword } from '../../../crypto/password.ts';
import { createSemaphore } from '../../../domain/concurrency/semaphore.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import {
  LINK_PASSWORD_CHECKS_AT_ONCE,
  LINK_PASSWORD_CHECKS_OF_ACCOUNT,
  LINK_PASSWORD_CHECKS_OF_LINK,
  LINK_PASSWORD_CHECKS_WAITING,
  LINK_PASSWORD_MAX_LENGTH,
  LINK_PASSWORD_TRIES,
  LINK_PASSWORD_WAITS_REMEMBERED,
  LINK_PASSWORDS_REMEMBERED,
} from '../../../domain/links/link-limits.ts';
import type { ShareLink } from '../../../domain/links/share-links.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';

export type PasswordOutcome =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  /** Too many were wrong: for so long no password of this source is checked. */
  | { readonly kind: 'wait'; readonly seconds: number };

/** SlowDown while too many others are checked. */
export type CheckSharePassword = (
  link: ShareLink,
  accountId: AccountId,
  password: string,
  remoteAddress: string | null,
) => Promise<PasswordOutcome>;

/** A check that takes longer has lost its process's attention, milliseconds. */
const CHECK_MAX_MS = 30_000;

/** Makes it. `secret`: of the server, for what is remembered. */
export function createCheckSharePassword({ ports }: Core, secret: string): CheckSharePassword {
  const { clock, directory } = ports;
  const hash = createKeyedHash(deriveKey(new TextEncoder().encode(secret), 'quayside passwords 1'));
  const right = new Set<string>();
  /** Until when a subject must wait. */
  const waits = new Map<string, number>();
  const checks = createSemaphore({
    max: LINK_PASSWORD_CHECKS_AT_ONCE,
    queueMax: LINK_PASSWORD_CHECKS_WAITING,
    idleMs: CHECK_MAX_MS,
    nowMs: clock.nowMs,
  });

  /** How long the subject must wait; 0: it may try, which is counted. */
  async function waitMsOf(subject: string): Promise<number> {
    const nowMs = clock.nowMs();
    const untilMs = waits.get(subject) ?? 0;
    if (untilMs > nowMs) return untilMs - nowMs;
    waits.delete(subject);
    const attempt = { subject, free: LINK_PASSWORD_TRIES, nowMs };
    const { waitMs } = await directory.call('countAttempt', attempt);
    if (waitMs === 0) return 0;
    if (waits.size >= LINK_PASSWORD_WAITS_REMEMBERED) waits.clear();
    waits.set(subject, nowMs + waitMs);
    return waitMs;
  }

  return async (link, accountId, password, remoteAddress) => {
    if (password.length > LINK_PASSWORD_MAX_LENGTH) return { kind: 'wrong' };
    const source = networkOf(remoteAddress);
    const known = hash(JSON.stringify([link.id, link.passwordRevision, source, password]));
    if (right.has(known)) return { kind: 'right' };

    const subject = sha256Hex(`share ${link.id} ${source}`);
    const waitMs = await waitMsOf(subject);
    if (waitMs > 0) return { kind: 'wait', seconds: Math.ceil(waitMs / 1000) };

    const permit = await checks.takeOrWait({
      tenant: link.id,
      shares: [
        { name: `source ${source}`, max: LINK_PASSWORD_CHECKS_AT_ONCE },
        { name: `link ${link.id}`, max: LINK_PASSWORD_CHECKS_OF_LINK },
        { name: `account ${accountId}`, max: LINK_PASSWORD_CHECKS_OF_ACCOUNT },
      ],
    });
    try {
      if (!(await isPassword(password, link.passwordHash))) return { kind: 'wrong' };
    } finally {
      permit.release();
    }
    await directory.call('uncountAttempt', { subject });
    if (right.size >= LINK_PASSWORDS_REMEMBERED) right.clear();
    right.add(known);
    return { kind: 'right' };
  };
}
