// What every directory must keep of members: whatever changes one makes another revision, and of
// two changes of one revision one wins. Part of directory.contract.ts.
import { describe, expect } from 'vitest';
import type { MemberRecord } from '../../src/domain/account-records.ts';
import type { AccountId } from '../../src/domain/nouns.ts';
import type { Directory, DirectoryApi } from '../../src/ports/directory.ts';
import { fresh, START_MS } from './index/samples.ts';
import { type Subject, testsOf } from './subject.ts';

const NAMED = { displayName: 'Ada', role: 'member', isEnabled: true } as const;
const PASSWORDS = ['hash1', 'hash2'] as const;

export function membersContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);

  /** A member without a password. */
  async function addMember(directory: Directory): Promise<MemberRecord> {
    const accountId = fresh('account') as AccountId;
    const who = { id: fresh('member'), accountId, login: fresh('login') };
    const member = { ...who, ...NAMED, hasPassword: false, createdAtMs: START_MS, revision: 1 };
    await directory.call('addMember', { member, passwordHash: null });
    return member;
  }
  async function addSession(
    directory: Directory,
    { accountId, id: memberId }: MemberRecord,
  ): Promise<string> {
    const id = fresh('session');
    const holder = {
      accountId,
      memberId,
      role: 'member',
      accessKeyId: null,
      credentialDigest: null,
    } as const;
    const times = { createdAtMs: START_MS, expiresAtMs: START_MS + 1000, provenAtMs: START_MS };
    const session = { ...holder, ...times, id, label: '', source: '', lastUsedMs: 0 };
    await directory.call('addSession', { digest: fresh('digest'), session });
    return id;
  }
  async function addToken(
    directory: Directory,
    { accountId, id: memberId }: MemberRecord,
  ): Promise<void> {
    const holder = {
      accountId,
      memberId,
      role: 'member',
      accessKeyId: null,
      credentialDigest: null,
    } as const;
    const rest = {
      id: fresh('token'),
      name: 'n',
      scopes: null,
      createdAtMs: START_MS,
      expiresAtMs: null,
    };
    await directory.call('addToken', { digest: fresh('digest'), token: { ...holder, ...rest } });
  }
  type Update = Omit<Parameters<DirectoryApi['updateMember']>[0], 'endTokens'>;
  const updateOf = async (directory: Directory, update: Update) =>
    (await directory.call('updateMember', { ...update, endTokens: true })).member;
  const sessionsOf = async (directory: Directory, { accountId }: MemberRecord) => {
    const page = { accountId, holder: null, before: '', limit: 10, nowMs: START_MS };
    return (await directory.call('listSessions', page)).map(({ id }) => id);
  };
  const read = async (directory: Directory, { accountId, id }: MemberRecord) => {
    const found = await directory.call('getMember', { accountId, id });
    const login = await directory.call('findLogin', { login: found?.login ?? '' });
    return { ...found, passwordHash: login?.passwordHash };
  };

  describe(`members: ${subject.name}`, () => {
    test('are of another revision after each change, that of a password too', async (directory) => {
      const member = await addMember(directory);
      const { accountId, id } = member;
      const update = (
        revision: number,
        change: { displayName?: string; passwordHash?: string | null },
      ) =>
        updateOf(directory, { ...NAMED, accountId, id, revision, passwordHash: null, ...change });
      for (const _ of [1, 2]) {
        expect(await update(1, { displayName: 'Eve' })).toEqual({
          ...member,
          displayName: 'Eve',
          revision: 2,
        });
      }
      for (const _ of [1, 2]) {
        const changed = await update(2, { passwordHash: PASSWORDS[0] });
        expect(changed).toEqual({ ...member, hasPassword: true, revision: 3 });
      }
      // The names are the same, the password is another: not the change above, sent again.
      await expect(update(2, { passwordHash: PASSWORDS[1] })).rejects.toMatchObject({
        code: 'PreconditionFailed',
      });
      expect(await update(3, {})).toMatchObject({ hasPassword: true, revision: 4 });
      expect(await read(directory, member)).toMatchObject({
        passwordHash: PASSWORDS[0],
        revision: 4,
      });
      for (const _ of [1, 2]) {
        await directory.call('setPassword', {
          accountId,
          id,
          passwordHash: PASSWORDS[1],
          exceptId: null,
          endTokens: false,
        });
        expect(await read(directory, member)).toMatchObject({
          passwordHash: PASSWORDS[1],
          revision: 5,
        });
      }
      await expect(update(4, { displayName: 'Eve' })).rejects.toMatchObject({
        code: 'PreconditionFailed',
      });
    });

    test('lose all sessions but one by a new password', async (directory) => {
      const member = await addMember(directory);
      const { accountId, id } = member;
      const own = await addSession(directory, member);
      await addSession(directory, member);
      const stranger = await addMember(directory);
      const other = await addSession(directory, stranger);
      const tokens = async () => {
        const page = { accountId, holder: null, before: '', limit: 10 };
        return (await directory.call('listTokens', page)).length;
      };
      for (const _ of [1, 2]) await addToken(directory, member);
      await addToken(directory, stranger);
      const set = { accountId, id, exceptId: own };
      const keeping = { ...set, passwordHash: PASSWORDS[1], endTokens: false };
      expect([await directory.call('setPassword', keeping), await tokens()]).toEqual([
        { sessions: 1, tokens: 0 },
        2,
      ]);
      const ending = { ...set, passwordHash: PASSWORDS[0], endTokens: true };
      expect([await directory.call('setPassword', ending), await tokens()]).toEqual([
        { sessions: 0, tokens: 2 },
        0,
      ]);
      expect(await sessionsOf(directory, member)).toEqual([own]);
      const change = { ...NAMED, accountId, id, revision: 3 };
      await updateOf(directory, { ...change, role: 'reader', passwordHash: null });
      expect(await sessionsOf(directory, member)).toEqual([own]);
      await updateOf(directory, { ...change, revision: 4, passwordHash: PASSWORDS[1] });
      expect(await sessionsOf(directory, member)).toEqual([]);
      expect(await sessionsOf(directory, stranger)).toEqual([other]);
    });

    test('who are removed lose their sessions and tokens, and nobody else', async (directory) => {
      const member = await addMember(directory);
      const { accountId, id } = member;
      const colleague = { ...member, id: fresh('colleague') };
      await addSession(directory, member);
      await addToken(directory, member);
      const others = [await addSession(directory, colleague)];

      expect(await directory.call('removeMember', { accountId, id })).toBe(true);
      expect(await read(directory, member)).toEqual({ passwordHash: undefined });
      expect(await sessionsOf(directory, member)).toEqual(others);
      const page = { accountId, holder: null, before: '', limit: 10 };
      expect(await directory.call('listTokens', page)).toEqual([]);
      expect(await directory.call('removeMember', { accountId, id })).toBe(false);
    });

    test('who are unknown or of another account are not removed', async (directory) => {
      const member = await addMember(directory);
      const stranger = await addMember(directory);
      const { accountId } = member;
      const unknown = { ...member, id: fresh('unknown') };
      const ofAnother = { ...stranger, accountId };
      // Sessions of the account under the very ids that are given.
      const sessions = [
        await addSession(directory, member),
        await addSession(directory, unknown),
        await addSession(directory, ofAnother),
      ];
      const own = await addSession(directory, stranger);

      for (const { id } of [unknown, ofAnother])
        expect(await directory.call('removeMember', { accountId, id })).toBe(false);
      expect((await sessionsOf(directory, member)).toSorted()).toEqual(sessions.toSorted());
      expect(await sessionsOf(directory, stranger)).toEqual([own]);
      expect(await read(directory, stranger)).toMatchObject(stranger);
    });

    test('who are not there are not changed', async (directory) => {
      const { accountId } = await addMember(directory);
      const of = { accountId, id: 'nobody' };
      const update = updateOf(directory, { ...NAMED, ...of, revision: 1, passwordHash: null });
      await expect(update).rejects.toMatchObject({ code: 'NoSuchMember' });
      const set = directory.call('setPassword', {
        ...of,
        passwordHash: PASSWORDS[0],
        exceptId: null,
        endTokens: false,
      });
      await expect(set).rejects.toMatchObject({ code: 'NoSuchMember' });
    });
  });
}
