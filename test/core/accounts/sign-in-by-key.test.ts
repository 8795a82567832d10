// Signing in by an access key: whoever shows its secret hears why it is of no use, and nobody else
// does.
import { expect, it } from 'vitest';
import { createAccessKey } from '../../../src/core/accounts/access-keys.ts';
import { proveByAccessKey } from '../../../src/core/accounts/sign-in.ts';
import { createAccessKeyFinder } from '../../../src/core/auth/find-access-key.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { createMemoryCore } from '../memory-core.ts';

const HOUR_SECONDS = 3600;
const OWNER = { role: 'owner', scopes: null, endsAtMs: null } as const;

/** A key of the operator that expires in an hour. */
async function setUp() {
  const core = createMemoryCore();
  const find = createAccessKeyFinder(core, { id: 'root-key', secret: 'root-secret' }, []);
  const { key, secret } = await createAccessKey(core, {
    accountId: ROOT_ACCOUNT.id,
    name: 'n',
    scope: null,
    expiresAtMs: core.ports.clock.nowMs() + HOUR_SECONDS * 1000,
    maker: OWNER,
  });
  const signIn = (secretAccessKey: string) =>
    proveByAccessKey(
      core,
      find,
      { accessKeyId: key.id, secretAccessKey },
      { source: '192.0.2.1', requestId: 'R1' },
    );
  return { core, key, secret, signIn };
}

it('a key signs in until the moment at which it expires', async () => {
  const { core, key, secret, signIn } = await setUp();
  core.advanceSeconds(HOUR_SECONDS - 1);
  expect(await signIn(secret)).toMatchObject({ role: 'owner', accessKeyId: key.id });
  core.advanceSeconds(1);
  await expect(signIn(secret)).rejects.toMatchObject({ code: 'AccessKeyExpired' });
});

it('a disabled key says so to its holder', async () => {
  const { core, key, secret, signIn } = await setUp();
  await core.ports.directory.call('updateAccessKey', { ...key, isEnabled: false });
  await expect(signIn(secret)).rejects.toMatchObject({ code: 'AccessKeyDisabled' });
});

it.each(['expired', 'disabled'])('that a key is %s is told to nobody else', async (state) => {
  const { core, key, signIn } = await setUp();
  if (state === 'expired') core.advanceSeconds(HOUR_SECONDS);
  else await core.ports.directory.call('updateAccessKey', { ...key, isEnabled: false });
  await expect(signIn('wrong')).rejects.toMatchObject({ code: 'InvalidCredentials' });
});
