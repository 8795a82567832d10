// Heads of requests and responses on their way between two threads: everything of the request
// itself arrives as it was sent, and nothing that concerns one connection alone.
import { once } from 'node:events';
import { connect } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NodeBindings, type RunningServer, serve } from '../../../src/adapters/node/serve.ts';
import { HandedConnection } from '../../../src/adapters/node/server/handed-connection.ts';
import { createHandOver } from '../../../src/adapters/node/threads/handed-requests.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';

const servers: RunningServer[] = [];
/** What the first server was asked, and the names and values of its headers in turn. */
let received: { url: string; method: string; rawHeaders: string[]; address: unknown }[] = [];
/** What the first server does with a request. */
let answer: (bindings: NodeBindings) => Response | Promise<Response>;
let port = 0;

beforeEach(async () => {
  received = [];
  answer = () => new Response('first');
  const options = {
    host: '127.0.0.1',
    port: 0,
    log: createConsoleLog(systemClock, 'error', () => undefined),
  };
  const first = await serve((_request, bindings) => {
    const { url = '', method = '', rawHeaders, socket } = bindings.incoming;
    received.push({ url, method, rawHeaders, address: socket.remoteAddress });
    return answer(bindings);
  }, options);
  const other = await serve(() => new Response('other'), {
    ...options,
    handOver: createHandOver((peer) => {
      const { port1, port2 } = new MessageChannel();
      first.take(new HandedConnection(port2, peer));
      return new HandedConnection(port1, peer);
    }),
  });
  servers.push(first, other);
  port = Number(new URL(other.url).port);
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

/** Sends that text over a connection of its own, and gives what came until `pattern` did. */
async function send(text: string, pattern = /\r\n\r\n.*(?:first|other)/s): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.write(text);
  let reply = '';
  while (!pattern.test(reply)) reply += (await once(socket, 'data'))[0];
  socket.destroy();
  return reply;
}

const HOST = 'Host: files.test:80\r\n';

describe('a request that is handed over', () => {
  it('is one below the prefix of the system, by its path alone', async () => {
    for (const target of ['/-/a?b=/c', 'http://files.test/-/a'])
      expect(await send(`GET ${target} HTTP/1.1\r\n${HOST}\r\n`)).toMatch(/first$/);
    for (const target of ['/', '/-', '/a/-/b', '/a?/-/', 'http://files.test/b'])
      expect(await send(`GET ${target} HTTP/1.1\r\n${HOST}\r\n`)).toMatch(/other$/);
    expect(received.map(({ url }) => url)).toEqual(['/-/a?b=/c', 'http://files.test/-/a']);
  });

  it('has its headers as they were, but for those of its connection', async () => {
    const lines = 'X-Twice: one\r\nx-twice: two\r\nCookie: a=1\r\n';
    const ofConnection = 'Connection: keep-alive\r\nKeep-Alive: timeout=9\r\nUpgrade: h2c\r\n';
    await send(`GET /-/a HTTP/1.1\r\n${ofConnection}${HOST}${lines}\r\n`);
    expect(received).toMatchObject([{ url: '/-/a', method: 'GET', address: '127.0.0.1' }]);
    expect(received[0]?.rawHeaders).toEqual([
      ...['Host', 'files.test:80'],
      ...['X-Twice', 'one', 'x-twice', 'two', 'Cookie', 'a=1'],
      ...['Connection', 'close'],
    ]);
  });

  it.each(['GET', 'HEAD'])('has no length where a %s had none', async (method) => {
    await send(`${method} /-/a HTTP/1.1\r\n${HOST}\r\n`, /\r\n\r\n/);
    expect(received[0]?.rawHeaders).toEqual(['Host', 'files.test:80', 'Connection', 'close']);
  });

  it.each(['POST', 'DELETE'])('has no body where a %s had none, and says so', async (method) => {
    await send(`${method} /-/a HTTP/1.1\r\n${HOST}\r\n`);
    expect(received[0]?.rawHeaders).toEqual([
      ...['Host', 'files.test:80'],
      ...['Content-Length', '0', 'Connection', 'close'],
    ]);
  });

  it.each([
    ['a length', 'Content-Length: 4\r\n', 'body'],
    ['chunks', 'Transfer-Encoding: chunked\r\n', '4\r\nbody\r\n0\r\n\r\n'],
  ])('has a body by %s, framed but once', async (_, framing, body) => {
    answer = async ({ incoming }) => {
      const chunks = await incoming.toArray();
      return new Response(`${Buffer.concat(chunks)} first`);
    };
    expect(await send(`POST /-/a HTTP/1.1\r\n${HOST}${framing}\r\n${body}`)).toMatch(/body first/);
    const [name = '', value = ''] = framing.trim().split(': ');
    expect(received[0]?.rawHeaders).toEqual([
      ...['Host', 'files.test:80', name, value],
      ...['Connection', 'close'],
    ]);
  });

  it('has a host also where HTTP/1.0 has none, once', async () => {
    await send('GET /-/a HTTP/1.0\r\n\r\n');
    await send(`GET /-/a HTTP/1.0\r\n${HOST}\r\n`);
    const hosts = received.map(({ rawHeaders }) =>
      rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'host'),
    );
    expect(hosts).toEqual([['localhost'], ['files.test:80']]);
  });
});

describe('the response to it', () => {
  it('has its status and headers, but for those of the connection between threads', async () => {
    answer = ({ outgoing }) => {
      outgoing.writeHead(207, 'So It Is', ['X-A', '1', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']);
      outgoing.end('first');
      return new Promise(() => undefined);
    };
    const reply = await send(`GET /-/a HTTP/1.1\r\n${HOST}\r\n`);
    expect(reply).toMatch(/^HTTP\/1\.1 207 So It Is\r\n/);
    expect(reply).toMatch(/X-A: 1\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/);
    // The client's own connection goes on.
    expect(reply).toMatch(/\r\nConnection: keep-alive\r\n/);
    expect(reply.match(/\r\nConnection:/gi)).toHaveLength(1);
  });

  it('ends the connection where the body of the request was not read', async () => {
    answer = () => new Response('first', { status: 403 });
    const reply = await send(`POST /-/a HTTP/1.1\r\n${HOST}Content-Length: 9\r\n\r\nhalf`);
    expect(reply).toMatch(/^HTTP\/1\.1 403 /);
    expect(reply).toMatch(/\r\nConnection: close\r\n/);
  });
});
