// Members: people of an account, who sign in with a name and a password or a passkey.
import { sha256Hex } from '../../crypto/hash.ts';
import { hashPassword, isPassword } from '../../crypto/password.ts';
import { randomBytes } from '../../crypto/random-text.ts';
import type {
  AccountRecord,
  EndedCredentials,
  MemberRecord,
} from '../../domain/account-records.ts';
import type { Holder } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { proveSecret, requireNoWait, type SignInFrom } from './sign-in.ts';

/** An account of a random id, of the form of S3's canonical user ids. */
export async function createAccount(core: Core, displayName: string): Promise<AccountRecord> {
  const { directory, clock } = core.ports;
  const id = randomBytes(32).toHex() as AccountId;
  const account = { id, displayName, createdAtMs: clock.nowMs(), isEnabled: true, revision: 1 };
  await directory.call('addAccount', { account });
  return account;
}

/** Logins of others that an account may run into in an hour before it waits. */
const TAKEN_LOGINS_FREE = 20;

/**
 * LoginTaken, TooManyRequests. Without a password a member signs in by passkey alone, once one is
 * registered. Logins are of the whole server, so who asks for many that others have is slowed:
 * nobody shall read off them who is here. `isOperator`: knows all of them anyway.
 */
export async function addMember(
  core: Core,
  wanted: Pick<MemberRecord, 'accountId' | 'login' | 'displayName' | 'role'> & {
    readonly password: string | null;
  },
  isOperator: boolean,
): Promise<MemberRecord> {
  if (isOperator) return makeMember(core, wanted);
  const { background, directory, clock } = core.ports;
  const subject = sha256Hex(`logins of ${wanted.accountId}`);
  const attempt = { subject, free: TAKEN_LOGINS_FREE, nowMs: clock.nowMs() };
  const { waitMs } = await directory.call('countAttempt', attempt);
  requireNoWait(waitMs, 'Too many of these names were taken. Try again later.');
  const member = await makeMember(core, wanted);
  // The member is there by now: nothing that fails behind it may be answered as if it were not.
  background.run('uncount-attempt', () => directory.call('uncountAttempt', { subject }));
  return member;
}

async function makeMember(
  core: Core,
  wanted: Parameters<typeof addMember>[1],
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

/**
 * Whoever knows a password. InvalidCredentials, TooManyRequests. The answer for a login that nobody
 * has takes as long as for a wrong password.
 */
export function proveByPassword(
  core: Core,
  { login, password }: { readonly login: string; readonly password: string },
  from: SignInFrom,
): Promise<Holder> {
  return proveSecret(core, { name: `login:${login}`, isGuessable: true }, from, async () => {
    const member = await core.ports.directory.call('findLogin', { login });
    const isRight = await isPassword(password, member?.passwordHash ?? null);
    if (member === null) return { isRight: false, suspected: null };
    if (!isRight || !member.isEnabled) return { isRight: false, suspected: suspectedOf(member) };
    const { accountId, role, id: memberId } = member;
    return {
      isRight: true,
      proof: { accountId, role, memberId, accessKeyId: null, credentialDigest: null },
    };
  });
}

function suspectedOf({ accountId, login, id }: Pick<MemberRecord, 'accountId' | 'login' | 'id'>) {
  return { accountId, credential: `login ${login}`, memberId: id, accessKeyId: null };
}

/**
 * Changes the password of whoever knows the old one, and ends that member's other sessions, and the
 * tokens where that is wanted. InvalidCredentials, TooManyRequests, NoSuchMember.
 */
export async function changePassword(
  core: Core,
  member: Pick<MemberRecord, 'accountId' | 'id'> & { readonly sessionId: string | null },
  given: {
    readonly currentPassword: string;
    readonly newPassword: string;
    readonly endTokens: boolean;
  },
  from: SignInFrom,
): Promise<EndedCredentials> {
  const { directory } = core.ports;
  const { accountId, id, sessionId } = member;
  const found = await directory.call('getMember', { accountId, id });
  if (found === null) throw new StorageError('NoSuchMember');
  await proveSecret(core, { name: `login:${found.login}`, isGuessable: true }, from, async () => {
    const login = await directory.call('findLogin', { login: found.login });
    const isRight = await isPassword(given.currentPassword, login?.passwordHash ?? null);
    return isRight ? { isRight, proof: null } : { isRight, suspected: suspectedOf(found) };
  });
  const passwordHash = await hashPassword(given.newPassword);
  const { endTokens } = given;
  return directory.call('setPassword', {
    accountId,
    id,
    passwordHash,
    exceptId: sessionId,
    endTokens,
  });
}
