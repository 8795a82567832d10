// Pipelined requests: each is answered when all before it have been, in order, and no more are
// taken in than can be held.
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer, type Fetch } from '../../../src/adapters/node/serve.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type { BucketName } from '../../../src/domain/nouns.ts';
import type { WholeResponse } from '../../../src/http/delivery/fast-path/fast-response.ts';
import {
  connectTo,
  createStockedCore,
  openTestServer,
  PUBLIC_BUCKET,
  settle,
} from '../fast-path/both-paths.ts';
import { openRawClient } from '../kit/raw-socket.ts';

const log = createConsoleLog(systemClock, 'off');
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const requests = (count: number, ...headers: readonly string[]) =>
  Array.from(
    { length: count },
    (_, i) => `GET /${i} HTTP/1.1\r\nHost: h\r\n${headers.join('')}\r\n`,
  );
const pathsIn = (text: string) => text.match(/(?<=^path: )\/\d+/gm) ?? [];
const respond = ({ incoming }: { incoming: IncomingMessage }) =>
  new Response('x', { headers: { path: incoming.url ?? '' } });

function start(fetch: Fetch): Server {
  const server = createHttpServer(fetch, { log });
  servers.push(server);
  return server;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('of pipelined requests', () => {
  it('the app handles one, and the next after its response', async () => {
    let asked = 0;
    const answers: (() => void)[] = [];
    const server = start(async (_request, bindings) => {
      asked += 1;
      await new Promise<void>((resolve) => answers.push(resolve));
      return respond(bindings);
    });
    const line = connectTo({ server });
    line.client.write(requests(3).join(''));
    for (const wanted of [1, 2, 3]) {
      await settle([line]);
      expect(asked).toBe(wanted);
      answers.shift()?.();
    }
    await settle([line]);
    expect(pathsIn(line.received().toString())).toEqual(['/0', '/1', '/2']);
  });

  it('the fast path reads one, and the next when its client has taken that', async () => {
    let finished = 0;
    const headers = { 'content-length': '100000' };
    const whole: WholeResponse = {
      status: 200,
      headers,
      bucket: 'b' as BucketName,
      surface: 'delivery',
      accessKeyId: null,
      kind: 'bytes',
      body: new Uint8Array(100_000),
      range: null,
    };
    const finish = () => {
      finished += 1;
      return whole;
    };
    const core = await createStockedCore();
    const made = openTestServer(core, {
      hasFastConnections: false,
      hasFastPath: true,
      fastPath: { answer: () => ({ ...whole, kind: 'later', body: finish, range: null }) },
    });
    servers.push(made.server);
    const line = connectTo(made);
    line.client.pause();
    line.client.write(`GET /${PUBLIC_BUCKET}/big HTTP/1.1\r\nHost: h\r\n\r\n`.repeat(50));
    await settle([line]);
    expect(finished).toBe(1);
    line.client.resume();
    await settle([line]);
    expect(finished).toBe(50);
    expect(line.received().length).toBeGreaterThan(50 * 100_000);
  });

  it('a client that leaves gets no further response', async () => {
    let asked = 0;
    const server = start(async (_request, bindings) => {
      asked += 1;
      await nextTurn();
      return respond(bindings);
    });
    const line = connectTo({ server });
    line.client.write(requests(3).join(''));
    line.server.destroy();
    await settle([line]);
    expect(asked).toBeLessThanOrEqual(1);
  });

  it.each([
    ['of one connection', async (server: Server) => connectInMemory(server)],
    ['over TCP', async (server: Server) => openRawClient(await listen(server))],
  ])('few are taken in, and all are answered in order: %s', async (_name, connect) => {
    const sent = requests(250, `x: ${'x'.repeat(1000)}\r\n`);
    let answered = 0;
    let waitingMost = 0;
    let come = 0;
    const server = start(async (_request, bindings) => {
      await nextTurn();
      answered += 1;
      return respond(bindings);
    });
    server.on('request', () => {
      come += 1;
      waitingMost = Math.max(waitingMost, come - answered);
    });
    const client = await connect(server);
    for (const request of sent) client.send(request);
    client.send('GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(pathsIn(await client.closed())).toEqual(sent.map((_, i) => `/${i}`));
    // 32 are kept waiting, and one more read of 64 KiB came on top.
    expect(waitingMost).toBeLessThan(32 + 70);
  });
});

describe('of pipelined requests before broken bytes', () => {
  const statuses = (text: string) => text.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
  const slow = () =>
    start(async (_request, bindings) => {
      await nextTurn();
      return respond(bindings);
    });

  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400],
    [
      'two lengths',
      'GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    ['a head too long', `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ['a tunnel', 'CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n', 405],
    [
      'a broken body',
      'PUT /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
  ])(
    'each is answered, then %s is refused and the connection closed',
    async (_name, broken, status) => {
      const client = await openRawClient(await listen(slow()));
      client.send(requests(3).join('') + broken + requests(1).join(''));
      const text = await client.closed();
      expect([pathsIn(text), statuses(text)]).toEqual([
        ['/0', '/1', '/2'],
        ['200', '200', '200', `${status}`],
      ]);
    },
  );

  it('a long response comes whole', async () => {
    const body = 'x'.repeat(5_000_000);
    const server = start(async () => {
      await nextTurn();
      return new Response(body);
    });
    const client = await openRawClient(await listen(server));
    client.send(`${requests(1).join('')}nonsense\r\n\r\n`);
    const text = await client.closed();
    expect(statuses(text)).toEqual(['200', '400']);
    expect(text.split(body).length).toBe(2);
  });

  it('responses of the fast path come too, with and without its parser', async () => {
    const core = await createStockedCore();
    for (const hasFastConnections of [true, false]) {
      const made = openTestServer(core, { hasFastConnections, hasFastPath: true });
      servers.push(made.server);
      const line = connectTo(made);
      line.client.write(
        `${`GET /${PUBLIC_BUCKET}/inline HTTP/1.1\r\nHost: h\r\n\r\n`.repeat(3)}nonsense\r\n\r\n`,
      );
      await expect.poll(() => line.isClosed()).toBe(true);
      expect(statuses(line.received().toString('latin1'))).toEqual(['200', '200', '200', '400']);
    }
  });
});

function connectInMemory(server: Server) {
  const line = connectTo({ server });
  return {
    send: (text: string) => void line.client.write(text),
    async closed() {
      await expect.poll(() => line.isClosed()).toBe(true);
      return line.received().toString('latin1');
    },
  };
}
