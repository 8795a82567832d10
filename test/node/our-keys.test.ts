// Access keys that Quayside makes itself: nobody guesses their secrets, so wrong ones shut nobody
// out. Signing in tells such keys by their ids.
import { expect, it } from 'vitest';
import { loadRootKey } from '../../src/adapters/node/process/root-key.ts';
import { createAccessKey } from '../../src/core/accounts/access-keys.ts';
import { proveByAccessKey } from '../../src/core/accounts/sign-in.ts';
import type { AccessKey, AccessKeyId } from '../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import { createMemoryCore } from '../core/memory-core.ts';
import { temporaryFolder } from './kit/temporary-folder.ts';

const NO_SETTINGS = { rootAccessKey: null, rootSecretKey: null };
/** More than one name may fail from one source, fewer than the source itself may. */
const WRONG_SECRETS = 20;

const core = createMemoryCore();

async function madeByTheApi() {
  const maker = { role: 'owner', scopes: null, endsAtMs: null } as const;
  const wanted = { accountId: ROOT_ACCOUNT.id, name: 'x', scope: null, expiresAtMs: null, maker };
  const { key, secret } = await createAccessKey(core, wanted);
  return { id: key.id, secret };
}

async function madeAtTheFirstStart() {
  const { accessKey, secretKey } = loadRootKey(NO_SETTINGS, temporaryFolder());
  return { id: accessKey as AccessKeyId, secret: secretKey };
}

const chosenByTheOperator = async () => ({ id: 'AKIACHOSEN' as AccessKeyId, secret: 'hunter2' });

it.each([
  ['made by the API', madeByTheApi, undefined],
  ['made at the first start', madeAtTheFirstStart, undefined],
  ['chosen by the operator', chosenByTheOperator, 'TooManyRequests'],
])(
  'the owner of a key that was %s waits after wrong secrets of it only if somebody may guess it',
  async (_how, make, code) => {
    const key: AccessKey = { ...(await make()), account: ROOT_ACCOUNT };
    const from = { source: key.id, requestId: 'R' };
    const signIn = (secretAccessKey: string) =>
      proveByAccessKey(core, () => key, { accessKeyId: key.id, secretAccessKey }, from).then(
        () => undefined,
        (error) => error.code,
      );
    for (let i = 0; i < WRONG_SECRETS; i++) await signIn('wrong');
    expect(await signIn(key.secret)).toBe(code);
  },
);
