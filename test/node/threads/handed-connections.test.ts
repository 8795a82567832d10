// A handed request between two servers in this thread: the end of either side is the end of both,
// in the middle of a body, in either direction, also of a response that nobody reads.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type NodeBindings, type RunningServer, serve } from '../../../src/adapters/node/serve.ts';
import { HandedConnection } from '../../../src/adapters/node/server/handed-connection.ts';
import { createHandOver } from '../../../src/adapters/node/threads/handed-requests.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';

/** More than the buffers of both ends and of everything between them. */
const LARGE_BYTES = 32 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'quayside');

const servers: RunningServer[] = [];
let connections: HandedConnection[] = [];
let requests: NodeBindings[] = [];
let client: Socket;
/** What the first server does with a request. */
let answer: (bindings: NodeBindings) => Response | Promise<Response>;

beforeEach(async () => {
  connections = [];
  requests = [];
  const options = {
    host: '127.0.0.1',
    port: 0,
    log: createConsoleLog(systemClock, 'error', () => undefined),
  };
  const first = await serve((_request, bindings) => {
    requests.push(bindings);
    return answer(bindings);
  }, options);
  const other = await serve(() => new Response(null, { status: 500 }), {
    ...options,
    handOver: createHandOver((peer) => {
      const { port1, port2 } = new MessageChannel();
      const ends = [new HandedConnection(port1, peer), new HandedConnection(port2, peer)] as const;
      connections.push(...ends);
      first.take(ends[1]);
      return ends[0];
    }),
  });
  servers.push(first, other);
  client = connect(Number(new URL(other.url).port), '127.0.0.1');
  client.on('error', () => undefined);
  await once(client, 'connect');
});
afterEach(async () => {
  client.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

const closed = () => connections.map(({ destroyed }) => destroyed);

/** A body that never waits for its reader longer than it must. */
function largeBody(): Response {
  let leftBytes = LARGE_BYTES;
  const body = new ReadableStream({
    pull(controller) {
      leftBytes -= PIECE.length;
      controller.enqueue(new Uint8Array(PIECE));
      if (leftBytes === 0) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-length': `${LARGE_BYTES}` } });
}

/** Resolves when a connection between the servers has moved nothing for a while: all wait. */
async function untilStuck(): Promise<number> {
  for (let before = -1; ; ) {
    const taken = connections[1]?.bytesWritten ?? 0;
    if (taken === before && taken > PIECE.length) return taken;
    before = taken;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it.each([
  ['resets', () => client.resetAndDestroy()],
  ['closes', () => client.destroy()],
])('a response ends on both sides when the client that reads nothing %s', async (_how, vanish) => {
  answer = largeBody;
  client.write('GET /-/file HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(client, 'data');
  client.pause();
  const takenBytes = await untilStuck();
  expect(takenBytes).toBeGreaterThan(PIECE.length);
  expect(takenBytes).toBeLessThan(LARGE_BYTES);
  expect(closed()).toEqual([false, false]);

  vanish();
  await expect.poll(closed).toEqual([true, true]);
  await expect.poll(() => requests[0]?.outgoing.closed).toBe(true);
  expect(requests[0]?.outgoing.writableFinished).toBe(false);
});

it('a handed request counts what was taken of a response as it is', async () => {
  answer = largeBody;
  client.write('GET /-/file HTTP/1.1\r\nHost: localhost\r\n\r\n');
  let received = 0;
  while (received < LARGE_BYTES) received += (await once(client, 'data'))[0].length;
  await expect.poll(() => requests[0]?.outgoing.closed).toBe(true);
  expect(requests[0]?.outgoing.writableFinished).toBe(true);
  expect(connections[1]?.bytesWritten).toBeGreaterThan(LARGE_BYTES);
  expect(connections[1]?.bytesWritten).toBeLessThan(LARGE_BYTES + 1000);
});

it('a handed request ends on both sides when its client vanishes amid its body', async () => {
  const cut = Promise.withResolvers<void>();
  answer = ({ incoming }) => {
    incoming.once('close', cut.resolve).resume();
    return new Promise(() => undefined);
  };
  const length = `Content-Length: ${LARGE_BYTES}`;
  client.write(`POST /-/upload HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`);
  client.write(Buffer.alloc(LARGE_BYTES / 2));
  await expect.poll(() => connections[0]?.bytesWritten ?? 0).toBeGreaterThan(PIECE.length);
  client.resetAndDestroy();
  await cut.promise;
  expect(requests[0]?.incoming.complete).toBe(false);
  await expect.poll(closed).toEqual([true, true]);
});

it.each([
  ['before its head', ''],
  ['in the middle of its body', 'some bytes'],
])(
  'a handed request ends for the client when the first server cuts a response %s',
  async (_when, sent) => {
    answer = ({ outgoing }) => {
      if (sent !== '') outgoing.writeHead(200, { 'content-length': 1000 }).write(sent);
      setTimeout(() => outgoing.destroy(), 50);
      return new Promise(() => undefined);
    };
    client.write('GET /-/cut HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let received = '';
    client.on('data', (chunk) => {
      received += chunk;
    });
    await once(client, 'close');
    expect(received.endsWith(sent)).toBe(true);
    await expect.poll(closed).toEqual([true, true]);
  },
);
