// What every directory must keep of invitations and preferences: one member of one invitation, and
// of two changes of one state one wins. Part of directory.contract.ts.
import { describe, expect } from 'vitest';
import type { MemberRecord } from '../../src/domain/account-records.ts';
import type { Invitation, InvitationMaker } from '../../src/domain/invitations.ts';
import type { AccountId } from '../../src/domain/nouns.ts';
import type { Directory } from '../../src/ports/directory.ts';
import { fresh, START_MS } from './index/samples.ts';
import { type Subject, testsOf } from './subject.ts';

const HOUR = 3_600_000;

export function invitationsContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);

  const ROOT: InvitationMaker = { memberId: null, accessKeyId: 'root-key', role: 'owner' };

  async function add(
    directory: Directory,
    change: Partial<Invitation> = {},
    max = 10,
    maker = ROOT,
  ) {
    const invitation: Invitation = {
      id: fresh('invited'),
      accountId: fresh('account') as AccountId,
      login: null,
      displayName: 'Ada',
      role: 'reader',
      createdAtMs: START_MS,
      expiresAtMs: START_MS + HOUR,
      acceptedAtMs: null,
      ...change,
    };
    const digest = fresh('digest');
    const noted = { digest, invitation, maker, forgetBeforeMs: START_MS, max };
    await directory.call('addInvitation', noted);
    return { digest, invitation };
  }
  const acceptance = (
    { digest, invitation }: Awaited<ReturnType<typeof add>>,
    attemptId: string,
    nowMs = START_MS,
  ) => {
    const { id, accountId, displayName, role } = invitation;
    const own = { login: fresh('login'), isEnabled: true, hasPassword: true, revision: 1 };
    const member = { id, accountId, displayName, role, createdAtMs: nowMs, ...own };
    return { digest, attemptId, member, passwordHash: 'hash', passkey: null, nowMs };
  };

  describe(`invitations: ${subject.name}`, () => {
    test('make one member, whoever else tries and however often one does', async (directory) => {
      const made = await add(directory);
      const { accountId, id } = made.invitation;
      const first = acceptance(made, 'first');
      for (const _ of [1, 2]) expect(await directory.call('acceptInvitation', first)).toBe('open');
      expect(await directory.call('acceptInvitation', acceptance(made, 'second'))).toBe('used');
      expect(await directory.call('getMember', { accountId, id })).toEqual(first.member);
      const { digest } = made;
      expect(await directory.call('findInvitation', { digest, nowMs: START_MS })).toEqual({
        invitation: { ...made.invitation, acceptedAtMs: START_MS },
        state: 'used',
      });
      expect(await directory.call('removeInvitation', { accountId, id })).toBe(false);
    });

    test('make no other member than the one that was invited', async (directory) => {
      const made = await add(directory);
      const own = acceptance(made, 'own');
      const others = [
        { ...own, member: { ...own.member, id: fresh('another') } },
        { ...own, member: { ...own.member, accountId: fresh('account') as AccountId } },
      ];
      for (const other of others)
        expect(await directory.call('acceptInvitation', other)).toBe(null);
      expect(await directory.call('acceptInvitation', own)).toBe('open');
    });

    test('end, are taken back, and stay open when the login is taken', async (directory) => {
      const made = await add(directory);
      const late = acceptance(made, 'late', START_MS + HOUR);
      expect(await directory.call('acceptInvitation', late)).toBe('expired');
      const other = await add(directory);
      const taken = acceptance(other, 'a');
      expect(await directory.call('acceptInvitation', taken)).toBe('open');
      const again = acceptance(made, 'b');
      const clash = { ...again, member: { ...again.member, login: taken.member.login } };
      await expect(directory.call('acceptInvitation', clash)).rejects.toMatchObject({
        code: 'LoginTaken',
      });
      const { accountId, id } = made.invitation;
      expect(await directory.call('removeInvitation', { accountId, id })).toBe(true);
      expect(await directory.call('acceptInvitation', again)).toBe(null);
      expect(await directory.call('listInvitations', { accountId, after: '', limit: 9 })).toEqual(
        [],
      );
    });

    test('end when who made them goes, is disabled or gets another role', async (directory) => {
      const { accountId } = (await add(directory)).invitation;
      const owner = { ...acceptance(await add(directory), '').member, accountId, role: 'owner' };
      const stateAfter = async (change: 'none' | 'remove' | 'disable' | 'demote') => {
        const member = { ...owner, id: fresh('maker'), login: fresh('login') } as MemberRecord;
        await directory.call('addMember', { member, passwordHash: 'hash' });
        const maker = { memberId: member.id, accessKeyId: null, role: 'owner' } as const;
        const { digest, invitation } = await add(directory, { accountId }, 10, maker);
        const kept = { ...member, passwordHash: null, endTokens: false };
        if (change === 'remove') await directory.call('removeMember', member);
        if (change === 'disable')
          await directory.call('updateMember', { ...kept, isEnabled: false });
        if (change === 'demote') await directory.call('updateMember', { ...kept, role: 'admin' });
        const found = await directory.call('findInvitation', { digest, nowMs: START_MS });
        const listed = await directory.call('listInvitations', { accountId, after: '', limit: 99 });
        return [found?.state, listed.some(({ id }) => id === invitation.id)];
      };
      expect(await stateAfter('none')).toEqual(['open', true]);
      for (const change of ['remove', 'disable', 'demote'] as const)
        expect([change, ...(await stateAfter(change))]).toEqual([change, 'ended', false]);
    });

    test('are at most so many that are open', async (directory) => {
      const { invitation } = await add(directory);
      const { accountId } = invitation;
      await expect(add(directory, { accountId }, 1)).rejects.toMatchObject({
        code: 'InvalidRequest',
      });
      const after = { accountId, createdAtMs: START_MS + HOUR, expiresAtMs: START_MS + 2 * HOUR };
      const second = await add(directory, after, 1);
      const page = await directory.call('listInvitations', { accountId, after: '', limit: 9 });
      expect(page.map(({ id }) => id).toSorted()).toEqual(
        [invitation.id, second.invitation.id].toSorted(),
      );
    });

    test('preferences: of two changes of one state one wins', async (directory) => {
      const of = { accountId: fresh('account') as AccountId, holder: 'member m' };
      expect(await directory.call('getPreferences', of)).toBe(null);
      const put = (json: string, revision: number) =>
        directory.call('putPreferences', { ...of, json, revision });
      for (const _ of [1, 2]) expect(await put('{"a":1}', 0)).toBe(1);
      await expect(put('{"b":1}', 0)).rejects.toMatchObject({ code: 'PreconditionFailed' });
      expect(await put('{"b":1}', 1)).toBe(2);
      expect(await directory.call('getPreferences', of)).toEqual({ json: '{"b":1}', revision: 2 });
    });
  });
}
