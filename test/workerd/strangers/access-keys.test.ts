// What strangers can do with ids of access keys, and what becomes of keys while the directory is
// overloaded or down: who was let in is, for minutes, unless the key was withdrawn.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createDoDirectory } from '../../../src/adapters/cloudflare/clients/do-directory.ts';
import {
  createWithdrawnKeys,
  type WithdrawnKeysOptions,
} from '../../../src/adapters/cloudflare/clients/withdrawn-keys.ts';
import type { AccessKeyRecord } from '../../../src/domain/account-records.ts';
import type { AccessKeyId, AccountId } from '../../../src/domain/nouns.ts';
import { createTestClock } from '../kit/colo-isolate.ts';

type Behaviour = 'works' | 'refuses' | 'breaks' | 'hangs';

let made = 0;
const unique = (what: string) => `${what}-${Date.now().toString(36)}-${++made}`;
const keyId = () => unique('KEY') as AccessKeyId;

/** The directory as an isolate has it; the test says how what is below behaves. */
function isolate(clock = createTestClock()) {
  const state: { is: Behaviour; kv: 'works' | 'fails' } = { is: 'works', kv: 'works' };
  let calls = 0;
  const answers = {
    refuses: () => Promise.reject(Object.assign(new Error('overloaded'), { overloaded: true })),
    breaks: () => Promise.reject(new Error('expected by the test')),
    hangs: () => new Promise<never>(() => undefined),
  } as const;
  const objects = {
    idFromName: (name: string) => env.DIRECTORY.idFromName(name),
    get(id: DurableObjectId) {
      calls += 1;
      return state.is === 'works' ? env.DIRECTORY.get(id) : { call: answers[state.is] };
    },
  } as unknown as typeof env.DIRECTORY;
  const failing = () => Promise.reject(new Error('expected by the test'));
  const kv: WithdrawnKeysOptions['kv'] = {
    // KV shows a write to all places at once here, and repeats nothing.
    get: ((name: string) => (state.kv === 'works' ? env.HOT.get(name) : failing())) as never,
    put: (...values) => (state.kv === 'works' ? env.HOT.put(...values) : failing()),
  };
  const failures: string[] = [];
  const log = { info: () => undefined, error: (event: string) => void failures.push(event) };
  const limitMs = 15_000;
  const directory = createDoDirectory(objects, {
    clock,
    background: { run: () => undefined },
    hostFreshSeconds: 5,
    limitMs,
    withdrawn: createWithdrawnKeys({ kv, clock, log, limitMs }),
  });
  const find = (id: AccessKeyId, isProven = false) =>
    directory.call('getAccessKey', { id, isProven });
  return { directory, find, clock, state, failures, calls: () => calls };
}

/** A key, and an isolate that has found it. */
async function known() {
  const here = isolate();
  const elsewhere = isolate(here.clock);
  const [id, accountId] = [keyId(), unique('account') as AccountId];
  const key: AccessKeyRecord = {
    id,
    accountId,
    name: '',
    scope: null,
    role: null,
    createdAtMs: 0,
    expiresAtMs: null,
    lastUsedMs: null,
    isEnabled: true,
    revision: 1,
  };
  const account = { id: accountId, displayName: '', createdAtMs: 0, isEnabled: true, revision: 1 };
  await elsewhere.directory.call('addAccount', { account });
  await elsewhere.directory.call('addAccessKey', { key, encryptedSecret: 'secret' });
  expect(await here.find(id)).toMatchObject({ id });
  here.clock.ms += 2000;
  return { ...here, elsewhere, id, accountId, key };
}

describe('ids of access keys that strangers make up', () => {
  it('cost the directory a bounded number of calls, and known keys none of theirs', async () => {
    const { find, calls, clock, id } = await known();
    const before = calls();
    const outcomes = await Promise.allSettled(Array.from({ length: 500 }, () => find(keyId())));
    expect(calls() - before).toBe(50);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(450);
    expect(refused[0]).toMatchObject({ reason: { code: 'SlowDown' } });
    // The known one is refreshed, and who has a proven id is looked up.
    clock.ms += 5000 - 2000;
    expect(await find(id)).toMatchObject({ id });
    expect(await find(keyId(), true)).toBe(null);
  });

  it('are remembered for two seconds', async () => {
    const { find, calls, clock } = isolate();
    const id = keyId();
    expect([await find(id), await find(id), calls()]).toEqual([null, null, 1]);
    clock.ms += 2000;
    expect([await find(id), calls()]).toEqual([null, 2]);
  });
});

describe('a key that an isolate knows', () => {
  it.each(['breaks', 'hangs'] as const)(
    'is believed for ten minutes while the directory %s',
    async (how) => {
      const { find, state, clock, id } = await known();
      state.is = how;
      clock.ms += 598_000 - 1;
      expect(await find(id)).toMatchObject({ id });
      clock.ms += 5000;
      state.is = 'breaks';
      await expect(find(id)).rejects.toMatchObject({ code: 'InternalError' });
    },
  );

  it('is believed for ten seconds while the directory is overloaded', async () => {
    const { find, state, clock, id } = await known();
    state.is = 'refuses';
    clock.ms += 7999;
    expect(await find(id)).toMatchObject({ id });
    clock.ms += 5000;
    await expect(find(id)).rejects.toMatchObject({ code: 'SlowDown' });
  });

  it('is asked for once in five seconds meanwhile', async () => {
    const { find, state, clock, calls, id } = await known();
    state.is = 'breaks';
    clock.ms += 60_000;
    const before = calls();
    for (let at = 0; at < 10; at++) expect(await find(id)).toMatchObject({ id });
    expect(calls() - before).toBe(1);
    clock.ms += 5000;
    await find(id);
    expect(calls() - before).toBe(2);
  });

  it.each([
    [
      'removed',
      ({ elsewhere, accountId, id }: Awaited<ReturnType<typeof known>>) =>
        elsewhere.directory.call('removeAccessKey', { accountId, id }),
    ],
    [
      'disabled',
      ({ elsewhere, key }: Awaited<ReturnType<typeof known>>) =>
        elsewhere.directory.call('updateAccessKey', { ...key, isEnabled: false }),
    ],
    [
      'ended with its account',
      ({ elsewhere, accountId }: Awaited<ReturnType<typeof known>>) =>
        elsewhere.directory.call('removeAccount', { id: accountId }),
    ],
    [
      'disabled with its account',
      ({ elsewhere, accountId: id }: Awaited<ReturnType<typeof known>>) =>
        elsewhere.directory.call('updateAccount', {
          id,
          revision: 1,
          displayName: '',
          isEnabled: false,
        }),
    ],
  ])('is not believed while the directory is down once it is %s', async (_what, withdraw) => {
    const isolates = await known();
    const { find, state, clock, id } = isolates;
    await withdraw(isolates);
    state.is = 'breaks';
    clock.ms += 3000;
    await expect(find(id)).rejects.toMatchObject({ code: 'InternalError' });
    state.is = 'works';
    expect((await find(id))?.isEnabled ?? false).toBe(false);
  });

  it('is believed again when it was read after its change', async () => {
    const { find, elsewhere, state, clock, id, key } = await known();
    await elsewhere.directory.call('updateAccessKey', { ...key, name: 'new' });
    clock.ms += 5000;
    expect(await find(id)).toMatchObject({ id });
    state.is = 'breaks';
    clock.ms += 60_000;
    expect(await find(id)).toMatchObject({ id });
  });

  it('is not believed where KV can not say whether it was withdrawn', async () => {
    const { find, state, clock, id } = await known();
    Object.assign(state, { is: 'breaks', kv: 'fails' });
    clock.ms += 60_000;
    await expect(find(id)).rejects.toMatchObject({ code: 'InternalError' });
  });

  it('is withdrawn though KV can not be told, which is logged', async () => {
    const { elsewhere, find, clock, accountId, id } = await known();
    elsewhere.state.kv = 'fails';
    expect(await elsewhere.directory.call('removeAccessKey', { accountId, id })).toBe(true);
    expect(elsewhere.failures).toEqual(['withdrawal-not-marked']);
    clock.ms += 5000;
    expect(await find(id)).toBe(null);
  });
});
