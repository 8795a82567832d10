// Passkeys, with an authenticator in software: registered by a member who is signed in, then enough
// to sign in.
import { expect, it } from 'vitest';
import { createAuthenticator } from '../kit/clients/authenticator.ts';
import { apiClient, signIn, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const nobody = apiClient(client);
const url = new URL(client.target.url);
const site = { rpId: url.hostname, origin: url.origin };
const PASSWORD = 'correct horse battery';

async function member() {
  const root = await tokenClient(client);
  const login = `passkey-${crypto.randomUUID().slice(0, 8)}`;
  const made = await root.call('POST', '/members', {
    login,
    displayName: 'Ada',
    role: 'reader',
    password: PASSWORD,
  });
  const session = await nobody.call('POST', '/sessions', { login, password: PASSWORD });
  const cookie = (session.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  return { root, id: made.json.id as string, api: apiClient(client, { cookie }) };
}

const challengeOf = async (api: typeof nobody, path: string) =>
  (await api.call('POST', path)).json.challenge as string;

describeCore('passkeys', () => {
  it('are registered once, sign in, and are removed', async () => {
    const { root, id, api } = await member();
    const phone = createAuthenticator(site);
    const options = await api.call('POST', '/passkeys/registration-options');
    expect([
      options.status,
      options.json.rp.id,
      options.json.authenticatorSelection.residentKey,
    ]).toEqual([200, site.rpId, 'required']);
    const passkey = phone.register(options.json.challenge);
    const made = await api.call('POST', '/passkeys', { name: 'Phone', passkey });
    expect([made.status, made.json]).toMatchObject([
      201,
      { id: phone.id, name: 'Phone', lastUsedAt: null },
    ]);
    expect((await api.call('POST', '/passkeys', { name: 'Again', passkey })).json.code).toBe(
      'InvalidInput',
    );

    const challenge = await challengeOf(nobody, '/passkeys/authentication-options');
    const shown = phone.authenticate(challenge);
    const session = await nobody.call('POST', '/sessions', { passkey: shown });
    expect([session.status, session.json.memberId]).toEqual([201, id]);
    const entered = apiClient(client, {
      cookie: (session.headers['set-cookie'] ?? '').split(';')[0] ?? '',
    });
    expect((await entered.call('GET', '/me')).json).toMatchObject({ memberId: id, role: 'reader' });
    expect((await nobody.call('POST', '/sessions', { passkey: shown })).json.code).toBe(
      'InvalidCredentials',
    );
    const listed = (await entered.call('GET', '/passkeys')).json.items;
    expect([listed.length, typeof listed[0].lastUsedAt]).toEqual([1, 'string']);

    const again = phone.authenticate(await challengeOf(nobody, '/passkeys/authentication-options'));
    const lost = await nobody.call('POST', '/sessions', { passkey: again });
    const thief = apiClient(client, {
      cookie: (lost.headers['set-cookie'] ?? '').split(';')[0] ?? '',
    });
    expect((await thief.call('GET', '/me')).status).toBe(200);
    expect((await entered.call('DELETE', `/passkeys/${phone.id}`)).status).toBe(204);
    // What else signed in with it ends with it; a session of the password goes on.
    expect([
      (await thief.call('GET', '/me')).status,
      (await api.call('GET', '/me')).status,
    ]).toEqual([401, 200]);
    expect((await entered.call('DELETE', `/passkeys/${phone.id}`)).json.code).toBe('NoSuchPasskey');
    const late = phone.authenticate(await challengeOf(nobody, '/passkeys/authentication-options'));
    expect((await nobody.call('POST', '/sessions', { passkey: late })).json.code).toBe(
      'InvalidCredentials',
    );
    expect((await root.call('DELETE', `/members/${id}`)).status).toBe(204);
  });

  it('of another site, another challenge or another person are worth nothing', async () => {
    const [ada, eve] = [await member(), await member()];
    const phone = createAuthenticator(site);
    const register = async (by: typeof ada, challenge: string, origin?: string) =>
      (
        await by.api.call('POST', '/passkeys', {
          name: 'x',
          passkey: phone.register(challenge, origin),
        })
      ).status;
    const options = '/passkeys/registration-options';
    expect(await register(ada, await challengeOf(ada.api, options), 'https://evil.example')).toBe(
      400,
    );
    expect(await register(eve, await challengeOf(ada.api, options))).toBe(400);
    expect(await register(ada, Buffer.from('made up challenge').toString('base64url'))).toBe(400);
    expect(await register(ada, await challengeOf(nobody, '/passkeys/authentication-options'))).toBe(
      400,
    );
    expect(await register(ada, await challengeOf(ada.api, options))).toBe(201);

    const enter = async (make: (challenge: string) => unknown) => {
      const challenge = await challengeOf(nobody, '/passkeys/authentication-options');
      return (await nobody.call('POST', '/sessions', { passkey: make(challenge) })).json.code;
    };
    const other = createAuthenticator(site);
    for (const make of [
      (challenge: string) => phone.authenticate(challenge, { origin: 'https://evil.example' }),
      (challenge: string) => phone.authenticate(challenge, { rpId: 'evil.example' }),
      (challenge: string) => phone.authenticate(challenge, { isVerified: false }),
      (challenge: string) => ({ ...other.authenticate(challenge), id: phone.id, rawId: phone.id }),
      (challenge: string) => other.authenticate(challenge),
      () => phone.authenticate(Buffer.from('made up challenge').toString('base64url')),
    ]) {
      expect(await enter(make)).toBe('InvalidCredentials');
    }
    expect(await enter((challenge) => phone.authenticate(challenge))).toBe(undefined);
    const token = await tokenClient(client);
    expect((await token.call('POST', options)).json.code).toBe('AccessDenied');
    const cookie = await signIn(client, client.target.accessKey, client.target.secretKey);
    expect((await apiClient(client, { cookie }).call('POST', options)).json.code).toBe(
      'NoSuchMember',
    );
  });
});
