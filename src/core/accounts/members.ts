// Members: people of an account, who sign in with a login and a password, or with a
// passkey. Called by the JSON API, which checks who may do it.
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

/** Creates an account with a random id, of the form of S3's canonical user ids. */
export async function createAccount(core: Core, displayName: string): Promise<AccountRecord> {
  const { directory, clock } = core.ports;
  const id = randomBytes(32).toHex() as AccountId;
  const account = { id, displayName, createdAtMs: clock.nowMs(), isEnabled: true, revision: 1 };
  await directory.call('addAccount', { account });
  return account;
}

/** Taken logins that an account may try in an hour before it waits. Ours. */
export const TAKEN_LOGINS_FREE = 20;

/**
 * Adds a member. Without a password it signs in by passkey alone, once one is
 * registered. Logins are unique in the server, so a caller that tries many taken
 * ones is slowed down: nobody shall enumerate them. `isOperator`: it knows all
 * logins anyway. LoginTaken, TooManyRequests.
 */
export async function addMember(
  core: Core,
  request: Pick<MemberRecord, 'accountId' | 'login' | 'displayName' | 'role'> & {
    readonly password: string | null;
  },
  isOperator: boolean,
): Promise<MemberRecord> {
  if (isOperator) return makeMember(core, request);
  const { background, directory, clock } = core.ports;
  const subject = sha256Hex(`logins of ${request.accountId}`);
  const attempt = { subject, free: TAKEN_LOGINS_FREE, nowMs: clock.nowMs() };
  const { waitMs } = await directory.call('countAttempt', attempt);
  requireNoWait(waitMs, 'Too many of these names were taken. Try again later.');
  const member = await makeMember(core, request);
  // The member exists by now: a later failure must not make the response say that
  // it does not.
  background.run('uncount-attempt', () => directory.call('uncountAttempt', { subject }));
  return member;
}

async function makeMember(
  core: Core,
  request: Parameters<typeof addMember>[1],
): Promise<MemberRecord> {
  const { directory, clock, ids } = core.ports;
  const { password, ...fields } = request;
  const member = {
    ...fields,
    id: ids.recordId(),
    isEnabled: true,
    hasPassword: password !== null,
    createdAtMs: clock.nowMs(),
    revision: 1,
  };
  const passwordHash = password === null ? null : await hashPassword(password);
  await directory.call('addMember', { member, passwordHash });
  return member;
}

/**
 * Proves a member by login and password. An unknown login takes as long as a wrong
 * password (no timing oracle). InvalidCredentials, TooManyRequests.
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
 * Changes a password, proved by the old one, and ends the member's other sessions,
 * with `endTokens` its tokens too. InvalidCredentials, TooManyRequests,
 * NoSuchMember.
 */
export async function changePassword(
  core: Core,
  member: Pick<MemberRecord, 'accountId' | 'id'> & { readonly sessionId: string | null },
  request: {
    readonly currentPassword: string;
    readonly newPassword: string;
    readonly endTokens: boolean;
  },
  from: SignInFrom,
): Promise<EndedCredentials> {
  const { directory } = core.ports;
  const { accountId, id, sessionId } = member;
  const record = await directory.call('getMember', { accountId, id });
  if (record === null) throw new StorageError('NoSuchMember');

  await proveSecret(core, { name: `login:${record.login}`, isGuessable: true }, from, async () => {
    const login = await directory.call('findLogin', { login: record.login });
    const isRight = await isPassword(request.currentPassword, login?.passwordHash ?? null);
    return isRight ? { isRight, proof: null } : { isRight, suspected: suspectedOf(record) };
  });

  return directory.call('setPassword', {
    accountId,
    id,
    passwordHash: await hashPassword(request.newPassword),
    exceptId: sessionId,
    endTokens: request.endTokens,
  });
}
