import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type NodeBindings, serve } from '../../../src/adapters/node/serve.ts';
import { DIRECT, readRequest } from '../../../src/adapters/node/server/http-request.ts';
import { createClientReader } from '../../../src/adapters/node/server/trusted-proxies.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import type { FastPath } from '../../../src/http/delivery/fast-path/fast-path.ts';
import { createStockedCore } from '../fast-path/both-paths.ts';
import { openRawClient } from '../kit/raw-socket.ts';

type Sent = { readonly for?: string; readonly proto?: string };

/** What a reader that trusts `ranges` makes of a request over a plain connection from `peer`. */
function seen(ranges: readonly string[], peer: string, sent: Sent, isEncrypted = false) {
  const headers: Record<string, string | undefined> = {
    'x-forwarded-for': sent.for,
    'x-forwarded-proto': sent.proto,
  };
  const client = createClientReader(ranges)(
    { address: peer, isEncrypted },
    (name) => headers[name] ?? null,
  );
  return [client.remoteAddress, client.isSecure];
}

function protocolSeen(
  ranges: readonly string[],
  peer: string,
  proto?: string,
  isEncrypted = false,
) {
  const header = (name: string) => (name === 'x-forwarded-proto' ? (proto ?? null) : null);
  return createClientReader(ranges)({ address: peer, isEncrypted }, header).knownProtocol;
}

const INSIDE = ['10.0.0.0/8', 'fd00::/8', '127.0.0.1'];

describe('a client reader', () => {
  it('trusts no proxy by default', () => {
    expect(seen([], '127.0.0.1', { for: '1.2.3.4', proto: 'https' })).toEqual(['127.0.0.1', false]);
    expect(seen([], '::ffff:192.0.2.1', {}, true)).toEqual(['192.0.2.1', true]);
  });

  it('trusts no unnamed proxy', () => {
    expect(seen(INSIDE, '192.0.2.1', { for: '10.0.0.1', proto: 'https' })).toEqual([
      '192.0.2.1',
      false,
    ]);
    expect(seen(INSIDE, '2001:db8::1', { for: '10.0.0.1' }, true)).toEqual(['2001:db8::1', true]);
  });

  it.each([
    ['one proxy', '10.0.0.1', { for: '192.0.2.7', proto: 'https' }, '192.0.2.7', true],
    ['a proxy over IPv6', 'fd00::5', { for: '2001:DB8::7', proto: 'http' }, '2001:db8::7', false],
    [
      'an IPv4 proxy on a socket for both',
      '::ffff:10.1.2.3',
      { for: '192.0.2.7' },
      '192.0.2.7',
      false,
    ],
    ['a chain', '127.0.0.1', { for: '192.0.2.7, 10.9.9.9 ,10.1.1.1' }, '192.0.2.7', false],
    [
      'what the client wrote in front',
      '10.0.0.1',
      { for: '10.0.0.9, 6.6.6.6, 192.0.2.7' },
      '192.0.2.7',
      false,
    ],
    ['nonsense in front', '10.0.0.1', { for: 'unknown, <x>, 192.0.2.7' }, '192.0.2.7', false],
    ['a port behind the address', '10.0.0.1', { for: '192.0.2.7:4711' }, '192.0.2.7', false],
    ['a port behind IPv6', '10.0.0.1', { for: '[2001:db8::7]:4711' }, '2001:db8::7', false],
    ['a client inside', '10.0.0.1', { for: '10.3.3.3, 10.2.2.2' }, '10.3.3.3', false],
    ['the proxy itself', '10.0.0.1', {}, '10.0.0.1', false],
  ] as const)('finds the client behind %s', (_name, peer, sent, address, isSecure) => {
    expect(seen(INSIDE, peer, sent)).toEqual([address, isSecure]);
  });

  it('says that the client is unknown rather than name a proxy', () => {
    expect(seen(INSIDE, '10.0.0.1', { for: 'unknown' })).toEqual([null, false]);
    expect(seen(INSIDE, '10.0.0.1', { for: '192.0.2.7, ' })).toEqual([null, false]);
    expect(seen(INSIDE, '10.0.0.1', { for: '1.2.3' })).toEqual([null, false]);
    expect(seen(INSIDE, '10.0.0.1', { for: Array(1000).fill('10.0.0.2').join() })).toEqual([
      null,
      false,
    ]);
  });

  it('takes the scheme of the hop that the client used', () => {
    const hops = '192.0.2.7, 10.0.0.2';
    expect(seen(INSIDE, '10.0.0.1', { for: hops, proto: 'https, http' })).toEqual([
      '192.0.2.7',
      true,
    ]);
    expect(seen(INSIDE, '10.0.0.1', { for: hops, proto: 'HTTPS' })).toEqual(['192.0.2.7', true]);
    expect(seen(INSIDE, '10.0.0.1', { for: '6.6.6.6, 192.0.2.7', proto: 'https, http' })).toEqual([
      '192.0.2.7',
      false,
    ]);
    expect(seen(INSIDE, '10.0.0.1', { for: '192.0.2.7', proto: 'https, https, http' })).toEqual([
      '192.0.2.7',
      false,
    ]);
    expect(seen(INSIDE, '10.0.0.1', { proto: '' }, true)).toEqual(['10.0.0.1', true]);
  });
});

describe('the protocol that a client used', () => {
  it.each([
    ['plain, from anybody', [], '192.0.2.1', undefined, false, null],
    ['plain, with words of a stranger', [], '192.0.2.1', 'http', false, null],
    ['plain, from a stranger beside the proxies', INSIDE, '192.0.2.1', 'https', false, null],
    ['TLS that ends here', [], '192.0.2.1', undefined, true, 'https'],
    ['from a proxy that says it', INSIDE, '10.0.0.1', 'http', false, 'http'],
    ['from a proxy that says https', INSIDE, '10.0.0.1', 'HTTPS', false, 'https'],
    ['from a proxy that says nothing', INSIDE, '10.0.0.1', undefined, false, null],
    ['from a proxy that says something else', INSIDE, '10.0.0.1', 'quic', true, null],
  ] as const)('is known or not: %s', (_name, ranges, peer, proto, isEncrypted, known) => {
    expect(protocolSeen(ranges, peer, proto, isEncrypted)).toBe(known);
  });

  it.each([{ hasFastConnections: true }, { hasFastConnections: false }])(
    'decides where a site leads, at the fast path too: %j',
    async ({ hasFastConnections }) => {
      const { ports, settings } = await createStockedCore();
      const reading = { ...DIRECT, readClient: createClientReader(['127.0.0.0/8']) };
      const app = createApp<NodeBindings>(ports, { ...parseConfig({}), ...settings }, ({ env }) =>
        readRequest(env, reading),
      );
      const hot: number[] = [];
      const answer: FastPath['answer'] = (read, askProtocol) => {
        const reply = app.fastPath.answer(read, askProtocol);
        if (reply !== null) hot.push(reply.status);
        return reply;
      };
      const fastPath = { ...app.fastPath, ...reading, answer };
      const server = await serve(app.fetch, {
        host: '127.0.0.1',
        port: 0,
        log: ports.log,
        fastPath,
        hasFastConnections,
      });
      const visit = async (proto: string) => {
        const headers = {
          host: 'www.hosted.test',
          'x-forwarded-for': '192.0.2.7',
          'x-forwarded-proto': proto,
        };
        const reply = await new Promise<IncomingMessage>((resolve, reject) => {
          get(`${server.url}/LICENSE`, { headers }, resolve).on('error', reject);
        });
        reply.resume();
        return [reply.statusCode, reply.headers.location];
      };
      try {
        for (let round = 0; round < 3; round++) {
          expect(await visit('http')).toEqual([301, 'https://www.hosted.test/LICENSE']);
          expect(await visit('https')).toEqual([200, undefined]);
        }
        expect(hot).toEqual([301, 200, 301, 200]);
      } finally {
        await server.close(0);
      }
    },
  );
});

describe('a request behind a trusted proxy', () => {
  it('shows the client over the wire, repeated headers joined', async () => {
    const reading = { ...DIRECT, readClient: createClientReader(['127.0.0.0/8']) };
    const log = createConsoleLog(systemClock, 'off');
    const answer = (_request: Request, bindings: NodeBindings) => {
      const { remoteAddress, isSecure } = readRequest(bindings, reading);
      return new Response(`${remoteAddress} ${isSecure}`);
    };
    const server = await serve(answer, { host: '127.0.0.1', port: 0, log });
    try {
      const client = await openRawClient(server.url);
      client.send(
        'GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 10.0.0.1\r\nX-Forwarded-For: 192.0.2.7\r\n',
      );
      client.send('X-Forwarded-Proto: https\r\nConnection: close\r\n\r\n');
      expect(await client.closed()).toContain('192.0.2.7 true');
    } finally {
      await server.close(0);
    }
  });
});
