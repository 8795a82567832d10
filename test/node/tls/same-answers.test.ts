// Plain HTTP/1.1, HTTP/1.1 over TLS and HTTP/2 give the same answers, from the fast path and from
// the full one: status, headers and body, for every kind of object, bucket and host.

import { type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { describe, expect, it, vi } from 'vitest';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { withPorts } from '../../core/memory-core.ts';
import {
  CAPPED_TARGETS,
  createStockedCore,
  GONE_TARGETS,
  HOSTED_HOSTS,
  KEYS,
  PUBLIC_BUCKET,
  RULED_TARGETS,
  SITE_BUCKET,
  SITE_KEYS,
  timeless,
  WEBSITE_DOMAIN,
} from '../fast-path/both-paths.ts';
import { HOSTED_TARGETS } from '../fast-path/fuzz-vocabulary.ts';
import { connectSession, requestOn, startApp } from './tls-kit.ts';

// Some seconds alone, more where everything else runs too.
vi.setConfig({ testTimeout: 120_000 });

type Asked = {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
};
type Answered = { status: number; headers: Readonly<Record<string, string>>; body: string };
type Client = (asked: Asked) => Promise<Answered>;

/** What belongs to the connection, or is fresh in each answer. */
const LEFT_OUT = new Set([
  'connection',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-amz-request-id',
  'x-amz-id-2',
]);

function comparable(
  status: number,
  given: Readonly<Record<string, string | undefined>>,
  body: Buffer,
): Answered {
  // HTTP/2 says the length of what HTTP/1.1 sends in chunks.
  const hasLength = given['transfer-encoding'] === undefined && body.length > 0;
  const entries = Object.entries(given).flatMap(([name, value = '']): [string, string][] => {
    if (name.startsWith(':') || LEFT_OUT.has(name)) return [];
    if (name === 'content-length') return hasLength ? [[name, value]] : [];
    return [[name, value.replace(/dur=[\d.]+/g, 'dur=')]];
  });
  if (given['content-length'] === undefined && body.length > 0)
    entries.push(['content-length', `${body.length}`]);
  const headers = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  return { status, headers, body: timeless(body) };
}

function clientOverHttp1(url: string): Client {
  const { hostname, port, protocol } = new URL(url);
  const isTls = protocol === 'https:';
  const agent = isTls
    ? new TlsAgent({ keepAlive: true, maxSockets: 8 })
    : new PlainAgent({ keepAlive: true, maxSockets: 8 });
  return ({ method, target, host, headers }) =>
    new Promise((resolve, reject) => {
      const options = {
        hostname,
        port,
        agent,
        method,
        path: target,
        headers: { host, ...headers },
      };
      const onResponse = (incoming: IncomingMessage) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const given = Object.fromEntries(
            Object.entries(incoming.headersDistinct).map(([name, values]) => [
              name,
              values?.join(', '),
            ]),
          );
          resolve(comparable(incoming.statusCode ?? 0, given, Buffer.concat(chunks)));
        });
      };
      const call = isTls
        ? requestTls({ ...options, rejectUnauthorized: false, servername: '' }, onResponse)
        : requestPlain(options, onResponse);
      call.on('error', reject).end();
    });
}

function clientOverHttp2(session: ClientHttp2Session): Client {
  return async ({ method, target, host, headers }) => {
    const pseudo = { ':method': method, ':path': target, ':authority': host };
    const reply = await requestOn(session, { ...pseudo, ...headers });
    return comparable(reply.status, reply.headers, reply.body);
  };
}

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { range: 'bytes=2-5' },
  { range: 'bytes=900000-' },
  { 'if-none-match': '*' },
  { 'if-match': '"none"' },
  { 'accept-encoding': 'gzip, br', 'user-agent': 'Mozilla/5.0' },
  { accept: 'text/html', 'sec-fetch-mode': 'navigate' },
  { referer: 'http://friend.test/a' },
  { origin: 'http://h' },
  { authorization: 'AWS4-HMAC-SHA256 nonsense' },
];

function* requests(): Iterable<Asked> {
  const objects = [
    ...KEYS.map((key) => `/${PUBLIC_BUCKET}/${encodeURIComponent(key).replaceAll('%2F', '/')}`),
    ...GONE_TARGETS,
    ...RULED_TARGETS,
    ...CAPPED_TARGETS,
    `/${PUBLIC_BUCKET}/inline?x-id=GetObject`,
    `/${PUBLIC_BUCKET}?list-type=2`,
    '/',
    '/-/health',
    '/-/ready',
    '/-/console/',
  ];
  const at = (host: string, targets: readonly string[]) =>
    targets.flatMap((target) =>
      ['GET', 'HEAD'].flatMap((method) =>
        HEADERS.slice(0, method === 'GET' ? HEADERS.length : 2).map((headers) => ({
          method,
          target,
          host,
          headers,
        })),
      ),
    );
  yield* at('h.test', objects);
  yield* at(
    `${SITE_BUCKET}.${WEBSITE_DOMAIN}`,
    [...SITE_KEYS, '', 'none', 'a'].map((key) => `/${key}`),
  );
  for (const host of HOSTED_HOSTS) yield* at(host, HOSTED_TARGETS);
}

describe('plain HTTP/1.1, TLS and HTTP/2', () => {
  it('give the same answers, most of those to plain reads by the fast path', async () => {
    const core = await createStockedCore();
    const fast = { plain: 0, tls: 0, http2: 0 };
    const start = (name: keyof typeof fast, isHttp2On: boolean | null) =>
      startApp(withPorts(core, { meter: createUsageMeter(core.ports.clock) }), {
        tls: isHttp2On === null ? null : { isHttp2On },
        onFastAnswer: () => {
          fast[name] += 1;
        },
      });
    const [plain, tls, http2] = [
      await start('plain', null),
      await start('tls', false),
      await start('http2', true),
    ];
    const clients: readonly Client[] = [
      clientOverHttp1(plain.url),
      clientOverHttp1(tls.url),
      clientOverHttp2(connectSession(http2.port)),
    ];
    const asked = [...requests()];
    // Memory, which the three share, learns of everything first.
    for (let at = 0; at < asked.length; at += 8)
      await Promise.all(asked.slice(at, at + 8).map((one) => clients[0]?.(one)));
    for (const key of Object.keys(fast)) fast[key as keyof typeof fast] = 0;

    const different: unknown[] = [];
    for (const one of asked) {
      const [overPlain, overTls, overHttp2] = await Promise.all(
        clients.map((client) => client(one)),
      );
      if (JSON.stringify(overTls) !== JSON.stringify(overHttp2))
        different.push({ one, overTls, overHttp2 });
      // Only where an answer says how it was asked may TLS differ from plain HTTP.
      const asPlain = JSON.stringify(overTls).replaceAll('https://', 'http://');
      const plainText = JSON.stringify(overPlain).replaceAll('https://', 'http://');
      if (asPlain !== plainText) different.push({ one, overPlain, overTls });
    }
    expect(different.slice(0, 3)).toEqual([]);
    expect(different).toHaveLength(0);
    expect(asked.length).toBeGreaterThan(1600);
    expect(Math.min(fast.plain, fast.tls, fast.http2)).toBeGreaterThan(asked.length / 3);
  });
});
