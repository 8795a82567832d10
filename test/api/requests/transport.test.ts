// How requests come, and what follows for sign-in: which cookie a browser gets, where that cookie
// is taken, and where nobody signs in.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  passkeyDomainOf,
  type Transport,
  transportOf,
} from '../../../src/api/requests/transport.ts';
import { createMemoryCore } from '../../core/memory-core.ts';
import { makeRequest } from '../../http/s3/kit/make-request.ts';
import { apiOver, ROOT } from '../api-over.ts';

type Way = {
  readonly host: string;
  readonly from?: string | null;
  readonly tls?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
};

function requestOf({ host, from = '203.0.113.9', tls = false, headers = {} }: Way) {
  const knownProtocol = tls ? 'https' : null;
  const request = makeRequest({ target: '/', headers: { host, ...headers }, knownProtocol });
  return { ...request, remoteAddress: from };
}

const SAME = { 'sec-fetch-site': 'same-origin' };

describe('a request', () => {
  it.each<[Transport, Way]>([
    ['secure', { host: 'store.example.org', tls: true }],
    ['secure', { host: '192.168.1.5:9000', tls: true, from: '192.168.1.7' }],
    ['secure', { host: 'store.example.org', headers: { origin: 'https://store.example.org' } }],
    ['secure', { host: 'store.example.org', headers: SAME }],
    ['secure', { host: '192.168.1.5', from: '192.168.1.7', headers: SAME }],
    ['local', { host: 'localhost:9000', from: '127.0.0.1' }],
    ['local', { host: 'localhost', headers: SAME }],
    ['local', { host: 'Store.LocalHost', from: '127.0.0.1' }],
    ['local', { host: '127.0.0.1:9000', from: '172.17.0.1' }],
    ['local', { host: '[::1]:9000', from: '::1' }],
    ['private-http', { host: '192.168.1.5:9000', from: '192.168.1.7' }],
    ['private-http', { host: '10.0.0.2', from: '127.0.0.1' }],
    ['private-http', { host: '172.31.255.1', from: '10.1.1.1' }],
    ['private-http', { host: '169.254.3.4', from: '169.254.3.5' }],
    ['private-http', { host: '[fd00::5]:9000', from: 'fd00::7' }],
    ['private-http', { host: '[fe80::5]', from: 'fe80::7' }],
    ['public-http', { host: '192.168.1.5', from: '203.0.113.9' }],
    ['public-http', { host: '192.168.1.5', from: null }],
    ['public-http', { host: '203.0.113.5', from: '192.168.1.7' }],
    ['public-http', { host: '172.32.0.1', from: '172.32.0.2' }],
    ['public-http', { host: '[2001:db8::5]', from: '2001:db8::7' }],
    ['public-http', { host: 'nas.local', from: '192.168.1.7' }],
    ['public-http', { host: 'store.example.org', headers: { origin: 'http://store.example.org' } }],
    ['public-http', { host: '192.168.1.5.example.org', from: '192.168.1.7' }],
    ['public-http', { host: '', from: '192.168.1.7' }],
  ])('comes %s as %j', (transport, way) => {
    expect(transportOf(requestOf(way))).toBe(transport);
  });

  it.each<[string | null, Way]>([
    ['store.example.org', { host: 'Store.example.org:8443', tls: true }],
    ['localhost', { host: 'localhost:9000' }],
    [null, { host: '127.0.0.1:9000' }],
    [null, { host: '[::1]:9000', tls: true }],
    [null, { host: '203.0.113.5', tls: true }],
    [null, { host: 'store.example.org' }],
    [null, { host: '', tls: true }],
  ])('may show passkeys of %s, as %j', (domain, way) => {
    expect(passkeyDomainOf(requestOf(way))).toBe(domain);
  });
});

describe('sign-in', () => {
  let api: ReturnType<typeof apiOver>;
  const secret = { accessKeyId: ROOT.id, secretAccessKey: ROOT.secret };
  const LAN = { overHttp: { host: '192.168.1.5:9000' }, from: '192.168.1.7' } as const;
  const PUBLIC = { overHttp: { host: 'store.example.org' }, from: '192.0.2.1' } as const;

  beforeEach(() => {
    api = apiOver(createMemoryCore());
  });

  const signIn = (way: object) => api.send('POST', '/sessions', { ...way, body: secret });
  const cookieOf = (reply: { headers: Headers }) => reply.headers.get('set-cookie') ?? '';
  const sent = (cookie: string) => ({ cookie: cookie.split(';')[0] ?? '' });
  const meBy = (cookie: string, way: object) => api.send('GET', '/me', { ...way, by: { cookie } });

  it('over TLS gives the cookie that browsers keep for TLS', async () => {
    const reply = await signIn({});
    expect([reply.status, reply.json.transport]).toEqual([201, 'secure']);
    expect(cookieOf(reply)).toMatch(/^__Host-quayside=\w{32}; Path=\/; Secure; HttpOnly; /);
    const me = await api.send('GET', '/me', { by: sent(cookieOf(reply)) });
    expect([me.status, me.json.transport]).toEqual([200, 'secure']);
  });

  it('in a private network gives another one, which signs out as well', async () => {
    const reply = await signIn(LAN);
    expect([reply.status, reply.json.transport]).toEqual([201, 'private-http']);
    const cookie = cookieOf(reply);
    expect(cookie).toMatch(/^quayside-http=\w{32}; Path=\/-\/; HttpOnly; SameSite=Strict; /);
    const me = await api.send('GET', '/me', { ...LAN, by: sent(cookie) });
    expect([me.status, me.json.transport]).toEqual([200, 'private-http']);

    const out = await api.send('DELETE', '/sessions/current', { ...LAN, by: sent(cookie) });
    expect(cookieOf(out)).toMatch(/^quayside-http=; .*Max-Age=0$/);
    expect((await api.send('GET', '/me', { ...LAN, by: sent(cookie) })).status).toBe(401);
  });

  it('in a private network is worth nothing elsewhere, under either name', async () => {
    const [, text] = /=(\w+)/.exec(cookieOf(await signIn(LAN))) ?? [];
    const elsewhere = { overHttp: LAN.overHttp, from: '203.0.113.9' };
    for (const way of [{}, PUBLIC, elsewhere]) {
      expect((await meBy(`quayside-http=${text}`, way)).status).toBe(401);
    }
    for (const way of [{}, LAN, PUBLIC]) {
      expect((await meBy(`__Host-quayside=${text}`, way)).status).toBe(401);
    }
    const secure = /=(\w+)/.exec(cookieOf(await signIn({})))?.[1];
    expect((await meBy(`quayside-http=${secure}`, LAN)).status).toBe(401);
    expect((await meBy(`quayside-http=${text}`, LAN)).status).toBe(200);
  });

  it('over other plain http is refused before the secret is looked at', async () => {
    for (const body of [secret, { ...secret, secretAccessKey: 'wrong' }]) {
      const { status, json, headers } = await api.send('POST', '/sessions', { ...PUBLIC, body });
      expect([status, json.code]).toEqual([403, 'InsecureTransport']);
      expect(JSON.stringify(json)).toContain('https');
      expect(headers.get('set-cookie')).toBeNull();
    }
  });

  it('behind a proxy that nobody named is taken by what the browser says', async () => {
    const overHttp = { ...PUBLIC.overHttp, ...SAME, origin: 'https://store.example.org' };
    const reply = await signIn({ ...PUBLIC, overHttp });
    expect([reply.status, reply.json.transport]).toEqual([201, 'secure']);
    expect(cookieOf(reply)).toContain('; Secure; ');
  });

  it.each<[object, object]>([
    [
      {},
      {
        transport: 'secure',
        ways: ['passkey', 'password', 'access-key'],
        passkeyDomain: 'memory.test',
        s3Endpoint: 'https://memory.test',
      },
    ],
    [LAN, { transport: 'private-http', ways: ['password', 'access-key'], passkeyDomain: null }],
    [PUBLIC, { transport: 'public-http', ways: [], passkeyDomain: null }],
  ])('says by itself how it is done here: %j', async (way, expected) => {
    const { status, json } = await api.send('GET', '/sign-in-options', way);
    expect(status).toBe(200);
    expect(json).toMatchObject({ ...expected, region: 'auto' });
    expect(Object.keys(json).sort()).toEqual(
      ['passkeyDomain', 'region', 's3Endpoint', 'transport', 'version', 'ways'].sort(),
    );
  });
});
