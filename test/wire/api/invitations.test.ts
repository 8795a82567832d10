// Invitations, by password and by passkey; what a member prefers; what signing in with a key that
// does not work says; and what a session tells of itself.
import { expect, it } from 'vitest';
import { createAuthenticator } from '../kit/clients/authenticator.ts';
import { type ApiReply, apiClient, newAccount, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const fresh = (text: string) => `${text}-${crypto.randomUUID().slice(0, 8)}`;
const PASSWORD = 'correct horse battery';
const secretOf = ({ json }: ApiReply): string => new URL(json.url).hash.slice(1);
const cookieOf = ({ headers }: ApiReply) => (headers['set-cookie'] ?? '').split(';')[0] ?? '';

async function someAccount() {
  const root = await tokenClient(client);
  const signer = await newAccount(root, 'inviting');
  return { root, signer, owner: await tokenClient(client, signer), nobody: apiClient(client) };
}

describeCore('invitations', () => {
  it('make a member once, with a password that nobody else has seen', async () => {
    const { owner, nobody, signer } = await someAccount();
    const login = fresh('ada');
    const request = { login, displayName: 'Ada', role: 'member', expiresInHours: 24 };
    const made = await owner.call('POST', '/invitations', request);
    expect([made.status, made.json]).toMatchObject([
      201,
      { login, displayName: 'Ada', role: 'member', acceptedAt: null },
    ]);
    const secret = secretOf(made);
    expect(made.json.url).toContain('/-/console/invitation#qsi_');
    const listed = await owner.call('GET', '/invitations');
    expect(listed.json.items).toMatchObject([{ id: made.json.id, acceptedAt: null }]);
    expect(JSON.stringify(listed.json)).not.toContain(secret);
    const seen = await nobody.call('POST', '/invitations/lookup', { secret });
    expect([seen.status, seen.json]).toMatchObject([
      200,
      { account: 'inviting', login, role: 'member' },
    ]);

    const other = { secret, login: fresh('eve'), password: PASSWORD };
    expect((await nobody.call('POST', '/invitations/accept', other)).json.code).toBe(
      'InvalidInput',
    );
    const accept = () => nobody.call('POST', '/invitations/accept', { secret, password: PASSWORD });
    const both = await Promise.all([accept(), accept()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 410]);
    const accepted = both.find(({ status }) => status === 201) as ApiReply;
    expect(both.find(({ status }) => status === 410)?.json.code).toBe('InvitationUsed');
    expect(accepted.json.memberId).toBe(made.json.id);
    const ada = apiClient(client, { cookie: cookieOf(accepted) });
    expect((await ada.call('GET', '/me')).json).toMatchObject({
      account: { id: signer.accountId },
      role: 'member',
      memberId: made.json.id,
    });
    const again = await nobody.call('POST', '/sessions', { login, password: PASSWORD });
    expect([again.status, again.json.memberId]).toEqual([201, made.json.id]);
    expect((await nobody.call('POST', '/invitations/lookup', { secret })).json.code).toBe(
      'InvitationUsed',
    );
    expect((await owner.call('DELETE', `/invitations/${made.json.id}`)).json.code).toBe(
      'NoSuchInvitation',
    );
    const log = (await owner.call('GET', '/audit')).json.items;
    const actions = log.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['createInvitation', 'acceptInvitation']));
    expect(JSON.stringify(log)).not.toMatch(/qsi_|correct horse/);
  });

  it('end with the membership of who made them', async () => {
    const { owner, nobody } = await someAccount();
    const login = fresh('grace');
    const grace = { login, displayName: 'Grace', role: 'owner', password: PASSWORD };
    const { id } = (await owner.call('POST', '/members', grace)).json;
    const session = await nobody.call('POST', '/sessions', { login, password: PASSWORD });
    const invited = { displayName: 'Eve', role: 'owner', expiresInHours: 168 };
    const own = apiClient(client, { cookie: cookieOf(session) });
    const secret = secretOf(await own.call('POST', '/invitations', invited));
    expect((await nobody.call('POST', '/invitations/lookup', { secret })).status).toBe(200);
    expect((await owner.call('DELETE', `/members/${id}`)).status).toBe(204);

    const accepted = { secret, login: fresh('eve'), password: PASSWORD };
    for (const reply of [
      await nobody.call('POST', '/invitations/lookup', { secret }),
      await nobody.call('POST', '/invitations/accept', accepted),
    ])
      expect([reply.status, reply.json.code]).toEqual([410, 'InvitationExpired']);
    expect((await owner.call('GET', '/invitations')).json.items).toEqual([]);
  });

  it('are accepted by passkey, taken back, and refused to strangers', async () => {
    const { owner, nobody } = await someAccount();
    const url = new URL(client.target.url);
    const phone = createAuthenticator({ rpId: url.hostname, origin: url.origin });
    const request = { displayName: 'Bob', role: 'reader' };
    const secret = secretOf(await owner.call('POST', '/invitations', request));
    const begin = (body: object) => nobody.call('POST', '/invitations/registration-options', body);
    expect((await begin({ secret })).json.code).toBe('InvalidInput');
    const login = fresh('bob');
    const options = await begin({ secret, login });
    expect([options.status, options.json.user.name]).toEqual([200, login]);
    const registration = phone.register(options.json.challenge);
    const passkey = { name: 'Phone', registration };
    const accepted = await nobody.call('POST', '/invitations/accept', { secret, login, passkey });
    expect([accepted.status, accepted.json.detail]).toEqual([201, undefined]);
    const bob = apiClient(client, { cookie: cookieOf(accepted) });
    expect((await bob.call('GET', '/passkeys')).json.items).toMatchObject([{ id: phone.id }]);

    const made = await owner.call('POST', '/invitations', request);
    const taken = { secret: secretOf(made), login, password: PASSWORD };
    expect((await nobody.call('POST', '/invitations/accept', taken)).json.code).toBe('LoginTaken');
    expect((await owner.call('DELETE', `/invitations/${made.json.id}`)).status).toBe(204);
    const gone = await nobody.call('POST', '/invitations/lookup', { secret: secretOf(made) });
    const malformed = await nobody.call('POST', '/invitations/lookup', { secret: 'x' });
    for (const { status, json } of [gone, malformed])
      expect([status, json.code]).toEqual([401, 'InvalidCredentials']);
    expect((await bob.call('POST', '/invitations', request)).json.code).toBe('AccessDenied');
    const few = { name: 'few', scopes: ['members:write'] };
    const { token } = (await owner.call('POST', '/tokens', few)).json;
    const byToken = apiClient(client, { authorization: `Bearer ${token}` });
    const more = await byToken.call('POST', '/invitations', { ...request, role: 'owner' });
    expect(more.json.code).toBe('AccessDenied');
    const long = { ...request, expiresInHours: 169 };
    expect((await owner.call('POST', '/invitations', long)).json.code).toBe('InvalidInput');
  });
});

describeCore('what is a member’s own', () => {
  it('are preferences, which change with the ETag that was seen', async () => {
    const { root, nobody } = await someAccount();
    const login = fresh('own');
    const member = { login, displayName: 'Own', role: 'reader', password: PASSWORD };
    const { id } = (await root.call('POST', '/members', member)).json;
    const enter = async () =>
      apiClient(client, {
        cookie: cookieOf(await nobody.call('POST', '/sessions', { login, password: PASSWORD })),
      });
    const [desk, phone] = [await enter(), await enter()];
    const path = '/me/preferences';
    const none = await desk.call('GET', path);
    expect([none.status, none.json]).toEqual([
      200,
      { pinned: [], recent: [], language: null, theme: 'system', density: 'comfortable' },
    ]);
    const etag = none.headers.etag ?? '';
    const pinned = [{ bucket: 'photos', prefix: '2026/', label: 'Photos' }];
    const change = { pinned, language: 'zh-CN', theme: 'dark' };
    expect((await desk.call('PUT', path, change)).json.code).toBe('PreconditionRequired');
    const set = await desk.call('PUT', path, change, { 'if-match': etag });
    expect([set.status, set.json]).toMatchObject([200, change]);
    const synced = await phone.call('GET', path);
    expect([synced.json, synced.headers.etag]).toEqual([set.json, set.headers.etag]);
    expect((await phone.call('PUT', path, {}, { 'if-match': etag })).status).toBe(412);
    const many = { pinned: Array.from({ length: 51 }, () => ({ bucket: 'b' })) };
    expect((await desk.call('PUT', path, many, { 'if-match': '*' })).json.code).toBe(
      'InvalidInput',
    );
    const large = {
      recent: Array.from({ length: 20 }, () => ({ bucket: 'b', prefix: 'p'.repeat(1000) })),
    };
    expect((await desk.call('PUT', path, large, { 'if-match': '*' })).json.code).toBe(
      'InvalidInput',
    );
    const others = (await root.call('GET', path)).json;
    expect(others.pinned).toEqual([]);
    expect((await root.call('DELETE', `/members/${id}`)).status).toBe(204);
  });

  it('are sessions, with their network and last use', async () => {
    const { nobody, signer } = await someAccount();
    const key = { accessKeyId: signer.accessKey, secretAccessKey: signer.secretKey };
    const session = await nobody.call('POST', '/sessions', key);
    const own = apiClient(client, { cookie: cookieOf(session) });
    const { items } = (await own.call('GET', '/sessions')).json;
    const current = items.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    expect(current.network).toMatch(/^[0-9a-f.:/]+$/);
    const usedMs = Date.parse(current.lastUsedAt);
    expect([usedMs % 3_600_000, Date.now() - usedMs < 2 * 3_600_000]).toEqual([0, true]);
  });
});

describeCore('signing in with an access key', () => {
  it('says that the key is disabled or has expired, to whoever has its secret', async () => {
    const { owner } = await someAccount();
    const make = async (fields: object) =>
      (await owner.call('POST', '/access-keys', { name: 'k', ...fields })).json;
    const enter = async (id: string, secret: string) => {
      const key = { accessKeyId: id, secretAccessKey: secret };
      return (await apiClient(client).call('POST', '/sessions', key)).json.code;
    };
    const off = await make({});
    const path = `/access-keys/${off.id}`;
    const change = await owner.call('PATCH', path, { isEnabled: false }, { 'if-match': '*' });
    expect(change.status).toBe(200);
    const soon = await make({ expiresAt: new Date(Date.now() + 1500).toISOString() });

    expect(await enter(off.id, off.secretAccessKey)).toBe('AccessKeyDisabled');
    expect(await enter(off.id, 'wrong')).toBe('InvalidCredentials');
    expect(await enter('QSNOBODY', 'wrong')).toBe('InvalidCredentials');
    await expect
      .poll(() => enter(soon.id, soon.secretAccessKey), { timeout: 10_000, interval: 500 })
      .toBe('AccessKeyExpired');
    expect(await enter(soon.id, 'wrong')).toBe('InvalidCredentials');
  });
});
