// Members: people of an account, who sign in with a name and a password or a passkey.
import { hashPassword, isPassword } from '../../crypto/password.ts';
import { randomBytes } from '../../crypto/random-text.ts';
import type { AccountRecord, MemberRecord } from '../../ports/account-records.ts';
import type { AccountId } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { Core } from '../core.ts';
import { attempt, proveSecret, type SignedIn, type SignInFrom } from './sign-in.ts';

/** An account of a random id, of the form of S3's canonical user ids. */
export async function createAccount(core: Core, displayName: string): Promise<AccountRecord> {
  const { directory, clock } = core.ports;
  const id = randomBytes(32).toHex() as AccountId;
  const account = { id, displayName, createdAtMs: clock.nowMs(), isEnabled: true, revision: 1 };
  await directory.call('addAccount', { account });
  return account;
}

/** LoginTaken. Without a password a member signs in by passkey alone, once one is registered. */
export async function addMember(
  core: Core,
  wanted: Pick<MemberRecord, 'accountId' | 'login' | 'displayName' | 'role'> & { readonly password: string | null },
): Promise<MemberRecord> {
  const { directory, clock, ids } = core.ports;
  const { password, ...given } = wanted;
  const member = {
    ...given,
    ...{ id: ids.recordId(), isEnabled: true, hasPassword: password !== null },
    ...{ createdAtMs: clock.nowMs(), revision: 1 },
  };
  const passwordHash = password === null ? null : await hashPassword(password);
  await directory.call('addMember', { member, passwordHash });
  return member;
}

/** InvalidCredentials, TooManyRequests. The answer for a login that nobody has takes as long as for a wrong password. */
export function signInByPassword(
  core: Core,
  { login, password }: { readonly login: string; readonly password: string },
  from: SignInFrom,
): Promise<SignedIn> {
  return attempt(core, `login:${login}`, from, async () => {
    const member = await core.ports.directory.call('findLogin', { login });
    const isRight = await isPassword(password, member?.passwordHash ?? null);
    if (!isRight || member === null || !member.isEnabled) return null;
    return { accountId: member.accountId, role: member.role, memberId: member.id, accessKeyId: null };
  });
}

/**
 * Changes the password of whoever knows the old one, and ends that member's other sessions. InvalidCredentials,
 * TooManyRequests, NoSuchMember.
 */
export async function changePassword(
  core: Core,
  member: Pick<MemberRecord, 'accountId' | 'id'> & { readonly sessionId: string | null },
  given: { readonly currentPassword: string; readonly newPassword: string },
  source: string,
): Promise<void> {
  const { directory } = core.ports;
  const { accountId, id, sessionId } = member;
  const found = await directory.call('getMember', { accountId, id });
  if (found === null) throw new StorageError('NoSuchMember');
  await proveSecret(core, `login:${found.login}`, source, async () => {
    const login = await directory.call('findLogin', { login: found.login });
    return isPassword(given.currentPassword, login?.passwordHash ?? null);
  });
  const passwordHash = await hashPassword(given.newPassword);
  await directory.call('setPassword', { accountId, id, passwordHash, exceptId: sessionId });
}
