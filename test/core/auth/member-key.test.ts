// The keys that members have without anybody making them: never one that somebody made, and never
// more than the role.
import { expect, it } from 'vitest';
import { createAccessKey } from '../../../src/core/accounts/access-keys.ts';
import { createAccessKeyFinder } from '../../../src/core/auth/find-access-key.ts';
import { isMemberKeyId, memberKeyId } from '../../../src/core/auth/member-key.ts';
import type { ApiCaller } from '../../../src/core/auth/permissions.ts';
import type { Role } from '../../../src/domain/accounts.ts';
import type { AccessKeyId } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { createMemoryCore } from '../memory-core.ts';

const accountId = ROOT_ACCOUNT.id;
const maker: ApiCaller = {
  ...{ accountId, role: 'owner', memberId: null, accessKeyId: null, scopes: null },
  ...{ by: { kind: 'session', id: 'test' }, credentialDigest: null, provenAtMs: 0, endsAtMs: null },
};

async function withMember(role: Role, isEnabled = true) {
  const core = createMemoryCore();
  const member = {
    id: 'member1',
    accountId,
    login: 'ada',
    displayName: 'Ada',
    createdAtMs: 0,
    revision: 1,
  };
  await core.ports.directory.call('addMember', {
    member: { ...member, role, isEnabled, hasPassword: false },
    passwordHash: null,
  });
  return createAccessKeyFinder(core, { id: 'root-key', secret: 'root-secret' }, []);
}

it('member keys differ from all keys that are made by their ids', async () => {
  const core = createMemoryCore();
  for (let made = 0; made < 100; made++) {
    const { key } = await createAccessKey(core, {
      accountId,
      name: 'k',
      scope: null,
      expiresAtMs: null,
      maker,
    });
    expect([key.id, isMemberKeyId(key.id)]).toEqual([key.id, false]);
  }
  expect(isMemberKeyId(memberKeyId('member1'))).toBe(true);
});

const READS = ['s3:GetObject', 's3:GetObjectVersion', 's3:ListBucket'];
const WRITES = ['s3:PutObject', 's3:PutObjectTagging', 's3:DeleteObject', 's3:DeleteObjectVersion'];
const ACTIONS: Readonly<Record<Role, readonly string[]>> = {
  owner: [...READS, ...WRITES],
  admin: [...READS, ...WRITES],
  member: [...READS, ...WRITES],
  reader: READS,
  billing: [],
};

it('member keys may do with objects what the role may, and sign nobody in', async () => {
  for (const role of Object.keys(ACTIONS) as Role[]) {
    const key = await (await withMember(role))(memberKeyId('member1'));
    expect([role, key?.scope?.actions]).toEqual([role, ACTIONS[role]]);
  }
  expect((await (await withMember('owner'))(memberKeyId('member1')))?.role).toBe(null);
});

it('member keys are none of members that are disabled or unknown', async () => {
  const find = await withMember('owner', false);
  expect(await find(memberKeyId('member1'))).toBe(null);
  expect(await find('QS-member-nobody' as AccessKeyId)).toBe(null);
});
