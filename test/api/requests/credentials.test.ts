// Credentials: who may make and change them, what they can do at most, and with what they end.
import { beforeEach, describe, expect, it } from 'vitest';
import { PROOF_RECENT_MS } from '../../../src/core/accounts/recent-proof.ts';
import { SESSION_MS } from '../../../src/core/accounts/sign-in.ts';
import type { AccessKey, AccessKeyId, AccountId } from '../../../src/domain/nouns.ts';
import { createMemoryCore, type MemoryCore } from '../../core/memory-core.ts';
import { addSignedIn, apiOver, PASSWORD, ROOT } from '../api-over.ts';
import type { Credential } from '../memory-api.ts';

const ADA = { login: 'ada', role: 'owner' } as const;
const ADAS = { login: 'ada', password: PASSWORD };
const ROOT_SECRET = { accessKeyId: ROOT.id, secretAccessKey: ROOT.secret };

let core: MemoryCore;
let api: ReturnType<typeof apiOver>;
let root: Credential;
let ada: Credential;

beforeEach(async () => {
  core = createMemoryCore();
  api = apiOver(core);
  root = await api.signInRoot();
  ada = await addSignedIn(core, ADA);
});

const waitForStaleProof = () => core.advanceSeconds(PROOF_RECENT_MS / 1000);

describe('a narrow token', () => {
  it('neither registers nor removes a passkey, nor changes a password', async () => {
    const narrow = await api.tokenOf(ada, ['usage:read']);
    const full = await api.tokenOf(ada, null);
    const change = { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` };
    for (const by of [narrow, full]) {
      expect(await api.outcome('POST', '/passkeys/registration-options', { by })).toBe(
        'AccessDenied',
      );
      expect(await api.outcome('DELETE', '/passkeys/x', { by })).toBe('AccessDenied');
      expect(await api.outcome('PUT', '/me/password', { by, body: change })).toBe('AccessDenied');
      expect(await api.outcome('POST', '/sessions/current/proof', { by, body: ADAS })).toBe(
        'AccessDenied',
      );
    }
    expect(await api.outcome('POST', '/passkeys/registration-options', { by: ada })).toBe(200);
  });

  it('for members makes nobody, and gives no password or role, that may do more', async () => {
    const by = await api.tokenOf(root, ['members:write', 'members:read']);
    const eve = { login: 'eve', displayName: 'Eve' };
    for (const role of ['owner', 'admin', 'reader']) {
      expect(await api.outcome('POST', '/members', { by, body: { ...eve, role } })).toBe(
        'AccessDenied',
      );
    }
    const { items } = (await api.send('GET', '/members', { by })).json;
    const path = `/members/${items[0].id}`;
    for (const body of [{ password: 'another password' }, { role: 'reader' }]) {
      expect(await api.outcome('PATCH', path, { by, body })).toBe('AccessDenied');
    }
    expect(
      await api.outcome('PATCH', path, { by, body: { displayName: 'Ada L.', isEnabled: false } }),
    ).toBe(200);
    expect(await api.outcome('PATCH', path, { by, body: { isEnabled: true } })).toBe(
      'AccessDenied',
    );
    const full = await api.tokenOf(root, null);
    expect(await api.outcome('PATCH', path, { by: full, body: { isEnabled: true } })).toBe(200);
    expect(await api.outcome('PATCH', path, { by: full, body: { password: 'another one' } })).toBe(
      'AccessDenied',
    );
  });

  it('makes keys that do by S3 what it may do itself', async () => {
    const make = async (scopes: string[], scope: object | null) => {
      const by = await api.tokenOf(root, ['keys:write', ...scopes]);
      const { status, json } = await api.send('POST', '/access-keys', {
        by,
        body: { name: 'k', scope },
      });
      return status === 201 ? json.scope : json.code;
    };
    expect(await make([], null)).toBe('AccessDenied');
    expect(await make(['usage:read'], { buckets: ['photos'] })).toBe('AccessDenied');
    const reading = await make(['objects:read'], null);
    expect(reading).toMatchObject({ buckets: null, prefixes: null, sourceIps: null });
    expect(reading.actions).toContain('s3:GetObject*');
    expect(reading.actions.filter((action: string) => /Put|Delete|Create/.test(action))).toEqual(
      [],
    );
    expect(await make(['objects:read'], { buckets: ['photos'] })).toEqual({
      ...reading,
      buckets: ['photos'],
    });
    const get = { actions: ['s3:GetObject'] };
    expect(await make(['objects:read'], get)).toMatchObject(get);
    for (const action of ['s3:PutObject', 's3:Get*', 's3:*', 'kms:CreateKey']) {
      expect([action, await make(['objects:read'], { actions: [action] })]).toEqual([
        action,
        'AccessDenied',
      ]);
    }
    expect(
      await make(['buckets:read', 'objects:read', 'objects:write'], { actions: ['s3:PutObject'] }),
    ).toMatchObject({
      actions: ['s3:PutObject'],
    });
  });

  it('gets no more out of a key by rotating, widening, prolonging or enabling it', async () => {
    const made = async (rest: object) =>
      (await api.send('POST', '/access-keys', { by: root, body: { name: 'k', ...rest } })).json
        .id as string;
    const reading = { actions: ['s3:GetObject'] };
    const [wide, narrow] = [await made({}), await made({ scope: reading })];
    const by = await api.tokenOf(root, ['keys:write', 'objects:read']);
    const rotate = (id: string) =>
      api.outcome('POST', `/access-keys/${id}/rotate`, { by, body: {} });
    expect([await rotate(wide), await rotate(narrow)]).toEqual(['AccessDenied', 201]);
    const change = (id: string, body: object) =>
      api.outcome('PATCH', `/access-keys/${id}`, { by, body });
    expect(await change(narrow, { scope: null })).toBe('AccessDenied');
    expect(await change(narrow, { scope: { actions: ['s3:*'] } })).toBe('AccessDenied');
    expect(await change(narrow, { scope: { ...reading, buckets: ['photos'] } })).toBe(200);
    const soon = new Date(core.ports.clock.nowMs() + 60_000).toISOString();
    expect(await change(wide, { name: 'm', isEnabled: false, expiresAt: soon })).toBe(200);
    for (const body of [
      { isEnabled: true },
      { expiresAt: null },
      { expiresAt: '2099-01-01T00:00:00Z' },
    ]) {
      expect([body, await change(wide, body)]).toEqual([body, 'AccessDenied']);
    }
  });

  it('makes nothing that outlasts it', async () => {
    const at = (seconds: number) =>
      new Date(core.ports.clock.nowMs() + seconds * 1000).toISOString();
    const [soon, expiresAt, late] = [at(60), at(3600), at(3601)];
    const by = await api.tokenOf(root, null, { expiresAt });
    for (const path of ['/tokens', '/access-keys']) {
      const make = (rest: object) => api.send('POST', path, { by, body: { name: 'x', ...rest } });
      expect((await make({})).json.expiresAt).toBe(expiresAt);
      expect((await make({ expiresAt: soon })).json.expiresAt).toBe(soon);
      expect((await make({ expiresAt: late })).json.code).toBe('AccessDenied');
    }
    const bucket = { name: 'photos' };
    expect(await api.outcome('POST', '/buckets', { by, body: bucket })).toBe(201);
    const urls = { requests: [{ operation: 'get', key: 'x' }], expiresSeconds: 7200 };
    const presigned = (await api.send('POST', '/buckets/photos/presigned-urls', { by, body: urls }))
      .json;
    expect(presigned.expiresAt).toBe(expiresAt);
    expect(presigned.items[0].url).toContain('X-Amz-Expires=3600');
    const { items } = (await api.send('GET', '/access-keys', { by })).json;
    const path = `/access-keys/${items[0].id}`;
    expect(await api.outcome('PATCH', path, { by, body: { expiresAt: late } })).toBe(
      'AccessDenied',
    );
    expect(await api.outcome('PATCH', path, { by, body: { expiresAt: null } })).toBe(
      'AccessDenied',
    );
    const lasting = (await api.send('POST', '/access-keys', { by: root, body: { name: 'x' } })).json
      .id;
    const enable = (isEnabled: boolean) =>
      api.outcome('PATCH', `/access-keys/${lasting}`, { by, body: { isEnabled } });
    expect([await enable(false), await enable(true)]).toEqual([200, 'AccessDenied']);
  });
});

describe('a session', () => {
  it('changes credentials for ten minutes after each proof of a secret', async () => {
    const key = (
      await api.send('POST', '/access-keys', { by: root, body: { name: 'k', scope: {} } })
    ).json.id;
    const { id } = (await api.send('GET', '/members', { by: root })).json.items[0];
    const changes: readonly [string, string, object?][] = [
      ['POST', '/passkeys/registration-options'],
      ['DELETE', '/passkeys/x'],
      ['POST', '/tokens', { name: 't' }],
      ['POST', '/access-keys', { name: 'k' }],
      ['POST', `/access-keys/${key}/rotate`, {}],
      ['PATCH', `/access-keys/${key}`, { scope: null }],
      ['POST', '/members', { login: 'eve', displayName: 'Eve', role: 'owner' }],
      ['PATCH', `/members/${id}`, { role: 'admin' }],
      ['PATCH', `/members/${id}`, { password: 'another password' }],
      ['PUT', '/me/password', { currentPassword: PASSWORD, newPassword: 'another password' }],
    ];
    const outcomes = async () => {
      const outcomes = new Set<string | number>();
      for (const [method, path, body] of changes) {
        outcomes.add(
          await api.outcome(method, path, { by: ada, ...(body === undefined ? {} : { body }) }),
        );
      }
      return outcomes;
    };
    waitForStaleProof();
    expect(await outcomes()).toEqual(new Set(['RecentProofRequired']));
    expect(
      await api.outcome('PATCH', `/access-keys/${key}`, { by: ada, body: { isEnabled: false } }),
    ).toBe(200);
    expect(
      await api.outcome('PATCH', `/members/${id}`, { by: ada, body: { displayName: 'A.' } }),
    ).toBe(200);

    const prove = (body: object, by = ada) =>
      api.send('POST', '/sessions/current/proof', { by, body });
    expect((await prove({ ...ADAS, password: 'wrong' })).json.code).toBe('InvalidCredentials');
    expect((await prove(ROOT_SECRET)).json.code).toBe('InvalidCredentials');
    expect(await outcomes()).toEqual(new Set(['RecentProofRequired']));
    const proved = await prove(ADAS);
    expect([proved.status, proved.json.provenAt]).toEqual([
      200,
      new Date(core.ports.clock.nowMs()).toISOString(),
    ]);
    expect(await api.outcome('POST', '/tokens', { by: ada, body: { name: 't' } })).toBe(201);
    // The proof of one session is none of another's.
    expect(await api.outcome('POST', '/tokens', { by: root, body: { name: 't' } })).toBe(
      'RecentProofRequired',
    );
    expect((await prove(ROOT_SECRET, root)).status).toBe(200);
    expect(await api.outcome('POST', '/tokens', { by: root, body: { name: 't' } })).toBe(201);
  });

  it('is not prolonged by a proof', async () => {
    core.advanceSeconds(SESSION_MS / 1000 - 1);
    expect(
      await api.outcome('POST', '/sessions/current/proof', { by: root, body: ROOT_SECRET }),
    ).toBe(200);
    core.advanceSeconds(1);
    expect(await api.outcome('GET', '/me', { by: root })).toBe('Unauthenticated');
  });
});

describe('sessions and tokens', () => {
  const SEED = { id: 'seed-id' as AccountId, displayName: 'Seed' };
  const seedKey = (secret: string): AccessKey => ({
    id: 'seed-key' as AccessKeyId,
    secret,
    account: SEED,
  });

  it.each([
    [
      'the secret of the root key',
      { root: { ...ROOT, secret: 'new-secret' }, seed: [seedKey('s')] },
      [401, 200],
    ],
    [
      'the id of the root key',
      { root: { ...ROOT, id: 'new-root-key' }, seed: [seedKey('s')] },
      [401, 200],
    ],
    ['the secret of a key of the seed', { root: ROOT, seed: [seedKey('t')] }, [200, 401]],
    ['what keys the seed has', { root: ROOT, seed: [] }, [200, 401]],
    ['nothing', { root: ROOT, seed: [seedKey('s')] }, [200, 200]],
  ] as const)('end after a change of %s', async (_, secrets, expected) => {
    const before = apiOver(core, { root: ROOT, seed: [seedKey('s')] });
    const seeded = await before.signIn({ accessKeyId: 'seed-key', secretAccessKey: 's' });
    const rootToken = await before.tokenOf(root, null);
    const ofRoot = [root, rootToken, await before.tokenOf(rootToken, ['account:read'])];
    const ofSeed = [seeded, await before.tokenOf(seeded, null)];
    for (const by of [...ofRoot, ...ofSeed])
      expect((await before.send('GET', '/me', { by })).status).toBe(200);
    const after = apiOver(core, { ...secrets, seed: [...secrets.seed] });
    const statuses = async (holders: Credential[]) =>
      new Set(
        await Promise.all(
          holders.map(async (by) => (await after.send('GET', '/me', { by })).status),
        ),
      );
    expect(await statuses(ofRoot)).toEqual(new Set([expected[0]]));
    expect(await statuses(ofSeed)).toEqual(new Set([expected[1]]));
    // Members sign in with secrets of their own.
    expect(await statuses([ada])).toEqual(new Set([200]));
  });

  it('end with the access key that signed in, when it expires too', async () => {
    const expiresAt = new Date(core.ports.clock.nowMs() + 60_000).toISOString();
    const key = (
      await api.send('POST', '/access-keys', { by: root, body: { name: 'k', expiresAt } })
    ).json;
    const session = await api.signIn({ accessKeyId: key.id, secretAccessKey: key.secretAccessKey });
    const token = await api.tokenOf(session, null);
    core.advanceSeconds(59);
    for (const by of [session, token]) expect(await api.outcome('GET', '/me', { by })).toBe(200);
    core.advanceSeconds(1);
    for (const by of [session, token])
      expect(await api.outcome('GET', '/me', { by })).toBe('Unauthenticated');
  });

  it('end with a new password, tokens unless requested otherwise, and are counted', async () => {
    await api.signIn(ADAS);
    const tokens = [await api.tokenOf(ada, null), await api.tokenOf(ada, ['usage:read'])];
    const change = (currentPassword: string, newPassword: string, rest: object = {}) =>
      api.send('PUT', '/me/password', { by: ada, body: { currentPassword, newPassword, ...rest } });
    const unended = await change(PASSWORD, 'second password', { endTokens: false });
    expect([unended.status, unended.json]).toEqual([200, { sessions: 1, tokens: 0 }]);
    for (const by of tokens) expect(await api.outcome('GET', '/me', { by })).toBe(200);
    expect((await change('second password', 'third password')).json).toEqual({
      sessions: 0,
      tokens: 2,
    });
    for (const by of tokens)
      expect(await api.outcome('GET', '/me', { by })).toBe('Unauthenticated');

    const { id } = (await api.send('GET', '/members', { by: root })).json.items[0];
    await api.tokenOf(ada, null);
    const reset = (body: object) => api.send('PATCH', `/members/${id}`, { by: root, body });
    expect((await reset({ displayName: 'A.' })).json.ended).toEqual({ sessions: 0, tokens: 0 });
    expect((await reset({ password: 'fourth password' })).json.ended).toEqual({
      sessions: 1,
      tokens: 1,
    });
  });
});

it('a sign-in without a pair of name and secret is refused with the valid pairs', async () => {
  const { status, json } = await api.send('POST', '/sessions', {
    body: { name: 'ada', password: PASSWORD },
  });
  expect([status, json.errors]).toEqual([
    400,
    [{ field: '/', message: expect.stringContaining('login and password') }],
  ]);
});
