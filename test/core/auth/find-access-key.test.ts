// Access keys of the directory: secrets at rest are encrypted, also that an older program wrote,
// and what has expired or is disabled is as good as none.
import { describe, expect, it } from 'vitest';
import { createAccessKey, rotateAccessKey } from '../../../src/core/accounts/access-keys.ts';
import { associatedDataOf, createAccessKeyFinder } from '../../../src/core/auth/find-access-key.ts';
import { decryptSecret } from '../../../src/core/encryption/encrypted-secret.ts';
import type { AccessKeyId, Account, AccountId } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import type { Directory } from '../../../src/ports/directory.ts';
import type { Background } from '../../../src/ports/system.ts';
import { createMemoryCore, MASTER_KEYS, withPorts } from '../memory-core.ts';

const ROOT = { id: 'root-key', secret: 'root-secret' };
const OLD = 'OLDKEY0123456789' as AccessKeyId;
const OWNER = { role: 'owner', scopes: null, endsAtMs: null } as const;
const ADMIN = { ...OWNER, role: 'admin' } as const;
const NARROW = { ...OWNER, scopes: ['keys:write', 'objects:read'] } as const;
const account: Account = { id: 'account-1' as AccountId, displayName: 'One' };

function setUp() {
  const core = createMemoryCore();
  return { core, find: createAccessKeyFinder(core, ROOT, []), directory: core.ports.directory };
}

describe('access keys', () => {
  it('of an older release are found, and encrypted in the background', async () => {
    const { core, find, directory } = setUp();
    await directory.call('putAccount', { account, keys: [{ id: OLD, secret: 'plain-secret' }] });
    expect(await find(OLD)).toMatchObject({ secret: 'plain-secret', account });
    await core.settle();
    const stored = await directory.call('getAccessKey', { id: OLD });
    expect([stored?.isEncrypted, stored?.secret.includes('plain-secret')]).toEqual([true, false]);
    expect(decryptSecret(MASTER_KEYS, stored?.secret ?? '', associatedDataOf(OLD))).toBe(
      'plain-secret',
    );
    expect(await find(OLD)).toMatchObject({ secret: 'plain-secret' });
  });

  it('are stored encrypted, each for its own id alone', async () => {
    const { core, find, directory } = setUp();
    const wanted = {
      accountId: ROOT_ACCOUNT.id,
      name: 'n',
      scope: null,
      expiresAtMs: null,
      maker: OWNER,
    };
    const { key, secret } = await createAccessKey(core, wanted);
    const stored = await directory.call('getAccessKey', { id: key.id });
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(() => decryptSecret(MASTER_KEYS, stored?.secret ?? '', associatedDataOf(OLD))).toThrow();
    expect(() => decryptSecret([], stored?.secret ?? '', associatedDataOf(key.id))).toThrow();
    expect(await find(key.id)).toMatchObject({ secret, account: ROOT_ACCOUNT });
    await core.settle();
    const [record] = await directory.call('listAccessKeys', {
      accountId: ROOT_ACCOUNT.id,
      after: '',
      limit: 10,
    });
    expect((record?.lastUsedMs ?? 0) % 3_600_000).toBe(0);
    expect(record?.lastUsedMs).toBeGreaterThan(0);
  });

  it.each(['fails', 'dies'] as const)(
    'are noted as used after all when a first note %s, and then once an hour',
    async (fate) => {
      const { core, directory } = setUp();
      const wanted = {
        accountId: ROOT_ACCOUNT.id,
        name: 'n',
        scope: null,
        expiresAtMs: null,
        maker: OWNER,
      };
      const { key } = await createAccessKey(core, wanted);
      let [isWell, notes] = [false, 0];
      const call = ((...given) => {
        if (given[0] === 'noteKeyUsed') {
          notes += 1;
          if (!isWell) throw new Error('away');
        }
        return directory.call(...given);
      }) as Directory['call'];
      const run: Background['run'] = (label, work) => {
        if (isWell || fate === 'fails') core.ports.background.run(label, work);
      };
      const ports = { directory: { ...directory, call }, background: { run } };
      const find = createAccessKeyFinder(withPorts(core, ports), ROOT, []);
      const use = async () => {
        await find(key.id);
        await core.settle();
      };
      await use();
      isWell = true;
      const before = notes;
      await use();
      expect(notes).toBe(before);
      core.advanceSeconds(60);
      await use();
      const [record] = await directory.call('listAccessKeys', {
        accountId: ROOT_ACCOUNT.id,
        after: '',
        limit: 10,
      });
      expect(record?.lastUsedMs).toBeGreaterThan(0);
      core.advanceSeconds(3000);
      await use();
      expect(notes).toBe(before + 1);
      core.advanceSeconds(600);
      await use();
      expect(notes).toBe(before + 2);
    },
  );

  it('end at their time, and a rotated one when its overlap is over', async () => {
    const { core, find } = setUp();
    const wanted = {
      accountId: ROOT_ACCOUNT.id,
      name: 'n',
      scope: null,
      expiresAtMs: null,
      maker: OWNER,
    };
    const { key: old } = await createAccessKey(core, wanted);
    const { key: successor } = await rotateAccessKey(
      core,
      { accountId: ROOT_ACCOUNT.id, id: old.id },
      60_000,
      OWNER,
    );
    core.advanceSeconds(59);
    expect([await find(old.id), await find(successor.id)].map((found) => found !== null)).toEqual([
      true,
      true,
    ]);
    core.advanceSeconds(1);
    expect([await find(old.id), await find(successor.id)].map((found) => found !== null)).toEqual([
      false,
      true,
    ]);
  });

  it.each([
    // Who made the old key, who rotates it, and the role of the new one.
    [OWNER, OWNER, 'owner'],
    [ADMIN, OWNER, 'admin'],
    [OWNER, ADMIN, 'admin'],
    [NARROW, OWNER, null],
    [NARROW, NARROW, null],
  ] as const)(
    'have no more rights when they are rotated than the old one and who does it (%j, %j)',
    async (maker, rotator, role) => {
      const { core } = setUp();
      const accountId = ROOT_ACCOUNT.id;
      const { key } = await createAccessKey(core, {
        accountId,
        name: 'n',
        scope: null,
        expiresAtMs: null,
        maker,
      });
      const made = await rotateAccessKey(core, { accountId, id: key.id }, 60_000, rotator);
      expect(made.key.role).toBe(role);
    },
  );
});
