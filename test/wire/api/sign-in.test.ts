// Where browsers sign in, and with which cookie: over TLS or on their own machine, in a private
// network with a warning, and over other plain http not at all.
import { expect, it } from 'vitest';
import { apiClient } from '../kit/clients/json-api.ts';
import { client, describeCore, itUnless } from '../kit/clients/suite.ts';

const { target } = client;
const secret = { accessKeyId: target.accessKey, secretAccessKey: target.secretKey };
/** Our own servers believe here what these headers say of the client. */
const cameFrom = (address: string) => ({
  'x-forwarded-for': address,
  'cf-connecting-ip': address,
});
const foreignReason = target.isTemporary ? null : 'another server does not believe these headers';
/** Over TLS nothing comes by plain http. */
const plainReason = target.url.startsWith('https:') ? 'the server speaks HTTPS' : foreignReason;
const LAN = { host: '192.168.7.5:9000', ...cameFrom('192.168.7.9') };
const api = apiClient(client);

describeCore('sign-in', () => {
  const transport = target.url.startsWith('https:') ? 'secure' : 'local';

  it('says for everybody how it is done here', async () => {
    const { status, json } = await api.call('GET', '/sign-in-options');
    expect([status, json.transport, json.s3Endpoint]).toEqual([200, transport, target.url]);
    expect(json.ways).toEqual(expect.arrayContaining(['password', 'access-key']));
    expect((await apiClient(client).call('POST', '/sign-in-options')).status).toBe(405);
  });

  it('gives a cookie for TLS, and says how one is connected', async () => {
    const { status, json, headers } = await api.call('POST', '/sessions', secret);
    expect([status, json.transport]).toEqual([201, transport]);
    const [cookie = ''] = (headers['set-cookie'] ?? '').split(';');
    expect(cookie).toMatch(/^__Host-quayside=/);
    const me = await apiClient(client, { cookie }).call('GET', '/me');
    expect([me.status, me.json.transport]).toEqual([200, transport]);
    await apiClient(client, { cookie }).call('DELETE', '/sessions/current');
  });

  itUnless(plainReason)('in a private network gives a cookie for there alone', async () => {
    const { status, json, headers } = await api.call('POST', '/sessions', secret, LAN);
    expect([status, json.transport]).toEqual([201, 'private-http']);
    const [cookie = ''] = (headers['set-cookie'] ?? '').split(';');
    expect(cookie).toMatch(/^quayside-http=/);
    const me = (more: Record<string, string>) => api.call('GET', '/me', undefined, more);
    expect((await me({ ...LAN, cookie })).json.transport).toBe('private-http');
    expect((await me({ cookie })).status).toBe(401);
    expect((await me({ cookie: cookie.replace('quayside-http', '__Host-quayside') })).status).toBe(
      401,
    );
    expect((await api.call('DELETE', '/sessions', undefined, { ...LAN, cookie })).status).toBe(204);
  });

  itUnless(plainReason)('over other plain http is refused, and says why', async () => {
    const elsewhere = { host: 'store.example.org', ...cameFrom('203.0.113.9') };
    for (const headers of [elsewhere, { ...LAN, ...cameFrom('203.0.113.9') }]) {
      const { status, json } = await api.call('POST', '/sessions', secret, headers);
      expect([status, json.code]).toEqual([403, 'InsecureTransport']);
      const options = await api.call('GET', '/sign-in-options', undefined, headers);
      expect([options.json.transport, options.json.ways]).toEqual(['public-http', []]);
    }
  });
});
