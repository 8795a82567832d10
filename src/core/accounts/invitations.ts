// Invitations: an owner names who shall join; whoever has the link makes their own
// password or passkey. Called by the JSON API, which checks who may invite. An
// attempt with a wrong secret is counted like one to sign in.
import { sha256Hex } from '../../crypto/hash.ts';
import { hashPassword } from '../../crypto/password.ts';
import type { Holder } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { Invitation, InvitationMaker } from '../../domain/invitations.ts';
import type { Passkey } from '../../domain/passkeys.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';
import { TAKEN_LOGINS_FREE } from './members.ts';
import { newInvitationText, passkeyDigest, secretDigest } from './secrets.ts';
import { proveSecret, requireNoWait, type SignInFrom } from './sign-in.ts';

/** Most open invitations of an account. Ours. */
const OPEN_MAX = 100;
/** How long an expired invitation can still say that it expired, milliseconds. Ours. */
const EXPIRED_KEPT_MS = 30 * DAY_MS;

/**
 * Makes an invitation; its secret is shown once and stored as a digest. LoginTaken,
 * InvalidRequest (too many are open).
 */
export async function invite(
  core: Core,
  request: Pick<Invitation, 'accountId' | 'login' | 'displayName' | 'role' | 'expiresAtMs'>,
  maker: InvitationMaker,
): Promise<{ readonly invitation: Invitation; readonly secret: string }> {
  const { directory, clock, ids } = core.ports;
  const createdAtMs = clock.nowMs();
  const invitation = { ...request, id: ids.recordId(), createdAtMs, acceptedAtMs: null };
  const secret = newInvitationText();
  await directory.call('addInvitation', {
    digest: secretDigest('invitation', secret) ?? '',
    invitation,
    maker,
    forgetBeforeMs: createdAtMs - EXPIRED_KEPT_MS,
    max: OPEN_MAX,
  });
  return { invitation, secret };
}

/**
 * Finds the open invitation of a secret. InvalidCredentials: nobody has it, which
 * counts as a wrong attempt to sign in. InvitationExpired, InvitationUsed,
 * TooManyRequests. Cost: three calls of the directory.
 */
export function findOpenInvitation(
  core: Core,
  secret: string,
  from: SignInFrom,
): Promise<Invitation> {
  const digest = digestOf(secret);
  // The secret has 160 random bits: only attempts of one source need be slowed.
  const attempted = { name: `invitation:${digest}`, isGuessable: false };
  return proveSecret(core, attempted, from, async () => {
    const { directory, clock } = core.ports;
    const found = await directory.call('findInvitation', { digest, nowMs: clock.nowMs() });
    if (found === null) return { isRight: false, suspected: null };
    requireOpen(found.state);
    return { isRight: true, proof: found.invitation };
  });
}

/** The digest of a secret; of a malformed one, which nobody has, any other. */
const digestOf = (secret: string): string =>
  secretDigest('invitation', secret) ?? sha256Hex(`malformed invitation ${secret}`);

function requireOpen(state: 'open' | 'expired' | 'used' | 'ended'): void {
  if (state === 'used') throw new StorageError('InvitationUsed');
  if (state !== 'open') throw new StorageError('InvitationExpired');
}

/** What whoever accepts has made: one of the two. */
export type NewCredential =
  | { readonly kind: 'password'; readonly password: string }
  | {
      readonly kind: 'passkey';
      readonly passkey: Pick<Passkey, 'id' | 'name' | 'publicKey' | 'counter' | 'transports'>;
    };

/** The login of the member: that of the invitation, or else the chosen one. InvalidInput. */
export function loginOf({ login }: Pick<Invitation, 'login'>, chosen: string | undefined): string {
  const name = login ?? chosen;
  if (name !== undefined && (chosen === undefined || chosen === name)) return name;
  throw new StorageError('InvalidInput', {
    detail: login === null ? 'Choose a login.' : 'The invitation is for another login.',
  });
}

/**
 * Makes the member of an open invitation, in one commit with the credential.
 * LoginTaken, InvitationExpired, InvitationUsed, TooManyRequests (the account tried
 * many taken logins), InvalidInput (the passkey is registered already).
 */
export async function acceptInvitation(
  core: Core,
  { secret, invitation, login }: AcceptedInvitation,
  credential: NewCredential,
): Promise<Holder> {
  const { background, directory, clock, ids } = core.ports;
  const { id, accountId, displayName, role } = invitation;
  const nowMs = clock.nowMs();
  const subject = sha256Hex(`logins of ${accountId}`);
  const attempt = { subject, free: TAKEN_LOGINS_FREE, nowMs };
  const { waitMs } = await directory.call('countAttempt', attempt);
  requireNoWait(waitMs, 'Too many of these names were taken. Try again later.');

  const isPasskey = credential.kind === 'passkey';
  const passkey = isPasskey
    ? { ...credential.passkey, accountId, memberId: id, createdAtMs: nowMs, lastUsedMs: null }
    : null;
  if (passkey !== null && (await directory.call('findPasskey', { id: passkey.id })) !== null)
    throw new StorageError('InvalidInput', { detail: 'This passkey is registered already.' });

  const member = {
    id,
    accountId,
    login,
    displayName,
    role,
    isEnabled: true,
    hasPassword: !isPasskey,
    createdAtMs: nowMs,
    revision: 1,
  };
  const passwordHash = isPasskey ? null : await hashPassword(credential.password);
  const digest = digestOf(secret);
  const accepting = { digest, attemptId: ids.recordId(), member, passwordHash, passkey, nowMs };
  const state = await directory.call('acceptInvitation', accepting);
  requireOpen(state ?? 'expired');
  background.run('uncount-attempt', () => directory.call('uncountAttempt', { subject }));

  const credentialDigest = passkey === null ? null : passkeyDigest(passkey.id);
  return { accountId, role, memberId: id, accessKeyId: null, credentialDigest };
}

/** An open invitation that somebody accepts, under which login. */
export type AcceptedInvitation = {
  readonly secret: string;
  readonly invitation: Invitation;
  readonly login: string;
};
